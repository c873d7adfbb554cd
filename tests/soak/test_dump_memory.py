"""Dumps that are made to eat memory: with 4 GB of heap they end as a result, a reject or one clear line."""

import bz2
import gzip
import io
import lzma
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import psutil
import pyarrow as pa
import pytest

from dump.dump_makers import head, page, revision
from submit.conftest import REPOSITORY, environment

from .conftest import LOCAL_CONF, tell

pytestmark = pytest.mark.soak

HEAP = "4g"
MAX_WORKER_BYTES = 2 << 30
MEBIBYTE = 1 << 20
NUM_SMALL = 300  # pages around the large one: one reject among them is below the default max_reject_share
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


class Ended(NamedTuple):
    code: int
    told: str
    seconds: float
    worker_bytes: int


def run_job(job: str, *words: object) -> Ended:
    """One spark-submit of a job, watched: the largest that a Python process under it ever was comes back."""
    command = ["spark-submit", "--properties-file", str(LOCAL_CONF), "--driver-memory", HEAP, f"jobs/{job}.py"]
    started, most = time.monotonic(), 0
    process = subprocess.Popen(
        [*command, *map(str, words)],
        cwd=REPOSITORY, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    # spark-submit sends a Python job's stderr to its own stdout.
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()))
    reader.start()
    while process.poll() is None:
        most = max([most, *_python_peaks(process.pid)])
        time.sleep(0.2)
    reader.join()
    return Ended(process.returncode, "".join(lines), time.monotonic() - started, most)


def _python_peaks(pid: int) -> Iterator[int]:
    """High-water marks of the Python processes below one."""
    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return
    for child in children:
        try:
            if "python" in child.name():
                found = _PEAK.search(Path(f"/proc/{child.pid}/status").read_text())
                yield int(found[1]) * 1024 if found else 0
        except (psutil.NoSuchProcess, OSError):
            continue


# --- dumps that are written as streams --------------------------------------------------------------------


@contextmanager
def zstd_open(path: Path) -> Iterator[Any]:
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as stream:
        yield stream


def opened(path: Path, how: str) -> Any:
    """The file to be written, compressed."""
    if how == "zst":
        return zstd_open(path)
    if how == "xz":
        return lzma.open(path, "wb", preset=0)
    if how == "gz":
        return gzip.open(path, "wb", 1)
    return bz2.open(path, "wb") if how == "bz2" else path.open("wb")


def small_pages(first: int) -> bytes:
    return "".join(
        page(n, f"Lamp {n}", revision(f"a lamp [[lamp {n + 1}]]")) for n in range(first, first + NUM_SMALL)
    ).encode()


