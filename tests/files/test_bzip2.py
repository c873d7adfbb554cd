import bz2
import random
from itertools import takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from dump.dump_makers import Held
from wikisearch.files import bzip2
from wikisearch.files.bzip2 import BLOCK_MARK, END_MARK, decode_block, decoded_blocks, find_marks


def _noise(seed: int, num_bytes: int) -> bytes:
    return random.Random(seed).randbytes(num_bytes)


def _bits(data: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in data)


def _own(data: bytes, start: int, end: int) -> list:
    """What the split [start, end) owns."""
    return list(takewhile(lambda block: block.byte < end, decoded_blocks(Held(data), start, end)))


@given(st.binary(max_size=40), st.integers(0, 7), st.sampled_from([BLOCK_MARK, END_MARK]), st.binary(max_size=9))
def test_finds_a_mark_at_any_bit(before: bytes, shift: int, mark: int, after: bytes) -> None:
    bits = _bits(before) + "0" * shift + f"{mark:048b}" + _bits(after)
    data = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    found = [(found.bit, found.is_end) for found in find_marks(data)]
    # An oracle that looks at every bit.
    text = _bits(data)
    wanted = [
        (bit, text[bit : bit + 48] == f"{END_MARK:048b}")
        for bit in range(len(text) - 47)
        if text[bit : bit + 48] in (f"{BLOCK_MARK:048b}", f"{END_MARK:048b}")
    ]
    assert found == wanted
    assert (8 * len(before) + shift, mark == END_MARK) in found


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(0, 1), min_size=1, max_size=4), st.integers(3_000, 90_000))
def test_every_block_belongs_to_one_split(seed: int, streams: list[int], split_bytes: int) -> None:
    pieces = [_noise(seed + number, 120_000 * size) for number, size in enumerate(streams)]
    data = b"".join(bz2.compress(piece, 1) for piece in pieces)
    blocks = [
        block for start in range(0, len(data), split_bytes) for block in _own(data, start, start + split_bytes)
    ]
    assert b"".join(block.data for block in blocks) == b"".join(pieces)
    assert [block.fault for block in blocks] == [None] * len(blocks)


def test_one_block_is_decoded_at_any_bit() -> None:
    plain = _noise(1, 500)
    data = bz2.compress(plain)
    first, last = find_marks(data)
    bits = _bits(data)[first.bit : last.bit]
    for shift in range(8):
        moved = "1" * shift + bits + "1" * 16
        moved_bytes = int(moved[: len(moved) // 8 * 8], 2).to_bytes(len(moved) // 8, "big")
        assert decode_block(moved_bytes, shift, shift + len(bits)) == plain
    assert decode_block(data, first.bit, last.bit - 8) is None


def test_what_follows_the_last_stream_and_only_looks_like_a_block_is_left_out() -> None:
    plain = _noise(2, 50_000)
    data = bz2.compress(plain, 1) + BLOCK_MARK.to_bytes(6, "big") + b"garbage that is no block"
    assert b"".join(block.data for block in decoded_blocks(Held(data), 0, len(data))) == plain


def test_a_false_mark_inside_a_block_changes_nothing(monkeypatch) -> None:
    # A mark inside a block has probability 2^-48 for each bit; so the search is made to report some.
    plain = _noise(3, 260_000)
    data = bz2.compress(plain, 1)
    true_marks = bzip2.find_marks(data)
    places = [true_marks[1].bit + 4001, true_marks[1].bit + 9003, true_marks[2].bit + 777]
    real = bzip2.find_marks

    def find(window: bytes) -> list:
        start = 8 * data.find(window)
        false = [bzip2.Mark(bit - start, bit % 2 == 0) for bit in places]
        inside = [mark for mark in false if 0 <= mark.bit <= 8 * len(window) - 48]
        return sorted(real(window) + inside, key=lambda mark: mark.bit)

    monkeypatch.setattr(bzip2, "find_marks", find)
    for split_bytes in (len(data), 50_000, (places[0] // 8), 1_000):
        blocks = [b for start in range(0, len(data), split_bytes) for b in _own(data, start, start + split_bytes)]
        assert b"".join(block.data for block in blocks) == plain, split_bytes
        assert all(block.fault is None for block in blocks)


def test_damage_is_told_with_its_place_whatever_the_splits() -> None:
    plain = _noise(4, 350_000)
    data = bz2.compress(plain, 1)
    marks = find_marks(data)
    middle = (marks[1].byte + marks[2].byte) // 2
    for place in (middle, marks[1].byte + 2, marks[0].byte + 1, 4 + (marks[3].byte + marks[4].byte) // 2):
        damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        for split_bytes in (len(data), 60_000, 5_000):
            blocks = [
                block
                for start in range(0, len(data), split_bytes)
                for block in _own(damaged, start, start + split_bytes)
            ]
            faults = [block.fault for block in blocks if block.fault]
            assert len(faults) == 1, (place, split_bytes, faults)
            assert "byte" in faults[0]
            got = b"".join(block.data for block in blocks)
            assert 0 < len(got) < len(plain)


def test_a_damaged_header_of_a_later_stream_is_told() -> None:
    first, second = bz2.compress(_noise(5, 3000)), bz2.compress(_noise(6, 3000))
    for place in (1, 5):
        damaged = second[:place] + b"?" + second[place + 1 :]
        # A third stream follows: what is between is missing.
        data = first + damaged + bz2.compress(b"end")
        faults = [block.fault for block in decoded_blocks(Held(data), 0, len(data)) if block.fault]
        assert len(faults) == 1
        assert f"byte {len(first)}" in faults[0]


def test_a_file_cut_inside_a_block_gives_the_blocks_before() -> None:
    plain = _noise(7, 250_000)
    data = bz2.compress(plain, 1)
    cut = data[: find_marks(data)[2].byte + 300]
    blocks = list(decoded_blocks(Held(cut), 0, len(cut)))
    assert [block.fault for block in blocks[:2]] == [None, None]
    assert [block.fault for block in blocks[2:]] == [
        f"is cut off: it ends inside the bzip2 block at byte {find_marks(data)[2].byte}"
    ]
    assert plain.startswith(b"".join(block.data for block in blocks))
