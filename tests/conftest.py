"""One Spark session for all tests, small enough for a laptop, in a scratch folder of its own."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden files anew")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("shared") and not SHARED.is_dir():
        reason = "needs the reference collections in ../shared, which are not beside this checkout"
        if os.environ.get("WIKISEARCH_REQUIRE_SHARED"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference collections; tests that use it carry the marker `shared`."""
    return SHARED


def java_options() -> str:
    """The JVM's options as users have them, for any working directory."""
    conf = (REPOSITORY / "conf/spark/local.conf").read_text(encoding="utf-8")
    (line,) = [line for line in conf.splitlines() if line.startswith("spark.driver.extraJavaOptions")]
    return re.sub(r"=(?=conf/|\.venv/)", f"={REPOSITORY}/", line.split(maxsplit=1)[1])


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    scratch = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.appName("tests")
        .master("local[2]")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.databricks.delta.snapshotPartitions", "1")  # 50 tasks for a list of two files
        .config("spark.sql.shuffle.partitions", "3")  # a few: one would hide partition bugs, 200 are slow
        .config("spark.sql.adaptive.enabled", "false")  # a job a stage: twice the jobs where nothing is to adapt
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.local.dir", str(scratch / "local"))
        .config("spark.driver.extraJavaOptions", f"{java_options()} -Dderby.system.home={scratch}")
        .getOrCreate()
    )
    yield session
    session.stop()
