"""Plain bytes of a dump file from the start of a split on, whatever the file is compressed with.

A split is a range of bytes of the file as it lies there. It owns the plain bytes of its range: for plain XML
the range itself, for bzip2 the blocks that start in it, for gzip (which only reads from its start) the whole
file.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from wikisearch.dump.bzip2 import ByteFile, decoded_blocks

PLAIN, BZIP2, GZIP = "xml", "bzip2", "gzip"
_CHUNK_BYTES = 1 << 20
_FIRST_BYTES_AFTER_SPLIT = 1 << 16  # most pages are shorter
_GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's way of saying: with gzip's header


@dataclass(frozen=True)
class Split:
    """A range of bytes of one file that one task reads."""

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
    elif split.format == GZIP:
        yield from _gzip_chunks(file)
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


def _gzip_chunks(file: ByteFile) -> Iterator[Chunk]:
    """All members of a gzip file, in pieces of bounded size; a cut file yields what was whole."""
    size, position, rest = file.size(), 0, b""
    decompressor = zlib.decompressobj(_GZIP_WINDOW)
    while rest or position < size:
        if not rest:
            rest = file.read_at(min(_CHUNK_BYTES, size - position), position)
            position += len(rest)
        if decompressor.eof:
            rest = rest.lstrip(b"\0")  # padding between members is allowed
            if not rest.startswith(b"\x1f"):  # no member: ignored, as gzip does
                return
            decompressor = zlib.decompressobj(_GZIP_WINDOW)
        try:
            data = decompressor.decompress(rest, _CHUNK_BYTES)
        except zlib.error as error:
            yield Chunk(b"", True, f"the gzip data before byte {position} is damaged ({error})")
            return
        rest = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
        if data:
            yield Chunk(data, True)
    while tail := decompressor.decompress(b"", _CHUNK_BYTES):
        yield Chunk(tail, True)
