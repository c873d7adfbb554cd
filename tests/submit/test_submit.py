"""The jobs as users start them: real spark-submit processes, in local mode and on a cluster."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tables import assert_same_tables
from wikisearch.app.store import Store

from .conftest import REPOSITORY, SAMPLE, submit

pytestmark = pytest.mark.submit

LOCAL = ("--properties-file", "conf/spark/local.conf", "--driver-memory", "2g")
REFRESH = ("jobs/refresh.py", "--snapshot", "20260101", "--dump", str(SAMPLE))
ZIP = ("--py-files", "dist/wikisearch.zip")


@pytest.fixture(scope="module")
def local_root(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A root made by one spark-submit a step."""
    root = str(tmp_path_factory.mktemp("local") / "root")
    conf = Path(root).parent / "local.conf"
    text = (REPOSITORY / "conf/spark/local.conf").read_text(encoding="utf-8")
    conf.write_text(text.replace("6g", "2g"), encoding="utf-8")
    ended = submit(*LOCAL, *REFRESH, "--root", root, "--spark-conf", str(conf))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "published: 10 steps done, 0 fresh" in ended.stdout
    return root


def test_local_mode_a_process_a_step(local_root: str) -> None:
    logs = Path(local_root) / "logs" / "20260101"
    assert "pages: " in (logs / "parse_dump.log").read_text(encoding="utf-8")
    assert (Path(local_root) / "report" / "report.json").is_file()

    # What is there already is not done again, and a reader needs no snapshot.
    again = submit(*LOCAL, *REFRESH, "--root", local_root)
    assert again.returncode == 0, again.stderr
    assert "nothing to do, all steps are fresh" in again.stdout


def test_a_standalone_cluster_from_parse_to_metrics(
    cluster: str, local_root: str, tmp_path: Path, spark: SparkSession
) -> None:
    assert (REPOSITORY / "dist" / "wikisearch.zip").is_file(), "make dist"
    root = str(tmp_path / "root")
    # Two executors of one core; the package reaches them by --py-files alone.
    options = ("--master", cluster, "--executor-memory", "1g", "--conf", "spark.executor.cores=1")
    ended = submit(*LOCAL, *ZIP, *options, *REFRESH, "--root", root, "--in-process")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "published: 10 steps done, 0 fresh" in ended.stdout
    assert_same_tables(spark, local_root, root)
    # The zip and the folder are the same code, so what one made is fresh for the other.
    codes = {
        entry.code_version for each in (local_root, root) for entry in Store(spark, each).entries()
    }
    assert len(codes) == 1


def test_a_failing_step_names_its_log(tmp_path: Path) -> None:
    dump = tmp_path / "notes.xml"
    dump.write_text("not a dump at all", encoding="utf-8")
    words = ("jobs/refresh.py", "--root", str(tmp_path / "root"), "--snapshot", "s", "--dump", str(dump))
    ended = submit(*LOCAL, *words)
    assert ended.returncode == 1
    # spark-submit sends a Python job's stderr to its own stdout.
    told = ended.stdout + ended.stderr
    assert "Traceback" not in told
    (last,) = [line for line in told.splitlines() if ": error: " in line]
    assert last.startswith("refresh: error: ")
    assert "notes.xml" in last
    asked = submit(*LOCAL, "jobs/ask.py", "--root", str(tmp_path / "root"), "--query", "x")
    assert asked.returncode == 1
    assert "ask: error: root" in asked.stdout + asked.stderr
    assert "holds no published snapshot" in asked.stdout + asked.stderr


def test_wrong_usage_ends_within_seconds_with_2() -> None:
    ended = submit(*LOCAL, "jobs/retrieve.py", "--root", "r", "--snapshot", "s", "--sytem", "bm25")
    assert ended.returncode == 2
    assert "unrecognized arguments: --sytem bm25" in ended.stdout + ended.stderr
