"""Compressed files that only read from their start."""

import random
import tracemalloc
import zlib

import pytest

from dump.dump_makers import STREAMED, Held, compressed, xz, zstd
from wikisearch.files.streams import streamed

FORMATS = {"gz": "gzip", "xz": "xz", "zst": "zstd"}
_SKIPPED_FRAME = b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"any"


def _read(data: bytes, how: str) -> tuple[bytes, list[str]]:
    pieces = list(streamed(Held(data), FORMATS[how]))
    return b"".join(piece for piece, _ in pieces), [fault for _, fault in pieces if fault]


def _plain(num_bytes: int) -> bytes:
    return random.Random(3).randbytes(num_bytes // 2) * 2


@pytest.mark.parametrize("how", list(STREAMED))
@pytest.mark.parametrize("num_bytes", [0, 1, 2 << 20, (3 << 20) + 1])
def test_all_members_are_read(how: str, num_bytes: int) -> None:
    plain = _plain(num_bytes)
    assert _read(compressed(plain, how), how) == (plain, [])
    assert _read(STREAMED[how](b"") + STREAMED[how](plain) + STREAMED[how](b""), how) == (plain, [])


def test_padding_between_members_and_frames_to_skip() -> None:
    plain = _plain(1000)
    for how in ("gz", "xz"):
        member = STREAMED[how](plain)
        assert _read(member + bytes(8) + member + bytes(4), how) == (plain * 2, [])
        assert _read(member + b"\n-- no member", how) == (plain, [])
    frame = zstd(plain)
    assert _read(_SKIPPED_FRAME + frame + _SKIPPED_FRAME + frame + _SKIPPED_FRAME, "zst") == (plain * 2, [])


@pytest.mark.parametrize("how", list(STREAMED))
def test_a_file_that_is_cut_or_damaged_is_told_after_what_was_whole(how: str) -> None:
    plain = _plain(3 << 20)
    first = STREAMED[how](plain)
    for keep in (3, len(first) // 2, len(first) - 5):
        found, faults = _read(first + first[:keep], how)
        assert (plain * 2).startswith(found)
        assert len(found) >= len(plain)
        assert faults == [f"is cut off: it ends inside its {FORMATS[how]} data"]
    middle = len(first) // 2
    found, faults = _read(first + first[:middle] + b"no such bytes" + first[middle + 13 :], how)
    assert found.startswith(plain)
    assert len(faults) == 1
    assert f"the {FORMATS[how]} data before byte " in faults[0]


def test_an_xz_file_that_asks_for_more_memory_than_a_task_has_is_told() -> None:
    member = xz(b"x")
    block = bytearray(member[12:20])  # the head of the first block; its check sum follows
    block[4] = 39  # how large the dictionary is: 3 GiB
    found, faults = _read(member[:12] + bytes(block) + zlib.crc32(block).to_bytes(4, "little") + member[24:], "xz")
    assert found == b""
    assert "Memory usage limit" in faults[0]


@pytest.mark.parametrize("how", list(STREAMED))
def test_what_unpacks_to_much_is_never_held(how: str) -> None:
    piece = bytes(1 << 20)
    data = STREAMED[how](piece * 200)
    tracemalloc.start()
    num_bytes = sum(len(piece) for piece, _ in streamed(Held(data), FORMATS[how]))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert num_bytes == 200 << 20
    assert most < 16 << 20