def write_large_page(stream: IO[bytes], num_mebibytes: int, word: bytes) -> None:
    """A dump with one page of that size between small ones."""
    stream.write(head().encode() + small_pages(1))
    stream.write(b"<page><title>Very long</title><ns>0</ns><id>999999</id><revision><id>5</id><text>")
    piece = (word * (MEBIBYTE // len(word) + 1))[:MEBIBYTE]
    for _ in range(num_mebibytes):
        stream.write(piece)
    stream.write(b"</text></revision></page>" + small_pages(1_000_000) + b"</mediawiki>")


def write_tiny_pages(stream: IO[bytes], num_pages: int) -> None:
    stream.write(head().encode())
    for start in range(0, num_pages, 10_000):
        out = io.StringIO()
        for n in range(start + 1, start + 10_001):
            out.write(
                f"<page><title>L{n}</title><ns>0</ns><id>{n}</id><revision><id>{n}</id><text>x</text></revision></page>\n"
            )
        stream.write(out.getvalue().encode())
    stream.write(b"</mediawiki>")


# --- what becomes of them ---------------------------------------------------------------------------------


def parse(dump: Path, root: Path, *more: object) -> Ended:
    return run_job("parse_dump", "--root", root, "--snapshot", "s", "--dump", dump, "--publish", *more)


@pytest.mark.parametrize(
    ("how", "num_mebibytes"),
    [("xml", 400), ("bz2", 400), ("bz2", 1024), ("gz", 1024), ("xz", 1024), ("zst", 1024)],
)
def test_a_page_above_the_bound_is_a_reject(tmp_path: Path, how: str, num_mebibytes: int) -> None:
    dump = tmp_path / f"large.xml.{how}"
    with opened(dump, how) as stream:
        write_large_page(stream, num_mebibytes, b"lamp and oil; ")
    ended = parse(dump, tmp_path / "root")
    tell(f"{how}, a page of {num_mebibytes} MiB, {dump.stat().st_size:,} bytes: {ended.seconds:.0f} s, "
         f"largest Python {ended.worker_bytes / MEBIBYTE:.0f} MiB")  # fmt: skip
    assert ended.code == 0, ended.told
    assert f"pages: {2 * NUM_SMALL} rows" in ended.told
    assert "page_rejects: 1 rows" in ended.told
    assert "{'too_large': 1}" in ended.told
    assert ended.worker_bytes < MAX_WORKER_BYTES


def test_a_dump_of_one_page_above_the_bound_is_one_line(tmp_path: Path) -> None:
    dump = tmp_path / "bomb.xml.bz2"
    with bz2.open(dump, "wb") as stream:
        stream.write(head().encode() + b"<page><title>Bomb</title><id>1</id><revision><id>1</id><text>")
        for _ in range(1024):
            stream.write(b" " * MEBIBYTE)
        stream.write(b"</text></revision></page></mediawiki>")
    assert dump.stat().st_size < 10_000
    ended = parse(dump, tmp_path / "root")
    tell(f"a bz2 bomb of {dump.stat().st_size:,} bytes that is one page of 1 GiB: {ended.seconds:.0f} s, "
         f"largest Python {ended.worker_bytes / MEBIBYTE:.0f} MiB")  # fmt: skip
    assert ended.code == 1
    (line,) = [line for line in ended.told.splitlines() if ": error: " in line]
    assert line == f"parse_dump: error: dump '{dump}': holds no page that can be read (1 rejects)"
    assert "Traceback" not in ended.told
    assert ended.worker_bytes < MAX_WORKER_BYTES


def test_a_page_just_below_the_bound_is_an_article(tmp_path: Path) -> None:
    dump, root = tmp_path / "large.xml", tmp_path / "root"
    with dump.open("wb") as stream:
        write_large_page(stream, 60, b"lamp [[oil]] and ")  # 3.7 million links
    ended = parse(dump, root)
    assert ended.code == 0, ended.told
    assert f"pages: {2 * NUM_SMALL + 1} rows" in ended.told
    extracted = run_job("extract_articles", "--root", root, "--snapshot", "s", "--publish")
    tell(f"a page of 60 MiB: {ended.seconds:.0f} s and {extracted.seconds:.0f} s, largest Python "
         f"{max(ended.worker_bytes, extracted.worker_bytes) / MEBIBYTE:.0f} MiB")  # fmt: skip
    assert extracted.code == 0, extracted.told
    assert f"articles: {2 * NUM_SMALL + 1} rows" in extracted.told
    assert max(ended.worker_bytes, extracted.worker_bytes) < MAX_WORKER_BYTES


def test_ten_million_tiny_pages_are_a_result(tmp_path: Path) -> None:
    dump, num_pages = tmp_path / "tiny.xml", 10_000_000
    with dump.open("wb") as stream:
        write_tiny_pages(stream, num_pages)
    ended = parse(dump, tmp_path / "root")
    tell(f"{num_pages:,} tiny pages, {dump.stat().st_size:,} bytes: {ended.seconds:.0f} s, "
         f"largest Python {ended.worker_bytes / MEBIBYTE:.0f} MiB")  # fmt: skip
    assert ended.code == 0, ended.told
    assert f"pages: {num_pages:,} rows" in ended.told
    assert ended.worker_bytes < MAX_WORKER_BYTES
