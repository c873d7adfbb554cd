import itertools

from dump_makers import Held, compressed, dump, page, random_pages, revision
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisearch.dump.cut import CORRUPT, TOO_LARGE, TRUNCATED, Cutter
from wikisearch.files.chunks import BZIP2, PLAIN, Chunk, Split, chunks


def _cut(pieces: list[bytes], num_own: int, max_page_bytes: int = 1 << 20) -> tuple[list, Cutter]:
    """Cuts of a split that owns the first bytes of what follows, handed over in pieces."""
    cutter, done, given_chunks = Cutter(max_page_bytes), 0, []
    for piece in pieces:
        own = max(0, min(len(piece), num_own - done))
        given_chunks += [
            Chunk(part, is_own) for part, is_own in ((piece[:own], True), (piece[own:], False)) if part
        ]
        done += len(piece)
    return [(cut.data, cut.reason) for cut in cutter.cuts(given_chunks)], cutter


_TOKENS = st.sampled_from(
    [
        b"<page>",
        b"</page>",
        b"<page >",
        b"</page\n >",
        b"<pages>",
        b"<pag",
        b"a&lt;page>",
        b"x",
        b"<mediawiki>",
        b"</mediawiki>",
        b"\n",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(_TOKENS, max_size=14),
    st.lists(st.integers(0, 120), max_size=5),
    st.lists(st.integers(1, 9), min_size=1),
)
def test_the_splits_do_not_change_what_comes_out(tokens: list[bytes], bounds: list[int], sizes: list[int]) -> None:
    data = b"".join(tokens)
    whole, counted = _cut([data], len(data))
    edges = sorted({0, len(data), *(bound for bound in bounds if bound < len(data))})
    found, num_starts, num_open = [], 0, 0
    for start, end in itertools.pairwise(edges):
        pieces, place, number = [], start, 0
        while place < len(data):
            size = sizes[number % len(sizes)]
            pieces.append(data[place : place + size])
            place, number = place + size, number + 1
        cuts, cutter = _cut(pieces, end - start)
        found += cuts
        num_starts += cutter.num_page_starts
        num_open += cutter.num_open_roots
    assert found == whole
    assert (num_starts, num_open) == (counted.num_page_starts, counted.num_open_roots)
    assert num_starts == len(whole)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 99), st.sampled_from(["xml", "bz2", "multistream"]), st.lists(st.floats(0, 1), max_size=6))
def test_each_page_once_for_any_bounds_of_splits(seed: int, how: str, cuts: list[float]) -> None:
    pages = random_pages(seed, 25, long_words=20_000)
    data = compressed(dump(*pages), how)
    edges = sorted({0, len(data), *(int(cut * len(data)) for cut in cuts)})
    found = []
    for start, end in itertools.pairwise(edges):
        split = Split("held", PLAIN if how == "xml" else BZIP2, start, end)
        found += [cut.data for cut in Cutter(1 << 20).cuts(chunks(Held(data), split))]
    assert found == [text.strip().encode() for text in pages]


def test_tags_with_attributes_and_white_space() -> None:
    data = b'<page id="1">a</page ><page\n>b</page\n><pagelike>c</pagelike>'
    cuts, cutter = _cut([data], len(data))
    assert cuts == [(b'<page id="1">a</page >', None), (b"<page\n>b</page\n>", None)]
    assert cutter.num_page_starts == 2


def test_a_page_without_end_is_truncated() -> None:
    data = b"<page>one<page>two</page><page>three</mediawiki>"
    cuts, cutter = _cut([data], len(data))
    assert cuts == [(b"<page>one", TRUNCATED), (b"<page>two</page>", None), (b"<page>three", TRUNCATED)]
    assert cutter.num_open_roots == -1


def test_memory_stays_bounded_by_the_longest_page() -> None:
    long = page(1, "Long", revision("x" * 50_000)).encode()
    short = page(2, "Short", revision("y")).encode()
    data = long + short
    for size in (100, 1000, len(data)):
        cutter, most = Cutter(3000), 0
        found = []
        for cut in cutter.cuts(Chunk(data[at : at + size], True) for at in range(0, len(data), size)):
            found.append((cut.reason, len(cut.data)))
            most = max(most, len(cutter._buffer))
        assert [reason for reason, _ in found] == [TOO_LARGE, None], size
        assert found[0][1] <= 4096
        assert most <= 3000 + size


def test_a_fault_breaks_off_the_open_page_and_is_told_by_its_owner() -> None:
    cutter = Cutter(1000)
    given_chunks = [Chunk(b"<page>a", True, "damaged at byte 9"), Chunk(b"b</page><page>c</page>", True)]
    assert [(cut.data, cut.reason) for cut in cutter.cuts(given_chunks)] == [
        (b"<page>a", TRUNCATED),
        (b"damaged at byte 9", CORRUPT),
        (b"<page>c</page>", None),
    ]
    foreign = [Chunk(b"<page>a", True), Chunk(b"", False, "damaged at byte 9"), Chunk(b"</page>", False)]
    assert [(cut.data, cut.reason) for cut in Cutter(1000).cuts(foreign)] == [(b"<page>a", TRUNCATED)]


def test_tags_in_sections_are_none() -> None:
    hidden = "<![CDATA[</page><page>]]><!-- <page> ]]> </page> -->"
    data = f"<!-- <page> --><page>a{hidden}</page>{hidden}<page>b</page><![CDATA[</mediawiki>]]>".encode()
    wanted = [(f"<page>a{hidden}</page>".encode(), None), (b"<page>b</page>", None)]
    for size in (1, 2, 5, len(data)):
        cuts, cutter = _cut([data[at : at + size] for at in range(0, len(data), size)], len(data))
        assert cuts == wanted, size
        assert (cutter.num_page_starts, cutter.num_open_roots) == (2, 0)


def test_a_section_without_end_is_told() -> None:
    cuts, _ = _cut([b"<page>a</page><!-- <page>b</page>"], 100)
    assert cuts == [(b"<page>a</page>", None), (b"a section that --> should end does not end", CORRUPT)]
    assert _cut([b"<page>a<![CDATA[ </page>"], 100)[0] == [(b"<page>a<![CDATA[ </page>", TRUNCATED)]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=30), st.integers(1, 700), st.integers(100, 600))
def test_the_pieces_of_a_page_do_not_depend_on_the_chunks(
    sizes: list[int], chunk_bytes: int, max_page_bytes: int
) -> None:
    revisions = [b"<revision>" + b"r" * size + b"</revision>" for size in sizes]
    data = b"<page>" + b"".join(revisions) + b"</page><page>next</page>"
    longest = max(len(revisions[0]) + len(b"<page>"), *map(len, revisions))
    cutter, found, most = Cutter(max_page_bytes), [b""], 0
    reasons = []
    for cut in cutter.cuts(Chunk(data[at : at + chunk_bytes], True) for at in range(0, len(data), chunk_bytes)):
        most = max(most, len(cutter._buffer))
        if cut.reason is None:
            found[-1] += cut.data
        if not cut.is_part:
            reasons.append(cut.reason)
            found.append(b"")
    is_long = longest > max_page_bytes
    assert reasons == [TOO_LARGE if is_long else None, None]
    assert found[1] == b"<page>next</page>"
    if not is_long:
        assert found[0] == data.removesuffix(found[1])
    assert most <= max_page_bytes + chunk_bytes
