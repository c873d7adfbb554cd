"""From the pieces that the scanner keeps to clean text: lines, apostrophes, blanks, and where each link stands.

While a page is put together, line breaks are one character each, so that most rules replace one character by
another and no position moves: `\\n` as in the source, HEADING, BLOCK and BREAK for the beginning of a heading, of
a list item or other block, and for `<br>` and the like. All of them become `\\n` at the end.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from typing import NamedTuple

HEADING, BLOCK, BREAK = "\x1d", "\x1e", "\x1f"

_SOFT = re.compile(r"\n(?<![\n\x1d-\x1f]\n)(?![\n\x1d-\x1f \t])")
# Clusters of line breaks and blanks that are not already `\n`, `\n\n` or a mark without blanks around. One pattern
# for each character that they begin with: the engine finds one literal many times faster than one of a set.
_CLUSTERS = (
    re.compile(r"\n(?:(?<=[ \t]\n)\s*|[\n\x1d-\x1f]\s*[\n\x1d-\x1f]\s*|[ \t]+[\n\x1d-\x1f]\s*)"),
    *(re.compile(rf"{mark}(?:(?<=[ \t]{mark})\s*|[ \t]*[\n\x1d-\x1f]\s*)") for mark in (HEADING, BLOCK, BREAK)),
)
_LINE = re.compile(r"[^\n\x1d-\x1f]+")
_HAS_WORD = re.compile(r"[^\W\d_]")
_LEFTOVER = re.compile(r"\s*(?:[|!}]|\{[{|]|\[\[|\]\]|</?\w)")
_BREAKS = f"\n{HEADING}{BLOCK}{BREAK}"
_SEPARATORS = " \t\xa0,;"
_MAX_HATNOTES = 5  # notices before the lead; a page of italic lines is a poem
_REACH = 12  # how far from a dropped template the brackets around it may stand

Edit = tuple[int, int, str]


class Assembled(NamedTuple):
    """Clean text, the new places of the points that were asked for, and start and end of the lead paragraph."""

    text: str
    points: Sequence[int]
    lead: tuple[int, int]


def assemble(
    pieces: Sequence[str], quotes: Sequence[tuple[int, int]], drops: Sequence[int], points: Iterable[int]
) -> Assembled:
    """The clean text of a page.

    Args:
        pieces: what the scanner kept; the first piece is a line break.
        quotes: index of the piece before which a run of apostrophes stood, and its length (2, 3 or 5), ascending.
        drops: indices of pieces before which something was left out (a template, a reference), ascending.
        points: ascending indices of pieces whose offsets in the text are wanted.

    Returns:
        The text; for each point its offset; the lead paragraph's span, (0, 0) where there is none.
    """
    # Arrays, here and below: of a page with millions of links, lists of numbers would be most of the memory.
    offsets = array("q", accumulate(map(len, pieces), initial=0))
    places = array("q", map(offsets.__getitem__, points))
    del points
    raw = "".join(pieces)
    edits: list[Edit] = []
    if quotes:
        marks = [(offsets[index], length) for index, length in quotes]
        edits += _lone_apostrophes(raw, marks)
        raw = _hatnotes_as_blocks(raw, marks)
    raw = _joined_lines(raw)
    leaves_empty_line = False  # perhaps: where brackets were all of a line, the breaks around them meet
    if drops:
        taken = _after_drops(raw, sorted({offsets[index] for index in drops}))
        leaves_empty_line = any(_begins_line(raw, start) for start, _, _ in taken)
        edits += taken
    edits += _clusters(raw)
    text, moved = apply_edits(raw, edits, places)
    if leaves_empty_line:
        text, moved = apply_edits(text, _clusters(text), moved)
    del offsets, raw, edits
    lead = lead_span(text)
    # Four replacements of one character are much faster than one translate.
    text = text.replace(BLOCK, "\n").replace(HEADING, "\n").replace(BREAK, "\n").replace("\xa0", " ")
    # Empty brackets that were taken away may have left breaks at either end.
    clean = text.strip()
    head, size = len(text) - len(text.lstrip()), len(clean)

    if head == 1 and size == len(text) - 1:  # the usual case, and the fast one
        moved = array("q", (point - 1 if point else 0 for point in moved))
    else:
        moved = array("q", (min(max(point - head, 0), size) for point in moved))
    first, last = (min(max(point - head, 0), size) for point in lead)
    return Assembled(clean, moved, (first, last))


def _begins_line(raw: str, place: int) -> bool:
    """Whether there are only blanks, or more than a few, before a place in its line."""
    before = raw[max(place - _REACH, 0) : place]
    return not before[max(map(before.rfind, _BREAKS)) + 1 :].strip()


def apply_edits(text: str, edits: Iterable[Edit], points: Sequence[int]) -> tuple[str, Sequence[int]]:
    """The text after replacements, and where points of the old text stand in the new one.

    Args:
        text: any text.
        edits: (start, end, replacement); of two that overlap the second holds after the first, of two at one place
            the longer is made.
        points: offsets in text, ascending. One within a replaced stretch moves to the end of its replacement.
    """
    kept: list[str] = []
    moved = array("q")
    move = moved.extend
    last = shift = done = 0
    for start, end, replacement in sorted(edits, key=_edit_order):
        if start < last:
            if end <= last:
                continue
            start = last
        upto = bisect_right(points, start, done) if end > start else bisect_left(points, start, done)
        if upto > done:
            move(map(shift.__add__, points[done:upto]))
        kept += (text[last:start], replacement)
        shift += len(replacement) - (end - start)
        inside = bisect_left(points, end, upto)
        if inside > upto:
            move(repeat(end + shift, inside - upto))
        done, last = inside, end
    if not kept:
        return text, points
    move(map(shift.__add__, points[done:]))
    kept.append(text[last:])
    return "".join(kept), moved


def _edit_order(edit: Edit) -> tuple[int, bool, int]:
    """Insertions come before replacements at the same place, longer replacements before shorter ones."""
    start, end, _ = edit
    return start, end > start, -end


def _joined_lines(raw: str) -> str:
    """The text with the line breaks within paragraphs made blanks; those after headings and list items stay."""
    kept: list[str] = []
    last = 0
    for found in _SOFT.finditer(raw):
        position = found.start()
        line = raw[last:position]
        is_block = False
        if BLOCK in line or HEADING in line:
            # The line's own beginning is the last break before its end.
            begin = max(line.rfind(BLOCK), line.rfind(HEADING))
            is_block = begin > line.rfind("\n") and begin > line.rfind(BREAK)
        kept += (line, BREAK if is_block else " ")
        last = position + 1
    kept.append(raw[last:])
    return "".join(kept) if last else raw


def _clusters(raw: str) -> list[Edit]:
    """Edits that leave one line break, or two for an empty line, of each cluster of breaks and blanks."""
    head = len(raw) - len(raw.lstrip())
    tail = len(raw.rstrip())
    if tail <= head:
        return [(0, len(raw), "\n")]
    edits: list[Edit] = [(0, head, _last_break(raw, 0, head))] if head != 1 else []
    for start, end in [found.span() for pattern in _CLUSTERS for found in pattern.finditer(raw, head, tail)]:
        while raw[start - 1] in " \t":
            start -= 1
        last = _last_break(raw, start, end)
        is_blank = raw.count("\n", start, end) > 1 or (last != "\n" and "\n" in raw[start:end])
        edits.append((start, end, "\n" + last if is_blank else last))
    if tail < len(raw):
        edits.append((tail, len(raw), ""))
    return edits


def _last_break(raw: str, start: int, end: int) -> str:
    """The last line break of a stretch."""
    for position in range(end - 1, start - 1, -1):
        if raw[position] in "\n\x1d\x1e\x1f":
            return raw[position]
    return "\n"


def _lone_apostrophes(raw: str, places: Sequence[tuple[int, int]]) -> list[Edit]:
    """Insertions of the apostrophe that a line with an odd number of both bold and italic runs keeps.

    MediaWiki's doQuotes reads one run of three as apostrophe and italic: the first after a one-letter word, else
    the first after a longer word, else the first after a blank.
    """
    edits: list[Edit] = []
    first = 0
    while first < len(places):
        end_of_line = _end_of_line(raw, places[first][0])
        last = first
        bold = italic = 0
        while last < len(places) and places[last][0] <= end_of_line:
            bold += places[last][1] != 2
            italic += places[last][1] != 3
            last += 1
        if bold % 2 and italic % 2:
            edits += _one_apostrophe(raw, [offset for offset, length in places[first:last] if length == 3])
        first = last
    return edits


def _one_apostrophe(raw: str, threes: list[int]) -> list[Edit]:
    """The one insertion of a line, at the run of three that MediaWiki picks."""
    after_blank, after_word = -1, -1
    for offset in threes:
        if raw[offset - 1] == " ":
            after_blank = offset if after_blank < 0 else after_blank
        elif raw[offset - 2 : offset - 1] == " ":
            return [(offset, offset, "'")]
        elif after_word < 0:
            after_word = offset
    offset = after_word if after_word >= 0 else after_blank
    return [(offset, offset, "'")] if offset >= 0 else []


def _end_of_line(raw: str, position: int) -> int:
    """Offset of the line break at or after a position."""
    found = _LINE.match(raw, position)
    return found.end() if found else position


def _hatnotes_as_blocks(raw: str, places: Sequence[tuple[int, int]]) -> str:
    """The text with the breaks before paragraphs that are all italic and open the page made block breaks.

    A notice like "For other uses, see ..." in italics is no lead.
    """
    starts: list[int] = []
    for found in _LINE.finditer(raw):
        start, end = found.span()
        if raw[start - 1 : start] == HEADING or len(starts) == _MAX_HATNOTES:
            break
        if raw[start - 1 : start] == BLOCK or not _HAS_WORD.search(raw, start, end):
            continue
        first = bisect_left(places, (start, 0))
        inside = places[first : bisect_right(places, (end, 9), first, min(first + 3, len(places)))]
        if len(inside) != 2 or inside[0] != (start, 2) or inside[1][1] != 2:
            break
        if raw[inside[1][0] : end].strip(" ."):
            break
        starts.append(start)
    for start in starts:
        raw = raw[: start - 1] + BLOCK + raw[start:]
    return raw


def _after_drops(raw: str, offsets: Iterable[int]) -> list[Edit]:
    """Edits that take away what a dropped template leaves behind: empty brackets, double blanks."""
    edits: list[Edit] = []
    for offset in offsets:
        before, after = raw[offset - 1 : offset], raw[offset : offset + 1]
        if before in ("(", "（") or after in (")", "）") or before in _SEPARATORS or after in _SEPARATORS:
            left, right = offset, offset
            while left > 0 and offset - left < _REACH and raw[left - 1] in _SEPARATORS:
                left -= 1
            while right - offset < _REACH and raw[right : right + 1] in (" ", "\t", "\xa0", ",", ";"):
                right += 1
            opens, closes = raw[left - 1 : left] in ("(", "（"), raw[right : right + 1] in (")", "）")
            if opens and closes:
                left -= 1
                edits.append((left - (raw[left - 1 : left] == " "), right + 1, ""))
            elif (opens and right > left) or (closes and left < offset):
                edits.append((left, right, ""))
            elif before == " " and after == " ":
                edits.append((offset, offset + 1, ""))
            elif before == " " and after and after in ",.;:!?":
                edits.append((offset - 1, offset, ""))
    return edits


def lead_span(text: str) -> tuple[int, int]:
    """Start and end of the first prose paragraph, before breaks are made alike; (0, 0) where there is none.

    Headings, list items and what has no letter in it come second: a page without a paragraph has its first list
    item as lead.
    """
    second = (0, 0)
    for found in _LINE.finditer(text):
        start, end = found.span()
        if not _HAS_WORD.search(text, start, end) or _LEFTOVER.match(text, start, end):
            continue
        kind = text[start - 1 : start]
        if kind not in (BLOCK, HEADING):
            return start, end
        if second == (0, 0) and kind == BLOCK:
            second = (start, end)
    return second
