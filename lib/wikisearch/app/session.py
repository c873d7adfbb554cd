"""The Spark session of a job, and clear words where the environment lacks a part."""

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.java_gateway import JavaObject
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from wikisearch.errors import SetupError

DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_COORDINATE = "io.delta:delta-spark_2.12:3.3.2"


def check_java() -> None:
    """Raises SetupError unless a Java is found where Spark looks for it."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java or not os.path.exists(java):
        place = f"JAVA_HOME={home} holds no bin/java" if home else "there is no java on the PATH"
        raise SetupError(f"Java is missing: {place}; install Java 17 (Debian: openjdk-17-jre-headless)")


def _java_class_exists(spark: SparkSession, name: str) -> bool:
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]
    try:
        loader.loadClass(name)
    except Exception:
        return False
    return True


def _check_delta(spark: SparkSession) -> None:
    if not _java_class_exists(spark, DELTA_EXTENSION):
        raise SetupError(
            f"the Delta Lake JAR is missing: run `make setup`, or add `--packages {DELTA_COORDINATE}` "
            "(or --jars with its files) to spark-submit, or put it into the cluster's image"
        )
    if DELTA_EXTENSION not in spark.conf.get("spark.sql.extensions", ""):  # type: ignore[operator]
        raise SetupError(
            "Delta Lake is not switched on in this Spark session: start the job with "
            "`spark-submit --properties-file conf/spark/local.conf` (or cluster.conf)"
        )


@contextmanager
def open_session(app_name: str, *, needs_delta: bool = True) -> Iterator[SparkSession]:
    """The running session, or a new one that is stopped at the end.

    Every setting comes from spark-submit's properties file; only the name is given here.

    Args:
        app_name: the session's name.
        needs_delta: whether tables of a root are read or written.

    Raises:
        SetupError: Java or, where it is needed, the Delta JAR is missing, or Delta is not switched on.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    check_java()
    # Without it workers take the system's python3, which has no pyarrow.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        spark = SparkSession.builder.appName(app_name).getOrCreate()
    except PySparkRuntimeError as error:
        raise SetupError(f"Spark's JVM did not start: {error}; see the lines above") from error
    try:
        if needs_delta:
            _check_delta(spark)
        yield spark
    finally:
        spark.stop()


def peak_heap_bytes(spark: SparkSession) -> int:
    """Peak heap of the driver's JVM so far: the sum over its heap pools of each one's peak."""
    management: JavaObject = spark._jvm.java.lang.management  # type: ignore[union-attr]
    pools = management.ManagementFactory.getMemoryPoolMXBeans()
    return sum(
        int(pool.getPeakUsage().getUsed()) for pool in pools if pool.getType().name() == "HEAP"
    )


def versions(spark: SparkSession) -> dict[str, str]:
    """The versions of what computed the tables, by name."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3]), "spark": spark.version}
    found["java"] = str(spark._jvm.java.lang.System.getProperty("java.version"))  # type: ignore[union-attr]
    for package in ("delta-spark", "graphframes-py", "pyarrow", "numpy", "pandas", "nltk"):
        found[package] = importlib.metadata.version(package)
    return found
