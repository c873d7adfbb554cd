"""Where sentences end: full stops that are none (abbreviations, initials, numbers), closers after stops.

The rules are plain and by language (`abbreviations.tsv`); scripts without blanks end sentences at their own stops.
Scripts that write no stops (Thai) have one sentence a line.

Why no library: on 3 MB of articles and one core this module does 20 MB/s; PySBD 0.3.4 does 0.2 and syntok 1.4
does 1.3, too slow in a UDF; blingfire 0.1 does 21, but joins "lies here. Dr. Smith", leaves the danda alone, and
its tables cannot be extended; PyICU has no wheels.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wikisearch.text.datafiles import language_chain, read_rows

_ALWAYS = "。！？｡．।॥؟۔։።။៕"  # end a sentence whatever follows
_HAS_ALWAYS = re.compile(f"[{_ALWAYS}]")
_STOP = re.compile(r"[.!?。！？｡．।॥؟۔…։።။៕]+[\"'”’“‘»«›‹)\]」』）】》〉]*(?: »(?!\S))?")
_OPEN = "([（【〔「『"
_BRACKET = re.compile(r"[(\[（【〔「『)\]）】〕」』]")
_BEFORE_WORD = re.compile(r".*[\s(\[\"'“”‘’«»„/—–]", re.DOTALL)
_NEXT_WORD = re.compile(r"[\s\"'“”‘’«»„(\[¿¡]*([^\s.,;:!?\"'“”’»)\]]*)")
_ROMAN = re.compile(r"[IVXLCDM]+")
# Languages that write ordinal numbers with a full stop.
_ORDINALS = frozenset({"de", "als", "bar", "nds", "da", "no", "nb", "nn", "fi", "cs", "sk", "hu", "pl", "hr", "sl",
                       "sr", "bs", "sh", "et", "lv", "is", "tr", "fo", "hsb", "dsb", "lb"})  # fmt: skip
_LONGEST_WORD = 40
_LONGEST_BRACKETS = 1500  # characters; what is further apart is not meant as a pair


class _Words(NamedTuple):
    """The words of a language that matter beside a full stop."""

    start: frozenset[str]
    never: frozenset[str]
    number: frozenset[str]
    maybe: frozenset[str]
    has_ordinals: bool


@lru_cache(maxsize=64)
def _words_of(language: str) -> _Words:
    """The words that hold for a language."""
    chain = ("*", *language_chain(language))
    rows = [(kind, words.split()) for code, kind, words in read_rows("abbreviations.tsv") if code in chain]
    start, never, number, maybe = (
        frozenset(word for kind, words in rows if kind == wanted for word in words)
        for wanted in ("start", "never", "number", "maybe")
    )
    return _Words(start, never, number, maybe, language_chain(language)[0] in _ORDINALS)


def sentence_ends(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Offsets after the last character of each sentence of a paragraph; the last one is the paragraph's end.

    Args:
        text: any text.
        start: where the paragraph begins.
        end: where it ends.
        language: language code, for abbreviations.
    """
    inside = _bracketed(text, start, end)
    place = 0
    begin = start
    for found in _STOP.finditer(text, start, end):
        after = found.end()
        while place < len(inside) and inside[place][1] <= after:
            place += 1
        if place < len(inside) and inside[place][0] < after:
            continue
        if _ends_here(text, begin, found, end, language):
            yield after
            begin = after
    if begin < end:
        yield end


def sentence_end(text: str, start: int, end: int, language: str) -> int:
    """Offset after the first sentence of a paragraph; arguments as for `sentence_ends`."""
    return next(sentence_ends(text, start, end, language), end)


def _bracketed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Outermost pairs of brackets of a paragraph, ascending: offset of the opening, offset after the closing.

    A bracket without its partner nearby is none.
    """
    pairs: list[tuple[int, int]] = []
    opened: list[int] = []
    for found in _BRACKET.finditer(text, start, end):
        if found[0] in _OPEN:
            opened.append(found.start())
        elif opened:
            first = opened.pop()
            if found.end() - first <= _LONGEST_BRACKETS:
                while pairs and pairs[-1][0] > first:
                    pairs.pop()
                pairs.append((first, found.end()))
    return pairs


def _ends_here(text: str, start: int, found: re.Match[str], end: int, language: str) -> bool:
    """Whether a stop ends the sentence."""
    after = found.end()
    if after >= end:
        return True
    stop = found[0]
    if stop[0] in _ALWAYS or (len(stop) > 1 and _HAS_ALWAYS.search(stop)):
        return True
    if not text[after].isspace():
        return False
    following = _NEXT_WORD.match(text, after, end)
    word = following[1] if following else ""
    if word[:1].islower():
        return False
    if stop[0] != "." or stop.startswith(".."):
        return True
    return not _is_abbreviation(text, start, found.start(), word, len(stop) > 1, language)


def _is_abbreviation(text: str, start: int, stop: int, following: str, is_quoted: bool, language: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it and the sentence goes on."""
    begin = max(start, stop - _LONGEST_WORD)
    before = _BEFORE_WORD.match(text, begin, stop)
    word = text[before.end() if before else begin : stop]
    if not word:
        return False
    words = _words_of(language)
    is_start = following in words.start
    if is_quoted and is_start:
        return False
    if word in words.never:
        return True
    if word in words.number:
        return following[:1].isdigit() or _ROMAN.fullmatch(following) is not None
    if word in words.maybe:
        return not is_start
    if is_quoted:
        return False
    if len(word) == 1 and word.isalpha() and word.isupper():
        return not is_start
    if words.has_ordinals and (
        (word.isdigit() and len(word) <= 2) or _ROMAN.fullmatch(word) is not None
    ):
        return not is_start
    # Initials in a row (J.R.R.) and the like: single letters between stops.
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) <= 1 for part in parts) and not is_start


def sentences(text: str, language: str) -> list[str]:
    """The sentences of a text, line by line, without blanks around them.

    Args:
        text: plain text; a line break always ends a sentence.
        language: language code, for abbreviations.

    >>> sentences("It lies in St. Ives. (It is old.) Who knows?", "en")
    ['It lies in St. Ives.', '(It is old.)', 'Who knows?']
    """
    found: list[str] = []
    position = 0
    for line in text.split("\n"):
        begin = position
        for after in sentence_ends(text, position, position + len(line), language):
            found.append(text[begin:after].strip())
            begin = after
        position += len(line) + 1
    return [sentence for sentence in found if sentence]


def first_sentence(text: str, language: str) -> str:
    """The first sentence of the first line that has a letter in it; empty where there is none.

    Args:
        text: plain text; `wikitext.scan` passes over hatnotes, which plain text does not tell apart.
        language: language code, for abbreviations.
    """
    position = 0
    for line in text.split("\n"):
        if any(character.isalpha() for character in line):
            return text[position : sentence_end(text, position, position + len(line), language)].strip()
        position += len(line) + 1
    return ""
