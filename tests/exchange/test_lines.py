"""Lines of many files, plain and packed, by path, pattern and folder."""

import bz2
import gzip
import logging
import lzma
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.exchange import lines as lines_module
from wikisearch.exchange.lines import line_number, read_lines, whole_lines
from wikisearch.files.chunks import Chunk

spark_only = pytest.mark.spark

Values = list[tuple[str, str]]


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKED = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": zstd,
}


def values(lines: DataFrame) -> Values:
    """File and text of all lines in their order."""
    return [(row["file"], row["value"]) for row in lines.orderBy("position").collect()]


@pytest.fixture
def small_splits(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(lines_module, "_SPLIT_BYTES", 30_011)
    settings = {"spark.sql.files.maxPartitionBytes": "50021", "spark.sql.files.openCostInBytes": "0"}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name in settings:
        spark.conf.unset(name)


@spark_only
def test_the_content_says_how_a_file_is_packed(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = "\ufeffone\r\n\r\n  two\tα \nthree\x0b3\rfour"
    wanted = ["one", "", "  two\tα ", "three\x0b3", "four"]
    expected = []
    for suffix, pack in PACKED.items():
        # By the right name, by none, and by the next one's.
        for name in (f"a{suffix}", f"a{suffix}.run", f"b{suffix}{'.gz' if suffix != '.gz' else '.bz2'}"):
            (tmp_path / name).write_bytes(pack(text.encode()))
            expected += [(str(tmp_path / name), line) for line in wanted]
    with caplog.at_level(logging.INFO):
        found = values(read_lines(spark, [str(tmp_path)], "run"))
    assert found == sorted(expected, key=lambda each: each[0])
    assert f"run '{tmp_path / 'b.gz'}': is plain, not gzip as its name says; it is read as such" in caplog.text
    assert f"run '{tmp_path / 'a.zst'}': zstd data cannot be split: one task reads the file" in caplog.text


@spark_only
def test_patterns_folders_and_odd_names(spark: SparkSession, tmp_path: Path) -> None:
    odd = ["a b", "p%20c", "ü+é#1", "_x", "k=v", "q&?", "c[1]", "{d}", "e:f", "back\\slash", "star*"]
    (tmp_path / "_odd" / "k=v").mkdir(parents=True)
    (tmp_path / "_odd" / "k=w").mkdir()
    paths = [str(tmp_path / "_odd" / name) for name in [*odd, "k=v/x", "k=w/x"] if name != "k=v"]
    for path in paths:
        Path(path).write_text(f"of {path}\n", encoding="utf-8")
    assert values(read_lines(spark, paths, "run")) == [(path, f"of {path}") for path in paths]
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    for name in ("b", "a", ".hidden", "_SUCCESS", "deeper/c"):
        (folder / name).write_text(name)
    for name in ("a b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    uri = f"file://{tmp_path}/a%20b.txt"
    found = values(read_lines(spark, [str(tmp_path / "c*"), uri, str(folder), str(folder / "a")], "run"))
    assert found == [
        (str(tmp_path / "c.txt"), "c.txt"),
        (uri, "a b.txt"),
        (str(folder / "a"), "a"),
        (str(folder / "b"), "b"),
    ]


@spark_only
def test_many_small_files(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(60):
        data = f"{number}\nlast of {number}".encode()
        (tmp_path / f"{number:02}").write_bytes(PACKED[".gz"](data) if number % 10 == 7 else data)
    (tmp_path / "60").write_text("")
    lines = read_lines(spark, [str(tmp_path)], "qrels")
    for name in ("33", "37"):
        last = lines.where(F.col("value") == f"last of {name}").collect()[0]
        assert line_number(lines, last["file"], last["position"]) == 2
    found = values(lines)
    assert found == [
        (str(tmp_path / f"{number:02}"), line)
        for number in range(60)
        for line in (str(number), f"last of {number}")
    ]
    assert values(read_lines(spark, [str(tmp_path / "60")], "qrels")) == []


@spark_only
@pytest.mark.usefixtures("small_splits")
def test_splits_cut_no_line_and_keep_the_order(spark: SparkSession, tmp_path: Path) -> None:
    dice = random.Random(5)
    texts = [f"{number} {dice.random()} {'x' * dice.randrange(60)}" for number in range(6000)]
    data = "\n".join(texts).encode()
    third = len(data) // 3
    made = {
        "plain": data,
        "crlf": data.replace(b"\n", b"\r\n"),
        "misnamed.gz": data,
        "one.bz2": bz2.compress(data, 1),
        "many.bz2": b"".join(bz2.compress(data[at : at + 999], 1) for at in range(0, third, 999))
        + bz2.compress(data[(third // 999 + 1) * 999 :], 1),
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    lines = read_lines(spark, [str(tmp_path / name) for name in made], "run")
    assert lines.rdd.getNumPartitions() > 20
    assert values(lines) == [(str(tmp_path / name), text) for name in made for text in texts]
    for name in ("plain", "many.bz2"):
        path = str(tmp_path / name)
        at = lines.where(f"file = '{path}' AND value = '{texts[4321]}'").collect()[0]
        assert line_number(lines, path, at["position"]) == 4322


@given(st.lists(st.sampled_from(["", "a", "bcd", "efghijk"]), max_size=12), st.data(), st.booleans())
def test_splits_of_any_bytes_are_all_lines_once(texts: list[str], data: st.DataObject, has_end: bool) -> None:
    content = ("\n".join(texts) + "\n" * has_end).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=5)))
    size = data.draw(st.integers(1, 4))
    found: list[bytes] = []
    for start, end in pairwise([0, *cuts, len(content)]):
        if end > start:
            ranges = [(at, min(at + size, end), True) for at in range(start, end, size)]
            ranges += [(at, at + size, False) for at in range(end, len(content), size)]
            given_chunks = [Chunk(content[low:high], is_own) for low, high, is_own in ranges]
            for piece in whole_lines(given_chunks, is_first=start == 0):
                found += piece.splitlines()
    assert found == content.splitlines()


@spark_only
@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_damaged_file_fails_and_is_named(spark: SparkSession, tmp_path: Path, suffix: str) -> None:
    dice = random.Random(2)
    packed = PACKED[suffix]("".join(f"{dice.random()}\n" for _ in range(40_000)).encode())
    middle = len(packed) // 2
    faulty = {
        "cut": packed[:middle],
        "short": packed[:-9],
        "damaged": packed[:middle] + b"no such bytes" + packed[middle + 13 :],
    }
    for name, data in faulty.items():
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(data)
        if name == "short" and suffix == ".bz2":
            continue  # only the mark of the end is gone
        with pytest.raises(
            Exception, match=f"InputError: run '{path}': .*(cut off|damaged).*; get the file again"
        ):
            read_lines(spark, [str(path)], "run").count()


@spark_only
def test_what_cannot_be_read(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.run.zip").write_bytes(b"PK\x03\x04\0")
    cases = {
        "none": "run '.*none': no such file",
        "*.run": r"run '.*\*.run': no such file",
        "folder": "run '.*folder': is a folder with no files in it",
        "a.run.zip": r"run '.*a.run.zip': is ZIP, which is not read; convert it: unzip -p a.run.zip \| bzip2",
    }
    for name, message in cases.items():
        with pytest.raises(InputError, match=message):
            read_lines(spark, [str(tmp_path / name)], "run")
