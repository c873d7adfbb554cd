"""Stemmers by name, against NLTK itself, and the analyzer that puts the rules together."""

import logging
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer

from wikisearch.errors import InputError, UsageError
from wikisearch.text import stemming
from wikisearch.text.stemming import (
    STEMMER_NAMES,
    Analyzer,
    analyzer_for_language,
    stemmer,
    stemmer_for_language,
)

ENGLISH = Analyzer("en", "words", "english", "porter-martin")
MODES = {
    "porter-original": PorterStemmer.ORIGINAL_ALGORITHM,
    "porter-martin": PorterStemmer.MARTIN_EXTENSIONS,
    "porter-nltk": PorterStemmer.NLTK_EXTENSIONS,
}
WORDS = ["abli", "apologies", "dying", "harbours", "relational", "geology", "trekked", "skies", "sky", "y"]


@pytest.mark.parametrize("name", MODES)
def test_porter_is_nltks_in_the_named_mode(name: str) -> None:
    reference = PorterStemmer(mode=MODES[name])
    assert [stemmer(name)(word) for word in WORDS] == [reference.stem(word) for word in WORDS]


def test_modes_of_porter_differ() -> None:
    # Two of the places where they part: -logi is Martin Porter's, dying is in a list of NLTK's.
    assert [stemmer(name)("dying") for name in MODES] == ["dy", "dy", "die"]
    assert [stemmer(name)("apologies") for name in MODES] == ["apologi", "apolog", "apolog"]


def test_snowball_covers_every_language_of_nltk() -> None:
    languages = {name.removeprefix("snowball-") for name in STEMMER_NAMES if name.startswith("snowball-")}
    assert languages == set(SnowballStemmer.languages) - {"porter"}


@pytest.mark.parametrize("name", STEMMER_NAMES)
@given(word=st.text("abeginstyüсуمنىو’", min_size=1, max_size=30))
def test_a_stem_is_never_empty_and_does_not_depend_on_the_word_before(name: str, word: str) -> None:
    stem = stemmer(name)
    first = stem(word)
    stem("والمكتبات")
    assert first
    assert stem(word) == first


def test_german_words_meet() -> None:
    stem = stemmer("snowball-german")
    assert stem("häuser") == stem("hauses") == SnowballStemmer("german").stem("häuser")


def test_unknown_names_say_what_there_is() -> None:
    with pytest.raises(UsageError, match="stemmer 'krovetz' is not known; choose auto or one of none, porter-o"):
        stemmer("krovetz")
    with pytest.raises(UsageError, match="token rule 'letters' is not known; choose one of words, whitespace"):
        Analyzer("en", "letters", "none", "none")


def test_stop_words_go_before_stemming() -> None:
    # "does" is a stop word; "doing" too; "dos" is none although it stems like neither.
    assert ENGLISH.analyze("What does the lamps' oil") == ["lamp", "oil"]
    assert ENGLISH.term("the") == ""
    assert ENGLISH.term("lamps") == "lamp"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_analyzer_takes_any_text(text: str) -> None:
    assert all(ENGLISH.analyze(text))


def test_the_memo_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{word}{number}s" for number in range(30) for word in WORDS]
    fresh = [stemmer("porter-martin")(word) for word in words]
    monkeypatch.setattr(stemming, "MEMO_SIZE", 7)
    analyzer = Analyzer("en", "words", "none", "porter-martin")
    assert [analyzer.term(word) for word in words] == fresh
    assert len(analyzer.__dict__["_memo"]) <= 7


def test_an_analyzer_travels_without_its_memo() -> None:
    analyzer = Analyzer("en", "words", "english", "porter-martin")
    before = len(pickle.dumps(analyzer))
    analyzer.analyze(" ".join(f"word{number}" for number in range(1000)))
    copy = pickle.loads(pickle.dumps(analyzer))
    assert copy == analyzer
    assert len(pickle.dumps(analyzer)) == before
    assert copy.analyze("harbours") == ["harbour"]


def test_fingerprints_are_equal_where_analyzers_are() -> None:
    assert Analyzer.from_json(ENGLISH.to_json()) == ENGLISH
    assert ENGLISH.to_json() != Analyzer("en", "words", "english", "porter-nltk").to_json()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"language": "en"}'])
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="does not describe an analyzer; rebuild the index"):
        Analyzer.from_json(text)


def test_analyzers_by_language(caplog: pytest.LogCaptureFixture) -> None:
    assert analyzer_for_language("en") == ENGLISH
    assert analyzer_for_language("de").stemmer == "snowball-german"
    assert stemmer_for_language("pt-br") == "snowball-portuguese"
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        assert analyzer_for_language("tr") == Analyzer("tr", "words", "turkish", "none")
        assert analyzer_for_language("xx") == Analyzer("xx", "words", "none", "none")
    assert [record.getMessage() for record in caplog.records] == [
        "no stemmer for language 'tr': its words go unstemmed",
        "no stemmer for language 'xx': its words go unstemmed",
        "no stop list for language 'xx': no word is dropped",
    ]


def test_what_is_named_wins_over_the_language() -> None:
    analyzer = analyzer_for_language("en", "none", "none", "whitespace")
    assert analyzer.analyze("The Lamps, lit") == ["the", "lamps,", "lit"]
