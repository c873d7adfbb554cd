"""Terms of a text: its tokens without stop words, stemmed. One `Analyzer` serves documents and queries.

Stemmers are NLTK's, named by algorithm and mode, because NLTK's own default mode of Porter's stemmer differs
from the published algorithm on about 600 of 35,000 English words:
* porter-original: Porter (1980), "An algorithm for suffix stripping", Program 14(3), to the letter;
* porter-martin: with the corrections of Porter's own later releases, which he recommends and most tools run;
  the default for English;
* porter-nltk: with NLTK's extensions;
* snowball-<language>: the Snowball stemmers (Porter 2001, "Snowball: a language for stemming algorithms").
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType

from wikisearch.errors import InputError, UsageError
from wikisearch.text.tokens import TOKEN_RULES, base_language, stop_list_for_language, stop_words

logger = logging.getLogger(__name__)

AUTO = "auto"
NO_STEMMER = "none"
MEMO_SIZE = 200_000  # terms kept by a worker: about 40 MB; a word costs NLTK 10 us, the memo 0.1

_PORTER_MODES: Mapping[str, str] = MappingProxyType(
    {
        "porter-original": "ORIGINAL_ALGORITHM",
        "porter-martin": "MARTIN_EXTENSIONS",
        "porter-nltk": "NLTK_EXTENSIONS",
    }
)
_SNOWBALL_LANGUAGES = (
    "arabic", "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian",
    "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish",
)  # fmt: skip
STEMMER_NAMES = (NO_STEMMER, *_PORTER_MODES, *(f"snowball-{name}" for name in _SNOWBALL_LANGUAGES))

# Language codes of MediaWiki to the stemmer used where none is named.
_STEMMERS: Mapping[str, str] = MappingProxyType(
    {
        "ar": "snowball-arabic", "da": "snowball-danish", "de": "snowball-german", "en": "porter-martin",
        "es": "snowball-spanish", "fi": "snowball-finnish", "fr": "snowball-french",
        "hu": "snowball-hungarian", "it": "snowball-italian", "nb": "snowball-norwegian",
        "nl": "snowball-dutch", "no": "snowball-norwegian", "pt": "snowball-portuguese",
        "ro": "snowball-romanian", "ru": "snowball-russian", "simple": "porter-martin",
        "sv": "snowball-swedish",
    }
)  # fmt: skip


def stemmer_for_language(code: str) -> str:
    """The name of the stemmer for a MediaWiki language code; "none" where NLTK has none."""
    return _STEMMERS.get(base_language(code), NO_STEMMER)


def stemmer(name: str) -> Callable[[str], str]:
    """The function from a lower-case word to its stem; a word that the stemmer would leave empty is kept.

    Args:
        name: one of STEMMER_NAMES.

    Raises:
        UsageError: for another name.
    """
    if name not in STEMMER_NAMES:
        raise UsageError(f"stemmer '{name}' is not known; choose auto or one of {', '.join(STEMMER_NAMES)}")
    if name == NO_STEMMER:
        return lambda word: word
    # Here and not above: NLTK takes 2 s to import (it pulls in scipy), and most workers never stem.
    from nltk.stem.porter import PorterStemmer
    from nltk.stem.snowball import SnowballStemmer

    if name in _PORTER_MODES:
        stem = PorterStemmer(mode=_PORTER_MODES[name]).stem
    elif name == "snowball-arabic":
        # NLTK's keeps flags of the word before: only a new one gives every word the same stem each time.
        def stem(word: str) -> str:
            return str(SnowballStemmer("arabic").stem(word))
    else:
        stem = SnowballStemmer(name.removeprefix("snowball-")).stem
    return lambda word: stem(word) or word


class _Memo(dict[str, str]):
    """Token to term ("" for a stop word), computed at first sight; emptied when MEMO_SIZE are in it."""

    def __init__(self, stem: Callable[[str], str], dropped: frozenset[str]) -> None:
        super().__init__()
        self._stem = stem
        self._dropped = dropped

    def __missing__(self, token: str) -> str:
        if len(self) >= MEMO_SIZE:
            self.clear()
        term = self[token] = "" if token in self._dropped else self._stem(token)
        return term


@dataclass(frozen=True)
class Analyzer:
    """What turns a text into terms: token rule, then stop list, then stemmer, each by name.

    Args:
        language: MediaWiki's language code, kept for readers; it changes nothing.
        token_rule: a key of `tokens.TOKEN_RULES`.
        stop_list: a name that `tokens.stop_words` knows; "none" drops nothing.
        stemmer: one of STEMMER_NAMES; "none" leaves words as they are.

    Raises:
        UsageError: for a name that is not known.
    """

    language: str
    token_rule: str
    stop_list: str
    stemmer: str

    def __post_init__(self) -> None:
        if self.token_rule not in TOKEN_RULES:
            known = ", ".join(TOKEN_RULES)
            raise UsageError(f"token rule '{self.token_rule}' is not known; choose one of {known}")
        object.__setattr__(self, "_memo", _Memo(stemmer(self.stemmer), stop_words(self.stop_list)))

    def __reduce__(self) -> tuple[type["Analyzer"], tuple[str, str, str, str]]:
        """Travels to Spark's workers without its memo."""
        return Analyzer, (self.language, self.token_rule, self.stop_list, self.stemmer)

    def analyze(self, text: str) -> list[str]:
        """The terms of a text in order, repeated ones each time.

        >>> Analyzer("en", "words", "english", "porter-martin").analyze("The harbours of Genoa")
        ['harbour', 'genoa']
        """
        memo: _Memo = self.__dict__["_memo"]
        return [term for term in map(memo.__getitem__, TOKEN_RULES[self.token_rule](text)) if term]

    def term(self, token: str) -> str:
        """The term of one token; empty for a stop word."""
        memo: _Memo = self.__dict__["_memo"]
        return memo[token]

    def to_json(self) -> str:
        """The analyzer's fingerprint: equal for analyzers that are equal.

        >>> Analyzer("en", "words", "none", "none").to_json()
        '{"language": "en", "stemmer": "none", "stop_list": "none", "token_rule": "words"}'
        """
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(fingerprint: str) -> "Analyzer":
        """The analyzer whose `to_json` this is.

        Raises:
            InputError: where it is none.
        """
        try:
            found = json.loads(fingerprint)
            if set(found) != {field.name for field in fields(Analyzer)}:
                raise ValueError
        except (ValueError, TypeError):
            shown = fingerprint[:80]
            raise InputError(
                f"'{shown}' does not describe an analyzer; rebuild the index with jobs/build_index.py"
            ) from None
        return Analyzer(**found)


def analyzer_for_language(
    language: str, stemmer_name: str = AUTO, stop_list: str = AUTO, token_rule: str = "words"
) -> Analyzer:
    """The analyzer for a wiki's language; "auto" chooses by the language, and the log says what is missing.

    Args:
        language: MediaWiki's language code (en, pt-br).
        stemmer_name: "auto" or one of STEMMER_NAMES.
        stop_list: "auto" or a name that `tokens.stop_words` knows.
        token_rule: a key of `tokens.TOKEN_RULES`.

    Raises:
        UsageError: for a name that is not known.
    """
    if stemmer_name == AUTO:
        stemmer_name = stemmer_for_language(language)
        if stemmer_name == NO_STEMMER:
            logger.warning("no stemmer for language '%s': its words go unstemmed", language)
    if stop_list == AUTO:
        stop_list = stop_list_for_language(language)
        if stop_list == "none":
            logger.warning("no stop list for language '%s': no word is dropped", language)
    return Analyzer(language, token_rule, stop_list, stemmer_name)
