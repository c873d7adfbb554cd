"""Words of a text, and the stop lists that drop the commonest of them.

The rule `words`, in order:
1. characters that do not show are taken out: soft hyphen, zero-width joiners, variation selectors;
2. lower case, then NFC (UAX #15), so that composed and decomposed spellings are one word;
3. a word is a longest run of letters and numbers, with the combining marks that follow them; all else,
   apostrophes (straight or curly) and the underscore among it, separates;
4. scripts that are written without spaces (Han, kana, Hangul, bopomofo, Thai, Lao, Burmese, Khmer) come out
   as overlapping pairs of characters, a lone character as itself: pairs need no dictionary. Hangul is among
   them because its particles are glued to the words;
5. a word is cut after MAX_TOKEN_LEN characters: longer ones are data, not language.

The rule `whitespace` is for text that another tool tokenised: lower case, split at white space.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from itertools import pairwise
from types import MappingProxyType

from wikisearch.errors import UsageError

MAX_TOKEN_LEN = 100  # beyond any word; NLTK's stemmers recurse over the length of a run of y

_SPACELESS_BLOCKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x3000, 0x318F),  # kana, bopomofo, Hangul compatibility jamo; iteration marks and numerals of Han
    (0x31A0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAA60, 0xAA7F),  # Burmese extended
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0xFF66, 0xFFDC),  # half-width kana and Hangul
    (0x1B000, 0x1B16F),  # kana supplements
    (0x20000, 0x3FFFF),  # Han extensions
)
_MARK_BLOCKS = ((0x0300, 0x1FFFF),)  # marks outside are variation selectors, which rule 1 takes out


def _character_class(blocks: tuple[tuple[int, int], ...], belongs: Callable[[str], bool]) -> str:
    """The inside of a regular expression's [...] for the characters of the blocks that belong."""
    ranges: list[list[int]] = []
    for first, last in blocks:
        for code in range(first, last + 1):
            if not belongs(chr(code)):
                continue
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character) in ("Lo", "Lm", "Nl")


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc")


_SPACELESS = _character_class(_SPACELESS_BLOCKS, _is_letter)
_MARKS = _character_class(_MARK_BLOCKS, _is_mark)
# \w leaves out marks, without which Devanagari or Hebrew with points would fall apart.
_WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*)*")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_HAS_SPACELESS = re.compile(f"[{_SPACELESS}]")
_PIECE = re.compile(rf"((?:[{_SPACELESS}][{_MARKS}]*)+)|[^{_SPACELESS}]+")
_CLUSTER = re.compile(rf"[{_SPACELESS}][{_MARKS}]*")
_INVISIBLE = re.compile(
    "[\u00ad\u200c-\u200f\u2060\ufe00-\ufe0f\ufeff\u20dd-\u20e0\u20e2-\u20e4\U000e0100-\U000e01ef]"
)


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of the characters (with their marks) of a run in a script without spaces."""
    clusters = _CLUSTER.findall(run)
    if len(clusters) == 1:
        return [run[:MAX_TOKEN_LEN]]
    return [(left + right)[:MAX_TOKEN_LEN] for left, right in pairwise(clusters)]


def word_tokens(text: str) -> list[str]:
    """The words of a text in order, by the rule `words` of this module; linear in the text's length.

    >>> word_tokens("L’étoile d'Aval, web2.0: 1,300 km")
    ['l', 'étoile', 'd', 'aval', 'web2', '0', '1', '300', 'km']
    >>> word_tokens("HTML5中文分词")
    ['html5', '中文', '文分', '分词']
    """
    if text.isascii():
        return [token[:MAX_TOKEN_LEN] for token in _ASCII_WORD.findall(text.lower())]
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFC", text.lower())
    if not _HAS_SPACELESS.search(text):
        return [token[:MAX_TOKEN_LEN] for token in _WORD.findall(text)]
    tokens: list[str] = []
    for word in _WORD.findall(text):
        for piece in _PIECE.finditer(word):
            tokens.extend(_pairs(piece[1]) if piece[1] else [piece[0][:MAX_TOKEN_LEN]])
    return tokens


def whitespace_tokens(text: str) -> list[str]:
    """The parts of a text between white space, lower-cased: for text that another tool tokenised.

    >>> whitespace_tokens("Oil  don't")
    ['oil', "don't"]
    """
    return text.lower().split()


TOKEN_RULES: Mapping[str, Callable[[str], list[str]]] = MappingProxyType(
    {"words": word_tokens, "whitespace": whitespace_tokens}
)

NO_STOP_WORDS = "none"

# Language codes of MediaWiki to the lists carried in stopwords/.
_STOP_LISTS: Mapping[str, str] = MappingProxyType(
    {
        "ar": "arabic", "az": "azerbaijani", "bn": "bengali", "ca": "catalan", "da": "danish",
        "de": "german", "el": "greek", "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish",
        "fr": "french", "he": "hebrew", "hu": "hungarian", "id": "indonesian", "it": "italian",
        "kk": "kazakh", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
        "pt": "portuguese", "ro": "romanian", "ru": "russian", "simple": "english", "sl": "slovene",
        "sv": "swedish", "tg": "tajik", "tr": "turkish", "zh": "chinese",
    }
)  # fmt: skip
STOP_LIST_NAMES = tuple(sorted(set(_STOP_LISTS.values())))


def base_language(code: str) -> str:
    """The language of a MediaWiki language code without its variant: pt of pt-br.

    Only regional and script variants are cut off: zh-yue and be-tarask, say, are languages of their own.

    >>> base_language("pt-br"), base_language("zh-yue")
    ('pt', 'zh-yue')
    """
    base, _, variant = code.lower().partition("-")
    is_variant = len(variant) == 2 or variant in ("hans", "hant", "latn", "cyrl", "formal")
    return base if is_variant else code.lower()


def stop_list_for_language(code: str) -> str:
    """The name of the stop list for a MediaWiki language code; "none" where there is no list."""
    return _STOP_LISTS.get(base_language(code), NO_STOP_WORDS)


@cache
def stop_words(name: str) -> frozenset[str]:
    """The stop words of a list, spelled as `word_tokens` spells them; empty for "none".

    An entry that is several tokens (don't) is left out: its parts stand in the list where they matter.

    Raises:
        UsageError: for a name that is not a list; the message says which there are.
    """
    if name == NO_STOP_WORDS:
        return frozenset()
    if name not in STOP_LIST_NAMES:
        known = ", ".join((NO_STOP_WORDS, *STOP_LIST_NAMES))
        raise UsageError(f"stop list '{name}' is not known; choose auto or one of {known}")
    folder = resources.files("wikisearch.text") / "stopwords"
    lines = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    entries = [word_tokens(line) for line in lines]
    return frozenset(entry[0] for entry in entries if len(entry) == 1)
