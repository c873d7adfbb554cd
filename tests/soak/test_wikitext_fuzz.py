"""Pages of 2 MB that are made to be slow, and twenty minutes of random pages."""

import random
import re
import time
from collections.abc import Iterator

import pytest

from soak.conftest import tell
from text.hostile import CLOSED, FILLED, HOSTILE, MARKUP, MAX_GROWTH, as_wikitext, check, filled, squeezed
from wikisearch.text.sentences import sentences
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams, scan

pytestmark = pytest.mark.soak

NUM_BYTES = 2_000_000
MAX_CPU_SECONDS = 2.0
FUZZ_SECONDS = 20 * 60
SITES = (Site("en", False, {}), Site("de", True, {6: "Datei"}), Site("zh", False, {}), Site("ar", False, {}))
ALL_PARAMS = (WikitextParams(), WikitextParams(keep_tables=True, keep_headings=False))

_TABLE_OR_HEADING = re.compile(r"\n[=|!{]|\{\||<t|^=")


def slow_pages() -> Iterator[tuple[str, str]]:
    """Names and texts of pages of 2 MB."""
    for unit in HOSTILE:
        yield repr(unit), unit * (NUM_BYTES // len(unit.encode()))
    for opening, closing in CLOSED:
        count = NUM_BYTES // len((opening + closing).encode())
        yield f"{opening!r} {closing!r}", opening * count + closing * count
        yield f"{opening!r} {closing!r}, half closed", opening * count + closing * (count // 2)
        yield f"{closing!r} {opening!r}", closing * count + opening * count
    for opening, unit, closing in FILLED:
        yield f"{opening[:30]!r} {unit!r} {closing[:30]!r}", filled(opening, unit, closing, NUM_BYTES)
    yield "links", "".join(f"[[a{number}]] " for number in range(NUM_BYTES // 11))


def params_of(wikitext: str) -> tuple[WikitextParams, ...]:
    """Tables and headings stand in some pages only; others are read alike with all parameters."""
    return ALL_PARAMS if _TABLE_OR_HEADING.search(wikitext) else ALL_PARAMS[:1]


def test_no_page_of_2_mb_takes_more_than_two_seconds() -> None:
    slowest: list[tuple[float, str]] = []
    for name, wikitext in slow_pages():
        for params in params_of(wikitext):
            seconds = cpu_seconds(wikitext, params)
            if seconds > MAX_CPU_SECONDS:
                # The best of three runs: another process on the core counts as ours.
                seconds = min(seconds, *(cpu_seconds(wikitext, params) for _ in range(2)))
            slowest.append((round(seconds, 2), name))
    slowest.sort(reverse=True)
    tell(f"{len(slowest)} pages of 2 MB; slowest: {slowest[:5]}")
    assert [(seconds, name) for seconds, name in slowest if seconds > MAX_CPU_SECONDS] == []


def cpu_seconds(wikitext: str, params: WikitextParams) -> float:
    """Of the scan, or of the sentences if they take longer."""
    before = time.process_time()
    article = scan(wikitext, "T", SITES[2] if "-{" in wikitext else SITES[0], params)
    after = time.process_time()
    assert len(article.text) <= MAX_GROWTH * len(wikitext) + 8
    if params == ALL_PARAMS[0]:
        sentences(article.text, "en")
    return max(after - before, time.process_time() - after)


def random_page(source: random.Random) -> str:
    """Pieces of markup with words between them, some of them again and again."""
    pieces = []
    for _ in range(source.randrange(60)):
        piece = source.choice(MARKUP) if source.random() < 0.9 else chr(source.randrange(1, 0x3000))
        pieces.append(piece * (source.randrange(1, 30) if source.random() < 0.05 else 1))
    return "".join(pieces)


def test_random_pages_for_twenty_minutes() -> None:
    seed = time.time_ns()
    source = random.Random(seed)
    end = time.monotonic() + FUZZ_SECONDS
    count = num_chars = 0
    while time.monotonic() < end:
        wikitext, site = random_page(source), source.choice(SITES)
        for params in ALL_PARAMS:
            article = scan(wikitext, "Lamp", site, params)
            check(article)
            assert len(article.text) <= MAX_GROWTH * len(wikitext) + 8, (seed, wikitext)
        parts = sentences(article.text, site.language)
        assert squeezed("".join(parts)) == squeezed(article.text), (seed, wikitext)
        again = scan(as_wikitext(article.text), "X", site).text
        assert squeezed(again) == squeezed(article.text), (seed, wikitext)
        count += 1
        num_chars += len(wikitext)
    tell(f"{count:,} random pages, {num_chars / 1e6:.1f} million characters, seed {seed}")
    assert count > 1000
