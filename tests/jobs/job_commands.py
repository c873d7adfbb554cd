"""Running jobs and refreshes in this process, as commands: arguments in; exit code, stdout and stderr out."""

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from wikisearch.app import refresh
from wikisearch.app.plan import load_job

REPOSITORY = Path(__file__).resolve().parents[2]
JOBS = REPOSITORY / "jobs"
SAMPLE = REPOSITORY / "tests/sample/samplewiki-20260101-pages-articles.xml"
SNAPSHOT = "20260101"
STEP_TABLES = {
    "parse_dump": ("sites", "pages", "page_rejects"),
    "extract_articles": ("articles",),
    "resolve_links": ("redirects", "links", "missing_links"),
    "compute_pagerank": ("pagerank",),
    "build_collection": ("documents", "queries", "qrels"),
    "build_index": ("postings", "lexicon", "doc_stats", "corpus_stats"),
    "retrieve": ("runs",),
    "evaluate_runs": ("query_metrics", "metrics"),
    "compare_systems": ("comparisons",),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def states(self) -> dict[str, str]:
        """done or fresh by step, from a refresh's table of steps."""
        words = [line.split() for line in self.out.splitlines()]
        return {line[0]: line[1] for line in words if len(line) > 2 and line[1] in ("done", "fresh", "failed")}


def _ended(work: Callable[[], int]) -> Ended:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = work()
    return Ended(code, out.getvalue(), err.getvalue())


def run_job(name: str, *words: object) -> Ended:
    """Runs a job file's `JOB`."""
    return _ended(lambda: load_job(JOBS, name).main([str(word) for word in words]))


def run_refresh(root: object, snapshot: str, *words: object, dump: Path = SAMPLE) -> Ended:
    """Runs the refresh of a dump with all steps in this process."""
    given = ("--root", root, "--snapshot", snapshot, "--dump", dump, "--in-process", *words)
    return _ended(lambda: refresh.main([str(word) for word in given], JOBS, None))


@contextlib.contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Settings of the session for the time of a block."""
    before = {name: spark.conf.get(name, None) for name in values}
    for name, value in values.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)
