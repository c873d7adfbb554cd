import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from wikisearch.app.store import STAGED, Entry, Store
from wikisearch.errors import SchemaError, StoreError
from wikisearch.schemas import TABLES

pytestmark = pytest.mark.spark

ENTRY = Entry(
    "s1", "lexicon", None, 0, STAGED, "build_index", "f", "{}", "{}", "c", "{}", 1, 1.0, datetime.now(UTC)
)


def lexicon(spark: SparkSession, *rows: tuple[str | None, int, int]) -> DataFrame:
    return spark.createDataFrame(rows, "term STRING, df LONG, cf LONG")


def runs(spark: SparkSession, system: str, *doc_ids: str) -> DataFrame:
    rows = [(system, "1", doc_id, rank, 1.0 / rank, "test") for rank, doc_id in enumerate(doc_ids, start=1)]
    return spark.createDataFrame(rows, TABLES["runs"].struct)


def found(df: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in df.collect())


def test_a_version_is_seen_when_it_is_staged_and_by_all_when_published(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "root"), writable=True)
    first = store.write("lexicon", lexicon(spark, ("a", 1, 1)), {"job": "build_index"})
    with pytest.raises(StoreError, match="holds no published snapshot"):
        store.read("lexicon")
    store.stage([dataclasses.replace(ENTRY, version=first.version)])
    assert found(store.read("lexicon", "s1")) == [("a", 1, 1)]
    with pytest.raises(StoreError, match="holds no published snapshot"):
        store.read("lexicon")
    assert store.publish("s1")
    assert not store.publish("s1"), "nothing was staged since"
    assert found(store.read("lexicon")) == [("a", 1, 1)]

    # A second snapshot is invisible until it is published; the first stays as it was.
    second = store.write("lexicon", lexicon(spark, ("b", 2, 3), ("c", 1, 1)), {})
    assert second.num_rows == 2
    store.stage([dataclasses.replace(ENTRY, snapshot="s2", version=second.version)])
    assert found(store.read("lexicon")) == [("a", 1, 1)]
    store.publish("s2")
    assert found(Store(spark, str(tmp_path / "root")).read("lexicon")) == [("b", 2, 3), ("c", 1, 1)]
    assert found(store.read("lexicon", "s1")) == [("a", 1, 1)]


def test_slices_are_replaced_one_by_one_within_their_snapshot(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "root"), writable=True)

    def write(snapshot: str, system: str, *doc_ids: str) -> None:
        base = store.version_of(snapshot, "runs")
        written = store.write_slice("runs", system, runs(spark, system, *doc_ids), base, {})
        entry = dataclasses.replace(
            ENTRY, snapshot=snapshot, table="runs", slice=system, version=written.version
        )
        store.stage([entry])

    def systems(snapshot: str) -> list[tuple[object, ...]]:
        return found(store.read("runs", snapshot).select("system", "doc_id"))

    write("s1", "bm25", "1", "2")
    write("s1", "o'neill", "3")
    assert systems("s1") == [("bm25", "1"), ("bm25", "2"), ("o'neill", "3")]
    write("s2", "bm25", "9")
    assert systems("s2") == [("bm25", "9")], "another snapshot's systems must not leak in"
    write("s1", "bm25", "5")  # s2 wrote in between
    assert systems("s1") == [("bm25", "5"), ("o'neill", "3")]
    write("s1", "o'neill", "4")
    assert systems("s1") == [("bm25", "5"), ("o'neill", "4")]
    assert systems("s2") == [("bm25", "9")]


def test_provenance_stands_in_the_commit(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path), writable=True)
    store.write("lexicon", lexicon(spark, ("a", 1, 1)), {"job": "build_index", "snapshot": "s1"})
    (row,) = DeltaTable.forPath(spark, store.path("lexicon")).history(1).select("userMetadata").collect()
    assert json.loads(row[0]).items() >= {"job": "build_index", "snapshot": "s1"}.items()


def test_wrong_columns_and_nulls_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path), writable=True)
    store.write("lexicon", lexicon(spark, ("a", 1, 1)), {})
    wrong = spark.createDataFrame([("a", 1, "x")], "term STRING, df INT, notes STRING")
    with pytest.raises(SchemaError) as error:
        store.write("lexicon", wrong, {})
    assert str(error.value) == (
        "table 'lexicon': column cf: missing; column notes: unexpected; column df: expected bigint, got int"
    )
    with pytest.raises(Exception, match="NOT NULL constraint violated for column: term"):
        store.write("lexicon", lexicon(spark, (None, 1, 1)), {})
    assert found(store.read_version("lexicon", 1)) == [("a", 1, 1)]


def test_a_table_of_older_code_gets_its_present_columns(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path), writable=True)
    lexicon(spark, ("old", 1, 1)).drop("cf").write.format("delta").save(store.path("lexicon"))
    written = store.write("lexicon", lexicon(spark, ("new", 2, 2)), {})
    assert found(store.read_version("lexicon", written.version)) == [("new", 2, 2)]


def test_what_is_not_there_is_told(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such folder"):
        Store(spark, str(tmp_path / "none"))
    store = Store(spark, str(tmp_path), writable=True)
    written = store.write("lexicon", lexicon(spark), {})
    store.stage([dataclasses.replace(ENTRY, version=written.version)])
    with pytest.raises(StoreError, match="has no snapshot 's9'; it has: s1"):
        store.read("lexicon", "s9")
    with pytest.raises(StoreError, match=r"table 'qrels' is missing; make it with jobs/build_collection\.py"):
        store.read("qrels", "s1")


def test_every_table_can_be_made(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path), writable=True)
    for name in ("articles", "sites", "postings", "snapshots"):  # nested types of every kind
        empty = spark.createDataFrame([], TABLES[name].struct)
        written = store.write(name, empty, {})
        assert written.num_rows == 0
        assert store.read_version(name, written.version).columns == TABLES[name].column_names


def test_a_table_may_be_made_of_itself(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path), writable=True)
    first = store.write("lexicon", lexicon(spark, *((f"t{n}", n, n) for n in range(5))), {})
    own = store.read_version("lexicon", first.version)
    second = store.write("lexicon", own.where("df > 1"), {})
    assert found(store.read_version("lexicon", second.version)) == [("t2", 2, 2), ("t3", 3, 3), ("t4", 4, 4)]
    # A write that fails half-way leaves what it read.
    with pytest.raises(Exception, match="NOT NULL constraint"):
        store.write("lexicon", own.selectExpr("IF(df > 3, NULL, term) AS term", "df", "cf"), {})
    assert store.read_version("lexicon", first.version).count() == 5
    assert store.read_version("lexicon", second.version).count() == 3
