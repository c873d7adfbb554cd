"""Reads bzip2 block by block from any byte of a file, so that one file can be read by many tasks.

A bzip2 file is one or more streams: the header `BZh1`…`BZh9`, blocks, an end mark of 48 bits, a check sum of 32
bits, zero bits up to the next byte. Each block starts with a mark of 48 bits and a check sum of 32 bits, at any
bit of a byte (Seward, bzip2 1.0.8; format: Tsai, "BZIP2 format specification", 2016). A block is decoded
alone by moving it to a byte boundary and giving it a header and an end of its own, which the C library takes.

What only looks like a mark (one in 2^48 bits) is found out by the block's check sum: a block that does not
decode is joined with what follows; at the first mark of a split, the blocks before it decide.
"""

import bz2
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wikisearch.files.streams import ByteFile

BLOCK_MARK = 0x314159265359  # pi
END_MARK = 0x177245385090  # its square root
MARK_BITS = 48
CHECKSUM_BITS = 32
MAX_BLOCK_BYTES = 1 << 20  # 900 kB and the 1 % by which data that cannot be compressed grows
WINDOW_BYTES = 4 << 20
_MARGIN = 8  # a mark at any bit lies in 7 bytes


@dataclass(frozen=True)
class Mark:
    """Where a block starts or a stream ends, in bits from the start of the file."""

    bit: int
    is_end: bool

    @property
    def byte(self) -> int:
        """The byte that its first bit lies in."""
        return self.bit // 8


@dataclass(frozen=True)
class Block:
    """One decoded block; `fault` says what is unreadable at `byte` or right after it."""

    byte: int
    data: bytes
    fault: str | None = None


def _mark_pairs() -> dict[int, tuple[int, int]]:
    """Pairs of bytes (as little-endian uint16) of marks: how far from the mark's first byte, and its first bit.

    Seven bytes hold a mark at any bit; bytes 1 to 5 of these are covered by it whatever the bit, so one of
    the pairs at 1 and 2 starts at an even place of the file.
    """
    pairs = {}
    for mark in (BLOCK_MARK, END_MARK):
        for shift in range(8):
            shifted = (mark << (8 - shift)).to_bytes(7, "big")
            for place in (1, 2):
                pairs[int.from_bytes(shifted[place : place + 2], "little")] = place, shift
    return pairs


_PAIRS = _mark_pairs()
_IS_PAIR: NDArray[np.bool_] = np.isin(np.arange(1 << 16), list(_PAIRS))


