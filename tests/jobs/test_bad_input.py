"""What users get wrong: an exit code, one line that says what to do, and tables that stay as they were."""

import bz2
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from job_commands import SAMPLE, Ended, run_job, run_refresh
from pyspark.sql import SparkSession

from wikisearch.app.store import Entry, Store

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def entries(spark: SparkSession, sample_root: Path) -> list[Entry]:
    return Store(spark, str(sample_root)).entries()


@pytest.fixture
def root(spark: SparkSession, sample_root: Path, entries: list[Entry]) -> Iterator[Path]:
    """A root with a published snapshot; whatever happens, it must stay as it is."""
    files = sorted(sample_root.rglob("*.parquet"))
    yield sample_root
    assert Store(spark, str(sample_root)).entries() == entries
    assert sorted(sample_root.rglob("*.parquet")) == files, "not even unseen versions were written"


def assert_refused(ended: Ended, job: str, *parts: str, code: int = 1) -> None:
    """One line on stderr, from the job, with all these parts."""
    assert ended.code == code, ended.err
    assert ended.out == ""
    assert "Traceback" not in ended.err
    (line,) = ended.err.splitlines()
    assert line.startswith(f"{job}: error: ")
    for part in parts:
        assert part in line


# --- dumps ------------------------------------------------------------------------------------------------


def sample_text() -> str:
    return SAMPLE.read_text(encoding="utf-8")


