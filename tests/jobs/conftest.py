"""One root with a whole snapshot of the sample wiki, which tests read; who changes it takes a copy."""

import shutil
from pathlib import Path

import pytest
from job_commands import SNAPSHOT, Ended, run_refresh, settings
from pyspark.sql import SparkSession

# One partition everywhere; test_partitions makes the same with many.
ONE_PARTITION = {"spark.sql.shuffle.partitions": "1"}


@pytest.fixture(scope="session")
def first_refresh(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The root that a refresh of the sample made, and how that ended."""
    root = tmp_path_factory.mktemp("sample") / "root"
    with settings(spark, ONE_PARTITION):
        ended = run_refresh(root, SNAPSHOT)
    assert ended.code == 0, ended.err
    return root, ended


@pytest.fixture(scope="session")
def sample_root(first_refresh: tuple[Path, Ended]) -> Path:
    """A root with the published snapshot of the sample; not to be written."""
    return first_refresh[0]


@pytest.fixture
def root_copy(sample_root: Path, tmp_path: Path) -> Path:
    """A copy of `sample_root` to write to: tables name their files by relative paths."""
    return Path(shutil.copytree(sample_root, tmp_path / "root"))
