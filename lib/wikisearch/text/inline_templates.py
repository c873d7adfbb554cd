"""Closes a template whose words are kept: picks its parameters out of the pieces that were written for it.

Parameters that stay where they stand keep their links; only rules that compute their text, or that turn the order
of parameters round, write it anew.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from wikisearch.text.computed_templates import COMPUTED
from wikisearch.text.templates import InlineRule
from wikisearch.text.wikitext_state import MARK, NAME, NUM_MENTIONS, PIPES, Frame, PageState

# Inside so many templates whose words are kept, further ones are dropped (MediaWiki stops at 100 of any kind).
MAX_INLINE_DEPTH = 20
# Of a template with so many parameters the last ones are dropped.
MAX_PARAMETERS = 1000

_NAMED = re.compile(r"\s*+([\w.\-][\w .\-]{0,39}?)?\s*+=\s*+")


# First and last-plus-one piece of parameters, by name or number.
Spans = dict[str, tuple[int, int]]


class Kept(NamedTuple):
    """A stretch of pieces and the literals around it; a stretch without pieces is a literal alone."""

    first: int
    last: int
    before: str
    after: str


def close_inline(page: PageState, frame: Frame, rule: InlineRule, rest: str, source: str, title: str) -> None:
    """Leaves of a template only the words that its rule keeps.

    Args:
        page: the page so far; `frame` was the innermost open template and is closed already.
        frame: where the template began, and its pipes.
        rule: what is kept.
        rest: what stands after the colon of a parser function; its parameter `0`.
        source: the wikitext.
        title: the page's title.
    """
    spans = _parameters(page, frame, rest, source)
    if rule.computed:
        pieces = page.pieces
        values = {name: "".join(pieces[first:last]) for name, (first, last) in spans.items()}
        values["#"] = frame[NAME].strip()
        page.drop(frame)
        page.pieces.append(COMPUTED[rule.computed](values, title))
        return
    kept = _chosen(page, rule, spans)
    if not kept:
        page.drop(frame)
        return
    if len(kept) > 1 and not _are_in_order(kept):
        text = "".join(p.before + "".join(page.pieces[p.first : p.last]) + p.after for p in kept)
        page.drop(frame)
        page.pieces.append(text)
        return
    _keep_in_place(page, frame, kept)


def _parameters(page: PageState, frame: Frame, rest: str, source: str) -> Spans:
    """First and last-plus-one piece of each parameter, by name or number; names are cut off the pieces."""
    pieces = page.pieces
    spans: Spans = {}
    pipes, mark = frame[PIPES] or [], frame[MARK]
    if rest or not pipes:
        pieces[mark] = rest
        spans["0"] = (mark, pipes[0][0] if pipes else len(pieces))
    number = 0
    ends = [index for index, _ in pipes[1:]] + [len(pieces)] * (0 < len(pipes) < MAX_PARAMETERS)
    for (pipe, position), last in zip(pipes, ends, strict=False):
        first = pipe + 1
        head = pieces[first] if first < last else ""
        named = _NAMED.match(head) if "=" in head and source.startswith(head, position) else None
        if named is not None:
            pieces[first] = head[named.end() :]
            spans[(named[1] or "").lower()] = (first, last)
        else:
            number += 1
            spans[str(number)] = (first, last)
    return spans


def _is_given(page: PageState, span: tuple[int, int]) -> bool:
    """Whether a parameter has anything but white space in it."""
    words = "".join(page.pieces[slice(*span)])
    return words != "" and not words.isspace()


def _is_one_given(page: PageState, spans: Spans, groups: tuple[tuple[str, ...], ...]) -> bool:
    """Whether all parameters of one of these groups are given."""
    return any(all(_is_given(page, spans.get(name, (0, 0))) for name in group) for group in groups)


def _chosen(page: PageState, rule: InlineRule, spans: Spans) -> list[Kept]:
    """What a rule keeps, in its order; nothing where none of its parameters is given."""
    kept: list[Kept] = []
    is_literal, is_any_given = True, False
    for part in rule.parts:
        if not part.names:
            if not part.needs or _is_one_given(page, spans, part.needs):
                kept.append(Kept(-1, -1, part.before, ""))
            continue
        is_literal = False
        for name in part.names:
            first, last = spans.get(name, (0, 0))
            if _is_given(page, (first, last)):
                kept.append(Kept(first, last, part.before, part.after))
                is_any_given = True
                break
    return kept if is_literal or is_any_given else []


def _are_in_order(kept: list[Kept]) -> bool:
    """Whether stretches stand as in the source."""
    return all(a.last <= b.first for a, b in pairwise(part for part in kept if part.last > part.first))


def _keep_in_place(page: PageState, frame: Frame, kept: list[Kept]) -> None:
    """Blanks all pieces of a template but those that are kept, which are in the order of the source.

    A mention of blank pieces has no place in the text, and so stands outside it.
    """
    pieces, mark = page.pieces, frame[MARK]
    cursor = mark
    literal = ""
    for part in kept:
        literal += part.before
        if part.last < 0:
            continue
        pieces[cursor : part.first] = [""] * (part.first - cursor)
        if literal:
            # The piece before a parameter is its pipe, or the template's opening.
            pieces[max(part.first - 1, mark)] = literal
        cursor, literal = part.last, part.after
    page.hide_from(cursor, frame[NUM_MENTIONS])
    del pieces[max(cursor, mark + 1) :]
    if cursor == mark:
        pieces[mark] = ""
    if literal:
        pieces.append(literal)
    while page.quotes and page.quotes[-1][0] > len(pieces):
        page.quotes.pop()
    while page.drops and page.drops[-1] > len(pieces):
        page.drops.pop()