def cut_bz2() -> bytes:
    """The sample in blocks of 100 kB, without its end."""
    packed = bz2.compress(SAMPLE.read_bytes(), 1)
    return packed[: len(packed) * 3 // 4]


def without_ids(number: int) -> bytes:
    """The sample, whose first pages have no id."""
    return re.sub(r"(<ns>\d+</ns>\n) *<id>\d+</id>\n", r"\1", sample_text(), count=number).encode()


BAD_DUMPS: dict[str, tuple[str, Callable[[], bytes | None], tuple[str, ...]]] = {
    "missing": ("none.xml", lambda: None, ("none.xml': no such file", "--dump")),
    "empty": ("empty.xml", lambda: b"", ("is empty", "download it again")),
    "text": ("notes.txt", lambda: b"Dear reader,\nno dump here.\n", ("no XML: 'Dear reader,", "pages-articles")),
    "html": ("dump.xml", lambda: b"<!DOCTYPE html><html><p>404</p></html>", ("an HTML page", "pages-articles")),
    "bz2 of no dump": ("a.xml", lambda: bz2.compress(b"<rss></rss>"), ("its root is <rss>", "pages-articles")),
    "7-Zip": ("a.xml.7z", lambda: b"7z\xbc\xaf\x27\x1c\0\4", ("is 7-Zip", "7z e -so a.xml.7z | bzip2")),
    "cut bz2": ("cut.xml.bz2", cut_bz2, ("--allow-truncated", "download it again")),
    "cut xml": ("cut.xml", lambda: SAMPLE.read_bytes()[:99_000], ("is cut off", "in the middle of the page")),
    "other wiki": (
        "b.xml", lambda: sample_text().replace("samplewiki", "otherwiki").encode(),
        ("is of otherwiki, but the root holds samplewiki", "--root"),
    ),
    "rejects": ("r.xml", lambda: without_ids(2), ("r.xml", "2 of 89 pages", "no_page_id 2", "--max-reject-share")),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_DUMPS)
def test_bad_dumps_are_refused(root: Path, tmp_path: Path, case: str) -> None:
    name, content, parts = BAD_DUMPS[case]
    dump = tmp_path / name
    data = content()
    if data is not None:
        dump.write_bytes(data)
    ended = run_job("parse_dump", "--root", root, "--snapshot", "next", "--dump", dump, "--publish")
    assert_refused(ended, "parse_dump", *parts)


def test_what_is_whole_of_a_cut_dump_can_be_had(spark: SparkSession, tmp_path: Path) -> None:
    dump, root = tmp_path / "cut.xml.bz2", tmp_path / "root"
    dump.write_bytes(cut_bz2())
    ended = run_job(
        "parse_dump", "--root", root, "--snapshot", "s", "--dump", dump, "--allow-truncated", "--publish"
    )
    assert (ended.code, ended.err) == (0, "")
    store = Store(spark, str(root))
    pages = {row["page_id"] for row in store.read("pages").select("page_id").collect()}
    assert 20 < len(pages) < 89
    assert pages == {1000 + 7 * number for number in range(len(pages))}
    reasons = {row["reason"] for row in store.read("page_rejects").collect()}
    assert "truncated" in reasons


# --- roots and snapshots ----------------------------------------------------------------------------------


def test_a_missing_table_is_named_with_its_job(root: Path) -> None:
    ended = run_job("retrieve", "--root", root, "--snapshot", "next", "--publish")
    assert_refused(ended, "retrieve", "snapshot 'next'", "table 'queries' is missing", "jobs/build_collection.py")


def test_unknown_snapshots_and_roots(root: Path, tmp_path: Path) -> None:
    words = ("--table", "queries", "--output", tmp_path / "q.tsv")
    ended = run_job("export_table", "--root", root, "--snapshot", "20991231", *words)
    assert_refused(ended, "export_table", "no snapshot '20991231'", "it has: 20260101")
    ended = run_job("export_table", "--root", tmp_path / "none", *words)
    assert_refused(ended, "export_table", "no such folder", "refresh.py")
    ended = run_job("export_run", "--root", root, "--system", "bm52", "--output", tmp_path / "run")
    assert_refused(ended, "export_run", "bm52")
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    root = tmp_path / "file" / "root"
    ended = run_job("parse_dump", "--root", root, "--snapshot", "s", "--dump", SAMPLE)
    assert_refused(ended, "parse_dump", f"root {root} cannot be written", "--root")
    ended = run_refresh(root, "s")
    assert_refused(ended, "refresh", f"root {root} cannot be written", "--root")


# --- usage ------------------------------------------------------------------------------------------------


def test_mistakes_in_a_configuration_file_end_a_refresh_before_its_first_step(tmp_path: Path) -> None:
    config, root = tmp_path / "typo.toml", tmp_path / "root"
    for text, parts in {
        "[compute_pagerank]\nmax_iteration = 3\n": ("unknown key 'max_iteration'", "max_iterations"),
        "[compute_pagerank]\nmax_iterations = '3'\n": ("max_iterations must be int, found '3'",),
        "[pagerank]\nmax_iterations = 3\n": ("[pagerank] is no job's section", "compute_pagerank"),
        "[compute_pagerank\n": ("is no TOML",),
        "[build_collection]\nmin_words = 0\n": ("min_words must be at least 1, found 0",),
    }.items():
        config.write_text(text, encoding="utf-8")
        assert_refused(run_refresh(root, "next", "--config", config), "refresh", *parts, code=2)
    ended = run_refresh(root, "next", "--config", tmp_path / "none.toml")
    assert_refused(ended, "refresh", "none.toml: cannot be read", code=2)
    assert not root.exists()


@pytest.mark.parametrize(
    ("job", "words", "part"),
    [
        ("compute_pagerank", ("--max-iterations", "0"), "max_iterations must be at least 1, found 0"),
        ("compute_pagerank", ("--max-iterations", "5", "--tolerance", "0.1"), "give one of them"),
        ("build_collection", ("--test-share", "1.5"), "test_share must be between 0 and 1, found 1.5"),
        ("retrieve", ("--system", "bm52"), "system is 'bm52'"),
        ("evaluate_runs", ("--measures", "nDGC@10"), "nDGC@10"),
        ("parse_dump", ("--dump", SAMPLE, "--limit", "0"), "--limit 0: must be at least 1"),
        ("parse_dump", (), "--dump: required"),
    ],
)
def test_values_out_of_range(tmp_path: Path, job: str, words: tuple[object, ...], part: str) -> None:
    root = tmp_path / "root"
    ended = run_job(job, "--root", root, "--snapshot", "s", *words)
    assert_refused(ended, job, part, code=2)
    assert not root.exists()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--snapshot", "s", "--max-iteration", "5"), "unrecognized arguments: --max-iteration"),
        (("--snapshot", "s", "--max-iterations", "five"), "invalid int value: 'five'"),
        ((), "the following arguments are required: --snapshot"),
    ],
)
def test_wrong_flags(tmp_path: Path, words: tuple[str, ...], part: str) -> None:
    root = tmp_path / "root"
    ended = run_job("compute_pagerank", "--root", root, *words)
    assert not root.exists()
    assert (ended.code, ended.out) == (2, "")
    # argparse puts the usage before its line.
    last = ended.err.splitlines()[-1]
    assert last.startswith("compute_pagerank.py: error: ")
    assert part in last
