"""Properties of the scanner on any text: it never raises, links stand where it says, and work is linear."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.hostile import CLOSED, FILLED, HOSTILE, MARKUP, MAX_GROWTH, as_wikitext, check, filled, squeezed
from wikisearch.text.markup import apply_edits
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams, scan
from wikisearch.text.wikitext_tokens import Closers, without_comments

SITES = (Site("en", False, {6: "File"}), Site("de", True, {}), Site("zh", False, {}))

PAGES = st.one_of(
    st.lists(st.sampled_from(MARKUP), max_size=40).map("".join),
    st.text(max_size=120),
    st.text(alphabet="[]{}|'<>!-\n=*:a ()&;_/", max_size=120),
)


@settings(max_examples=400)
@given(PAGES, st.sampled_from(SITES))
def test_links_stand_where_they_say_on_any_text(wikitext: str, site: Site) -> None:
    check(scan(wikitext, "Lamp", site))


@given(PAGES)
def test_the_text_is_not_much_longer_than_the_source(wikitext: str) -> None:
    for params in (WikitextParams(), WikitextParams(keep_tables=True, keep_headings=False)):
        assert len(scan(wikitext, "Lamp", SITES[0], params).text) <= MAX_GROWTH * len(wikitext) + 8


@given(PAGES)
def test_plain_text_written_as_wikitext_is_itself_again(wikitext: str) -> None:
    text = scan(wikitext, "Lamp", SITES[0]).text
    assert squeezed(scan(as_wikitext(text), "X", SITES[0]).text) == squeezed(text)


@settings(max_examples=200)
@given(PAGES, st.sampled_from(SITES))
def test_tables_that_are_kept_break_no_rule(wikitext: str, site: Site) -> None:
    check(scan(wikitext, "Lamp", site, WikitextParams(keep_tables=True, keep_headings=False)))


@given(st.lists(st.sampled_from(["Lamp", "oil", "(a)", "b, c", "It.", "«q»", "5", "\n\n"]), max_size=30))
def test_plain_prose_is_its_own_text(words: list[str]) -> None:
    once = scan(" ".join(words), "X", SITES[0]).text
    assert scan(once, "X", SITES[0]).text == once
    assert "".join(once.split()) == "".join("".join(words).split())


@given(PAGES, PAGES)
def test_a_closed_comment_changes_nothing_around_it(before: str, after: str) -> None:
    for page in (before, after):
        if "<!--" in page or "-->" in page or "<" in page:
            return
    assert without_comments(before + "<!--x-->" + "a" + after) == before + "a" + after


@given(
    st.text(alphabet="ab\n", max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.text("xy", max_size=2)), max_size=6),
    st.lists(st.integers(0, 30), max_size=8),
)
def test_points_move_with_the_text_that_follows_them(
    text: str, raw_edits: list[tuple[int, int, str]], raw_points: list[int]
) -> None:
    edits = [(start, min(start + size, len(text)), new) for start, size, new in raw_edits if start <= len(text)]
    points = sorted(point for point in raw_points if point <= len(text))
    new, places = apply_edits(text, edits, points)
    moved = list(places)
    assert len(moved) == len(points)
    assert moved == sorted(moved)
    assert all(0 <= point <= len(new) for point in moved)
    if not edits:
        assert (new, moved) == (text, points)
    for point, place in zip(points, moved, strict=True):
        # What no edit touches after a point stands after it as before, up to the next edit.
        untouched = min([start for start, _, _ in edits if start >= point] + [len(text)])
        if not any(start <= point <= end for start, end, _ in edits):
            assert new[place : place + untouched - point] == text[point:untouched]


@given(st.text(alphabet="</>aA ", max_size=60), st.lists(st.integers(0, 60), max_size=10))
def test_closing_tags_are_found_in_any_order_of_asking(noise: str, positions: list[int]) -> None:
    text = noise.replace("a", "</ref>")
    closers = Closers(text)
    for position in sorted(positions):
        found = closers.after("ref", position)
        place = text.lower().find("</ref>", position)
        spaced = [m for m in (text.find("</ref" + " " * n + ">", position) for n in range(60)) if m >= 0]
        assert (found[0] if found else -1) == min([p for p in (place, *spaced) if p >= 0], default=-1)


def steps(wikitext: str) -> int:
    """Lines of the package's code that run while a page is scanned."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if "wikisearch" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        scan(wikitext, "T", SITES[0])
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("unit", HOSTILE)
def test_steps_grow_with_the_length(unit: str) -> None:
    few, many = steps(unit * 150), steps(unit * 600)
    assert many <= 4.4 * few + 400


@pytest.mark.parametrize(("opening", "closing"), CLOSED)
def test_steps_grow_with_the_depth(opening: str, closing: str) -> None:
    few, many = steps(opening * 150 + closing * 150), steps(opening * 600 + closing * 600)
    assert many <= 4.4 * few + 400


@pytest.mark.parametrize(("opening", "unit", "closing"), FILLED)
def test_steps_grow_with_what_is_inside(opening: str, unit: str, closing: str) -> None:
    few, many = (steps(filled(opening, unit, closing, size)) for size in (1500, 6000))
    assert many <= 4.8 * few + 400


def test_hostile_pages_come_to_an_end() -> None:
    """The engine's own work cannot be counted: were a pattern quadratic, these pages would take hours."""
    for unit in HOSTILE:
        check(scan(unit * (60_000 // len(unit)), "T", SITES[0]))
    for opening, closing in CLOSED:
        check(scan(opening * 3000 + closing * 3000, "T", SITES[0]))
    for opening, unit, closing in FILLED:
        for site in SITES:
            check(scan(filled(opening, unit, closing, 30_000), "T", site))


def test_what_is_never_closed_does_not_hide_the_rest() -> None:
    for unit in ("{{a|", "[[a|", "[[File:a|", "{{nowrap|", "<ref>", "<gallery>", "<nowiki>",
                 "<div style='float:left'>", "<table>"):  # fmt: skip
        article = scan(f"First.\n\n{unit}\n\nSecond [[oil]].\n\nThird.", "T", SITES[0])
        assert "Second oil." in article.text
        assert article.text.endswith("Third.")
        assert [mention.target_title for mention in article.mentions] == ["Oil"]