def find_marks(data: bytes) -> list[Mark]:
    """All marks that lie wholly in the bytes, in order; bits count from the first byte.

    Every second pair of bytes is looked up in a table (2 ns for each byte, a tenth of `bytes.find` for 16
    patterns), and the few that may belong to a mark are compared bit by bit.
    """
    pairs = np.frombuffer(data, dtype="<u2", count=len(data) // 2)
    marks = []
    for index in np.flatnonzero(_IS_PAIR[pairs]).tolist():
        place, shift = _PAIRS[int(pairs[index])]
        first = 2 * index - place
        window = data[first : first + 7] if first >= 0 else b""
        rest = 8 * len(window) - shift - MARK_BITS
        if rest >= 0:
            value = (int.from_bytes(window, "big") >> rest) & ((1 << MARK_BITS) - 1)
            if value in (BLOCK_MARK, END_MARK):
                marks.append(Mark(8 * first + shift, value == END_MARK))
    return marks


def decode_block(data: bytes, first_bit: int, last_bit: int) -> bytes | None:
    """The decoded bytes of one block, or None if these bits are no whole block.

    Args:
        data: bytes that contain the block.
        first_bit: first bit of its mark.
        last_bit: first bit after it.
    """
    num_bits = last_bit - first_bit
    if num_bits < MARK_BITS + CHECKSUM_BITS:
        return None
    shift = first_bit % 8
    raw = np.frombuffer(data[first_bit // 8 : (last_bit + 7) // 8], dtype=np.uint8)
    if shift:
        following = np.append(raw[1:], np.uint8(0))
        aligned = ((raw << np.uint8(shift)) | (following >> np.uint8(8 - shift))).tobytes()
    else:
        aligned = raw.tobytes()
    checksum = aligned[MARK_BITS // 8 : (MARK_BITS + CHECKSUM_BITS) // 8]
    # The check sum of a stream of one block is that of the block.
    whole, spare_bits = divmod(num_bits, 8)
    spare = aligned[whole] >> (8 - spare_bits) if spare_bits else 0
    end = (spare << 80) | (END_MARK << 32) | int.from_bytes(checksum, "big")
    padding = -(spare_bits + 80) % 8
    tail = (end << padding).to_bytes((spare_bits + 80 + padding) // 8, "big")
    decompressor = bz2.BZ2Decompressor()
    try:
        decoded = decompressor.decompress(b"BZh9" + aligned[:whole] + tail)
    except OSError:
        return None
    return decoded if decompressor.eof else None


class _Window:
    """The part of a file that is in memory, with its marks; it moves forward only."""

    def __init__(self, file: ByteFile, start: int, first_bytes: int) -> None:
        self._file = file
        self._size = file.size()
        self._next_bytes = min(first_bytes, WINDOW_BYTES)
        self._base = start  # place of data[0] in the file
        self._data = b""
        self._marks: list[Mark] = []
        self._forgotten = -1  # bit of the last mark that was dropped: the overlap may show it again

    @property
    def is_at_end(self) -> bool:
        """Whether the file has been read to its end."""
        return self._base + len(self._data) >= self._size

    def mark(self, index: int) -> Mark | None:
        """The mark of this number among those in memory, reading on as needed.

        None where the file ends before, or where it lies farther from mark 0 than a block is long.
        """
        while index >= len(self._marks):
            known = self._base + len(self._data)
            if self.is_at_end or (self._marks and known - self._marks[0].byte > MAX_BLOCK_BYTES + _MARGIN):
                return None
            self._read_on()
        return self._marks[index]

    def _read_on(self) -> None:
        known = self._base + len(self._data)
        keep_from = self._marks[0].byte if self._marks else max(self._base, known - _MARGIN)
        more = self._file.read_at(min(self._next_bytes, self._size - known), known)
        if not more:
            raise OSError(f"the file ended at byte {known}, before its {self._size} bytes")
        self._next_bytes = WINDOW_BYTES
        self._data = self._data[keep_from - self._base :]
        self._base = keep_from
        overlap = min(len(self._data), _MARGIN)
        origin = 8 * (known - overlap)
        last = self._marks[-1].bit if self._marks else self._forgotten
        for mark in find_marks(self._data[len(self._data) - overlap :] + more):
            if origin + mark.bit > last:
                self._marks.append(Mark(origin + mark.bit, mark.is_end))
        self._data += more

    def drop(self, num_marks: int) -> None:
        """Forgets the first marks; the bytes before the next one go when more are read."""
        self._forgotten = self._marks[num_marks - 1].bit
        del self._marks[:num_marks]

    def decode(self, first: Mark, last: Mark) -> bytes | None:
        """The block between two marks."""
        return decode_block(self._data, first.bit - 8 * self._base, last.bit - 8 * self._base)


def decoded_blocks(file: ByteFile, start: int, end: int) -> Iterator[Block]:
    """The file's blocks from the first one that starts at or after byte `start` on, to the end of the file.

    It reads as far as it is asked, so a caller that has enough stops iterating. A file that ends inside a
    block yields the blocks before it, then what is wrong.

    Args:
        file: a bzip2 file of one or many streams.
        start: where the split starts; blocks that start before belong to the split before.
        end: where the split ends: a hint of how much to read at once (blocks after `end` come too).
    """
    window = _Window(file, start, end - start + MAX_BLOCK_BYTES // 4)
    fault = _fault_at_head(window) if start == 0 else None
    if fault is not None:
        yield Block(start, b"", fault)
    may_be_inside = start > 0
    while (mark := window.mark(0)) is not None:
        if mark.is_end:
            window.drop(1)
            continue
        num_marks, data = _join(window)
        if num_marks == 0:
            yield Block(mark.byte, b"", f"is cut off: it ends inside the bzip2 block at byte {mark.byte}")
            return
        if data is not None:
            after = window.mark(num_marks)
            fault = _fault_after_stream(file, window, num_marks) if after and after.is_end else None
            may_be_inside = False
            yield Block(mark.byte, data, fault)
        elif not (may_be_inside and _is_inside_block(file, mark)):
            yield Block(mark.byte, b"", f"the bzip2 block at byte {mark.byte} is damaged")
        window.drop(num_marks)


def _join(window: _Window) -> tuple[int, bytes | None]:
    """The block at the window's first mark: how many marks it takes, and its bytes, None if it is damaged.

    Zero marks: the file ends before the block does.
    """
    first = window.mark(0)
    assert first is not None
    num_marks = 1
    while (last := window.mark(num_marks)) is not None and last.byte - first.byte <= MAX_BLOCK_BYTES:
        data = window.decode(first, last)
        if data is not None:
            return num_marks, data
        num_marks += 1
    return (0 if num_marks == 1 and last is None and window.is_at_end else 1), None


def _is_inside_block(file: ByteFile, mark: Mark) -> bool:
    """Whether a mark at which no block starts lies inside a block that starts before it."""
    window = _Window(file, max(0, mark.byte - MAX_BLOCK_BYTES), 2 * MAX_BLOCK_BYTES)
    while (first := window.mark(0)) is not None and first.bit < mark.bit:
        num_marks, data = (1, None) if first.is_end else _join(window)
        last = window.mark(num_marks)
        if data is not None and last is not None and last.bit > mark.bit:
            return True
        window.drop(max(num_marks, 1))
    return False


def _fault_at_head(window: _Window) -> str | None:
    """What is wrong where the first block of the file should start."""
    first = window.mark(0)
    if first is None or first.bit == 32:
        return None
    return f"the bzip2 block at byte 4 is damaged: the first whole one starts at byte {first.byte}"


def _fault_after_stream(file: ByteFile, window: _Window, index: int) -> str | None:
    """What is wrong between the end of a stream (the window's mark `index`) and the next block."""
    end, following = window.mark(index), window.mark(index + 1)
    assert end is not None
    stop = (end.bit + MARK_BITS + CHECKSUM_BITS + 7) // 8
    header = file.read_at(4, stop)
    if following is None:  # bytes after the last stream that are no stream are ignored, as bzip2 does
        is_stream = header[:3] == b"BZh"
        return f"the bzip2 stream at byte {stop} is damaged" if is_stream else None
    if following.bit == 8 * (stop + 4) and header[:3] == b"BZh":
        return None
    return f"the bzip2 stream at byte {stop} is damaged: the next whole block starts at byte {following.byte}"
