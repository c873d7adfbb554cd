"""Tokens: what separates words, scripts without spaces, and the stop lists."""

import json
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.errors import UsageError
from wikisearch.text.tokens import (
    MAX_TOKEN_LEN,
    STOP_LIST_NAMES,
    base_language,
    stop_list_for_language,
    stop_words,
    whitespace_tokens,
    word_tokens,
)

# Lone surrogates cannot be stored in a table.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
# Letters, marks and invisible characters that meet inside words, more often than chance would have it.
HARD = st.text(
    st.sampled_from("aZ0_'’\u00ad\u200c\u200d\ufe0f\u0301\u0345\u05b0İΣſßẞ中文のーｱสั한국क्षि½²Kﬁ \n"), max_size=40
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Oil, lamps & HARBOURS", ["oil", "lamps", "harbours"]),
        ("don't d’aval", ["don", "t", "d", "aval"]),  # straight and curly apostrophes alike
        ("snake_case web2.0 1,300", ["snake", "case", "web2", "0", "1", "300"]),
        ("cafe\u0301", ["café"]),  # decomposed
        ("co\u00adoperate", ["cooperate"]),  # soft hyphen
        ("ΟΔΟΣ Ёлка ŻÓŁW", ["οδος", "ёлка", "żółw"]),
        ("हिन्दी שָׁלוֹם", ["हिन्दी", "שָׁלוֹם"]),  # marks belong to their words
        ("東京都 大", ["東京", "京都", "大"]),
        ("データを読む", ["デー", "ータ", "タを", "を読", "読む"]),
        ("한국어를 배움", ["한국", "국어", "어를", "배움"]),
        ("ที่นี่", ["ที่นี่"]),  # two clusters of a letter with its marks: one pair
        ("Python言語3版", ["python", "言語", "3", "版"]),
        ("", []),
        ("… — !", []),
    ],
)
def test_words(text: str, tokens: list[str]) -> None:
    # NFC itself keeps Hebrew points in canonical order, so the expectation is normalised too.
    assert word_tokens(text) == [unicodedata.normalize("NFC", token) for token in tokens]


@given(st.one_of(TEXTS, HARD))
def test_tokens_of_any_text_are_words_in_lower_case(text: str) -> None:
    for token in word_tokens(text):
        assert token == token.lower()
        assert unicodedata.is_normalized("NFC", token)
        assert 0 < len(token) <= MAX_TOKEN_LEN
        assert not any(character.isspace() or character in "_'’" for character in token)


@given(st.one_of(TEXTS, HARD))
def test_tokens_of_tokens_are_the_same(text: str) -> None:
    tokens = word_tokens(text)
    assert word_tokens(" ".join(tokens)) == tokens


@given(st.one_of(TEXTS, HARD))
def test_composed_and_decomposed_texts_have_the_same_tokens(text: str) -> None:
    assert word_tokens(unicodedata.normalize("NFD", text)) == word_tokens(unicodedata.normalize("NFC", text))


@given(st.lists(st.text("abcXYZ019éÉ", min_size=1, max_size=12)))
def test_words_between_blanks_are_kept_in_order(words: list[str]) -> None:
    assert word_tokens(" ".join(words)) == [word.lower() for word in words]


def test_a_word_without_end_is_cut_in_linear_time() -> None:
    started = time.monotonic()
    assert word_tokens("é" * 2_000_000) == ["é" * MAX_TOKEN_LEN]
    assert len(word_tokens("中" * 500_000)) == 499_999
    assert word_tokens("a" + "\u0301" * 500_000)[0].startswith("á")
    assert time.monotonic() - started < 20  # a second or so; a quadratic rule would take an hour


def test_whitespace_rule_only_splits_and_lowers() -> None:
    assert whitespace_tokens(" Oil\tdon't\n1,300 ") == ["oil", "don't", "1,300"]


@pytest.mark.parametrize("name", STOP_LIST_NAMES)
def test_every_stop_word_is_one_token(name: str) -> None:
    words = stop_words(name)
    assert len(words) > 40
    assert all(word_tokens(word) == [word] for word in words)


def test_stop_lists_by_language() -> None:
    assert stop_list_for_language("en") == "english"
    assert {"the", "of", "don", "t"} <= stop_words("english")
    assert "harbour" not in stop_words("english")
    assert stop_list_for_language("pt-BR") == "portuguese"
    assert stop_list_for_language("xx") == "none"
    assert stop_words("none") == frozenset()
    assert base_language("zh-hant") == "zh"
    with pytest.raises(UsageError, match="stop list 'klingon' is not known; choose auto or one of none, ar"):
        stop_words("klingon")


@pytest.mark.shared
def test_scripts_of_the_shared_case(shared: Path) -> None:
    case = shared / "cases/bm25/B07"
    docs, queries, expected = (
        json.loads((case / name).read_text(encoding="utf-8"))
        for name in ("docs.json", "queries.json", "expected.json")
    )
    tokens = {doc_id: set(word_tokens(text)) for doc_id, text in docs.items()}
    for query_id, text in queries.items():
        matching = {doc_id for doc_id, words in tokens.items() if words & set(word_tokens(text))}
        wanted = set(expected["must_match"].get(query_id, []))
        allowed = wanted | set(expected["may_match"].get(query_id, []))
        assert wanted <= matching <= allowed, query_id
