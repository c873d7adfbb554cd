"""Comparing the tables of two roots."""

from pyspark.sql import SparkSession

from wikisearch.app.store import Store
from wikisearch.schemas import TABLES

# GraphFrames adds doubles in the order in which partitions arrive: 3e-14 relative was measured.
PAGERANK_TOLERANCE = 1e-10


def rows_of(store: Store, table: str) -> list[str]:
    """Every row of a table as JSON, sorted: equal lists mean equal tables."""
    df = store.read(table)
    if table == "pagerank":
        df = df.drop("pagerank")
    return sorted(df.toJSON().collect())


def assert_same_tables(spark: SparkSession, one: str, other: str) -> None:
    """Asserts that two roots' newest published snapshots hold the same rows in every table."""
    first, second = Store(spark, one), Store(spark, other)
    for table in TABLES:
        if table == "snapshots":
            continue
        assert rows_of(first, table) == rows_of(second, table), table
    ranks = [
        {row["page_id"]: row["pagerank"] for row in store.read("pagerank").collect()} for store in (first, second)
    ]
    assert ranks[0].keys() == ranks[1].keys()
    assert max((abs(ranks[0][page] - ranks[1][page]) for page in ranks[0]), default=0) <= PAGERANK_TOLERANCE
