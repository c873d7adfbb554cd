"""The part of a text that shows best why it was found."""

import re
from collections import Counter, deque
from collections.abc import Callable, Collection

# What stands between white space; longer runs (scripts without spaces, URLs) count as several words.
_UNIT = re.compile(r"\S{1,24}")

Analyze = Callable[[str], list[str]]


def snippet(text: str, terms: Collection[str], analyze: Analyze, num_words: int = 30) -> str:
    """The window of words with most of the terms, its white space made single blanks.

    Of all windows it is the one with most distinct terms, of these the one with most words that match, of
    these the first, moved so that the words that match stand in its middle.

    Args:
        text: any text.
        terms: analysed terms of the query.
        analyze: the function from text to terms that the index was made with.
        num_words: length of the window, at least 1; the whole of a shorter text.

    Returns:
        The window, with … where the text goes on; the beginning of the text where nothing matches.

    >>> snippet("a b c oil lamp d e f", ["oil", "lamp"], str.split, num_words=4)
    '… c oil lamp d …'
    """
    units = list(_UNIT.finditer(text))
    if not units:
        return ""
    wanted = set(terms)
    matches = [
        (position, frozenset(found))
        for position, unit in enumerate(units)
        if (found := wanted.intersection(analyze(unit[0])))
    ]
    first, last = _best_span(matches, num_words)
    start = max(0, min(first - (num_words - (last - first + 1)) // 2, len(units) - num_words))
    shown = units[start : start + num_words]
    before = "… " if start > 0 else ""
    after = " …" if start + num_words < len(units) else ""
    return before + " ".join(text[shown[0].start() : shown[-1].end()].split()) + after


def _best_span(matches: list[tuple[int, frozenset[str]]], num_words: int) -> tuple[int, int]:
    """First and last matching position of the best window; linear in the matches."""
    window: deque[tuple[int, frozenset[str]]] = deque()
    counts: Counter[str] = Counter()
    best, span = (0, 0), (0, 0)
    for position, found in matches:
        window.append((position, found))
        counts.update(found)
        while window[0][0] <= position - num_words:
            counts.subtract(window.popleft()[1])
        value = sum(count > 0 for count in counts.values()), len(window)
        if value > best:
            best, span = value, (window[0][0], position)
    return span


def highlighted(line: str, terms: Collection[str], analyze: Analyze, before: str, after: str) -> str:
    """The line with each word that matches a term between two marks; white space stays as it is.

    >>> highlighted("An oil lamp", ["oil"], str.split, "<", ">")
    'An <oil> lamp'
    """
    wanted = set(terms)

    def marked(unit: re.Match[str]) -> str:
        return before + unit[0] + after if wanted.intersection(analyze(unit[0])) else unit[0]

    return _UNIT.sub(marked, line)
