"""Plain bytes of compressed files that only read from their start: gzip, xz and Zstandard.

Whatever a file unpacks to, no more than a mebibyte of it is in memory at once, and the dictionary of its format.
"""

import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import pyarrow as pa

GZIP, XZ, ZSTD = "gzip", "xz", "zstd"
STREAMED = (GZIP, XZ, ZSTD)

_PIECE_BYTES = 1 << 20
_ZSTD_PIECE_BYTES = 1 << 17  # what is unpacked of a piece that is cut off is lost
_GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's way of saying: with gzip's header
_XZ_MEMORY_BYTES = 1 << 30  # `xz -9` needs 65 MiB; a head that asks for more is no dump's
_MAGIC = {GZIP: b"\x1f\x8b", XZ: b"\xfd7zXZ\0"}


class ByteFile(Protocol):
    """A file that is read by position, such as pyarrow's."""

    def size(self) -> int:
        """Its length in bytes."""

    def read_at(self, nbytes: int, offset: int) -> bytes:
        """Up to `nbytes` bytes from `offset` on; fewer at the end of the file."""


class _Decompressor(Protocol):
    """One member of a file, as the standard library's bz2 and lzma read it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """zlib's decompressor in the shape of those of bz2 and lzma."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_GZIP_WINDOW)
        self._is_dry = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._is_dry

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # It says nothing of output that it still holds: a full piece may have more behind it.
        self._is_dry = len(out) < max_length and not self._inner.unconsumed_tail
        return out


class _Sequential(io.RawIOBase):
    """A file that is read by position, as one that is read from its start on."""

    def __init__(self, file: ByteFile) -> None:
        super().__init__()
        self._file, self._size, self.position = file, file.size(), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), self._size - self.position)
        data = self._file.read_at(wanted, self.position) if wanted > 0 else b""
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


def streamed(file: ByteFile, format_name: str) -> Iterator[tuple[bytes, str | None]]:
    """Plain bytes in pieces, of all members, streams or frames; beside them what is wrong right after them.

    Args:
        file: read from its start to its end.
        format_name: one of `STREAMED`.
    """
    if format_name == ZSTD:
        yield from _frames(file)
    elif format_name == XZ:
        yield from _members(file, XZ, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES))
    else:
        yield from _members(file, GZIP, _GzipMember)


def _members(
    file: ByteFile, name: str, begin: Callable[[], _Decompressor]
) -> Iterator[tuple[bytes, str | None]]:
    size, position, given = file.size(), 0, b""
    member = begin()
    while True:
        if not given and member.needs_input and position < size:
            given = file.read_at(min(_PIECE_BYTES, size - position), position)
            position += len(given)
        is_at_end = not given and member.needs_input
        try:
            data = member.decompress(given, _PIECE_BYTES)
        except (zlib.error, lzma.LZMAError) as error:
            yield b"", f"the {name} data before byte {position} is damaged ({error})"
            return
        given = b""
        if data:
            yield data, None
        if member.eof:
            given = member.unused_data.lstrip(b"\0")  # padding between members is allowed
            while len(given) < len(_MAGIC[name]) and position < size:
                more = file.read_at(min(_PIECE_BYTES, size - position), position)
                position += len(more)
                given = (given + more).lstrip(b"\0") if not given else given + more
            if not given.startswith(_MAGIC[name]):  # no member: ignored, as gzip does
                if given and _MAGIC[name].startswith(given):
                    yield b"", _cut_off(name)
                return
            member = begin()
        elif is_at_end and not data:
            yield b"", _cut_off(name)
            return


def _cut_off(name: str) -> str:
    return f"is cut off: it ends inside its {name} data"


def _frames(file: ByteFile) -> Iterator[tuple[bytes, str | None]]:
    raw = _Sequential(file)
    stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), ZSTD)
    while True:
        try:
            data = stream.read(_ZSTD_PIECE_BYTES)
        except OSError as error:
            damaged = f"the zstd data before byte {raw.position} is damaged ({error})"
            yield b"", _cut_off(ZSTD) if "runcated" in str(error) else damaged
            return
        if not data:
            return
        yield data, None
