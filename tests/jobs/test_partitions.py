"""Tables do not depend on how the work is cut: splits of the dump, partitions of shuffles, physical plans."""

from pathlib import Path

import pytest
from job_commands import SAMPLE, SNAPSHOT, run_job, settings
from pyspark.sql import SparkSession

from tables import assert_same_tables
from wikisearch.app.store import Store

pytestmark = pytest.mark.spark

# Adaptive execution is off in all tests: it would put seven small partitions back into one.
MANY_PARTITIONS = {"spark.sql.shuffle.partitions": "7"}
COMMANDS = (
    ("parse_dump", "--dump", SAMPLE, "--plain-split-bytes", "20000"),
    ("extract_articles",),
    ("resolve_links",),
    ("compute_pagerank",),
    ("build_collection",),
    ("build_index",),
    ("retrieve", "--system", "tfidf"),
    ("retrieve", "--system", "bm25"),
    ("evaluate_runs",),
    ("compare_systems", "--baseline", "bm25", "--publish"),
)


def test_many_partitions_make_the_tables_that_one_makes(
    spark: SparkSession, sample_root: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    with settings(spark, MANY_PARTITIONS):
        for job, *words in COMMANDS:
            ended = run_job(job, "--root", root, "--snapshot", SNAPSHOT, *words)
            assert (ended.code, ended.err) == (0, ""), job
    num_files = [len(Store(spark, str(each)).read("pages").inputFiles()) for each in (sample_root, root)]
    assert num_files[0] == 1
    assert num_files[1] > 7, "each split of the dump is a task"
    assert_same_tables(spark, str(sample_root), str(root))
