"""An archive of the Java classes that Spark, Delta Lake and GraphFrames load, which every later JVM maps.

A process that starts a session and writes a few rows to Delta tables takes a quarter less CPU time with it (32 s
in place of 42, measured once). Java's own class data sharing (JEP 350) does it: a JVM that finds no archive, or
one of another Java, loads the classes as ever. Run by spark-submit, this file does a little of what jobs do.
"""

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyspark
from graphframes import GraphFrame
from pyspark.sql import SparkSession

from wikisearch.app.session import open_session
from wikisearch.app.store import Store
from wikisearch.errors import SetupError


def make_class_archive(conf: Path, path: Path) -> None:
    """Writes the archive in place of an older one.

    Args:
        conf: properties file for spark-submit, as jobs use it.
        path: the archive.

    Raises:
        SetupError: no archive came out; Spark works without it.
    """
    path.unlink(missing_ok=True)
    # The JVM names every class that it cannot keep: some hundred lines that nobody can act on.
    options = f"-XX:ArchiveClassesAtExit={path} -Xlog:disable"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--properties-file", str(conf), "--driver-java-options", options, __file__]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode or not path.is_file():
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"{path}: no class archive was made ({last}); Spark starts slower without")


def _same(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _load_classes(spark: SparkSession, root: str) -> None:
    """Reads, shuffles, joins, ranks and writes a few rows."""
    numbers = spark.range(100).mapInArrow(_same, "id long").selectExpr("id", "id % 7 AS k")
    counts = numbers.groupBy("k").count().join(numbers, "k").orderBy("k", "id")
    terms = counts.selectExpr("CAST(id AS STRING) AS term", "count AS df", "k AS cf")
    store = Store(spark, root, writable=True)
    for _ in range(2):
        written = store.write("lexicon", terms, {})
    store.read_version("lexicon", written.version).collect()
    edges = numbers.selectExpr("k AS src", "id AS dst")
    GraphFrame(numbers.select("id"), edges).pageRank(maxIter=2).vertices.collect()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, open_session("set-up") as session:
        _load_classes(session, scratch)
