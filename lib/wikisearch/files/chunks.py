"""Plain bytes of a file from the start of a split on, whatever the file is packed with.

A split is a range of bytes of the file as it lies there. It owns the plain bytes of its range: for a plain
file the range itself, for bzip2 the blocks that start in it. What only reads from its start (gzip, xz,
Zstandard) is one split, the whole file.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wikisearch.files.bzip2 import decoded_blocks
from wikisearch.files.formats import BZIP2
from wikisearch.files.streams import STREAMED, ByteFile, streamed

PLAIN = "plain"
_CHUNK_BYTES = 1 << 20
_FIRST_BYTES_AFTER_SPLIT = 1 << 16  # most pages are shorter


@dataclass(frozen=True)
class Split:
    """A range of bytes of one file that one task reads; a format that is no packing means a plain file."""

    path: str
    format: str
    start: int
    end: int


@dataclass(frozen=True)
class Chunk:
    """Plain bytes in file order; `fault` says what is unreadable right after them."""

    data: bytes
    is_own: bool
    fault: str | None = None


def chunks(file: ByteFile, split: Split) -> Iterator[Chunk]:
    """The plain bytes that a split owns, then, for as long as it is asked, those that follow them."""
    if split.format == BZIP2:
        for block in decoded_blocks(file, split.start, split.end):
            yield Chunk(block.data, block.byte < split.end, block.fault)
    elif split.format in STREAMED:
        for data, fault in streamed(file, split.format):
            yield Chunk(data, True, fault)
    else:
        yield from _plain_chunks(file, split.start, split.end)


def _plain_chunks(file: ByteFile, start: int, end: int) -> Iterator[Chunk]:
    size, position, num_bytes = file.size(), start, _CHUNK_BYTES
    while position < size:
        is_own = position < end
        if position == end:
            num_bytes = _FIRST_BYTES_AFTER_SPLIT
        data = file.read_at(min(num_bytes, (end if is_own else size) - position), position)
        if not data:
            return
        yield Chunk(data, is_own)
        position += len(data)
        num_bytes = min(2 * num_bytes, _CHUNK_BYTES)
