"""Batches as Spark cuts them: of one row, of none, of megabytes; and texts with every kind of line end."""

import random
from pathlib import Path

import pytest
from dump_makers import dump, page, write
from pyspark.sql import DataFrame, SparkSession

from wikisearch.app.processes import peak_worker_bytes
from wikisearch.dump.articles import articles_from_pages
from wikisearch.dump.pages import parsed_dump
from wikisearch.dump.params import DumpParams
from wikisearch.schemas import TABLES
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams

pytestmark = pytest.mark.spark

SITE = Site("en", False, {})
BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"


def _pages(spark: SparkSession, texts: list[str], num_partitions: int) -> DataFrame:
    names = TABLES["pages"].column_names
    rows = [
        tuple(
            {
                "page_id": n,
                "namespace": 0,
                "title": f"T{n}",
                "model": "wikitext",
                "wikitext": text,
                "source": "x",
            }.get(k)
            for k in names
        )
        for n, text in enumerate(texts, start=1)
    ]
    return spark.createDataFrame(rows, TABLES["pages"].struct).repartition(num_partitions)


def test_a_page_is_the_same_whatever_batch_it_is_in(spark: SparkSession) -> None:
    dice = random.Random(21)
    texts = [f"'''Lamp''' {n} of [[oil {dice.randrange(9)}|oil]]. More." for n in range(21)]

    def found(given: list[str], num_partitions: int, num_rows: int) -> list[tuple]:
        before = spark.conf.get(BATCH_ROWS)
        spark.conf.set(BATCH_ROWS, str(num_rows))
        try:
            pages = _pages(spark, given, num_partitions)
            return sorted(map(tuple, articles_from_pages(pages, SITE, WikitextParams()).collect()))
        finally:
            spark.conf.set(BATCH_ROWS, before)

    whole = found(texts, 1, 500)
    assert len(whole) == 21
    assert found(texts, 1, 10) == whole, "the last batch has one row"
    assert found(texts, 40, 10) == whole, "most partitions are empty"
    assert found(texts[:1], 1, 10) == whole[:1]
    assert found([], 3, 10) == []


def test_no_page_at_all(spark: SparkSession) -> None:
    empty = articles_from_pages(spark.createDataFrame([], TABLES["pages"].struct), SITE, WikitextParams())
    assert empty.columns == TABLES["articles"].column_names
    assert empty.collect() == []


def test_long_pages_among_short_ones_stay_small_in_memory(spark: SparkSession) -> None:
    # 20,000 short pages and 29 of 2 MB in one partition: a batch of 10,000 rows would have 30 MB, and all 60 MB.
    pages = spark.range(0, 20_000, 1, 1).selectExpr(
        "id + 1 AS page_id", "0 AS namespace", "concat('T', id) AS title", "id AS revision_id",
        "CAST(NULL AS TIMESTAMP) AS revised_at", "CAST(NULL AS STRING) AS sha1", "'wikitext' AS model",
        "CAST(NULL AS STRING) AS redirect_title",
        "repeat('w ', IF(id % 700 = 0, 1000000, 60)) AS wikitext", "'x' AS source",
    )  # fmt: skip
    articles = articles_from_pages(pages, SITE, WikitextParams())
    lengths = articles.selectExpr("count(*)", "max(length(text))").collect()[0]
    assert lengths[0] == 20_000
    assert lengths[1] in (1_999_999, 2_000_000)
    assert 0 < peak_worker_bytes(spark) < 1_500_000_000


def test_line_ends_of_every_kind_stay_in_their_page(spark: SparkSession, tmp_path: Path) -> None:
    text = 'one\rtwo\u2028three\u2029four\u0085five\r\nsix "seven", eight\\'
    written = text.replace("\r", "&#13;").replace('"', "&quot;")
    revision = f"<revision><id>4</id><text>{written}</text></revision>"
    path = write(tmp_path, "ends", dump(page(1, "A", revision), page(2, "B", revision)), "gz")
    with parsed_dump(spark, DumpParams(dump=(path,))) as parsed:
        assert [row["wikitext"] for row in parsed.pages.collect()] == [text, text]
