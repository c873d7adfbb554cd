"""The index: its tables against plain counting, and the same for any partitioning."""

from collections import Counter

import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import UsageError
from wikisearch.frames import conform
from wikisearch.index.postings import (
    IndexParams,
    corpus_stats_from_tables,
    doc_stats_from_postings,
    doc_terms,
    lexicon_from_postings,
    postings_from_documents,
)
from wikisearch.text.stemming import Analyzer

PLAIN = Analyzer("en", "whitespace", "none", "none")
TEXTS = {
    "9": "oil lamp oil",
    "10": "lamp",  # before 9 as bytes
    "100": "",  # no term
    "a": "the the",
    "ä": "Öl lamp",  # after a as bytes
    "é1": "oil " * 300,
}


def _documents(spark: SparkSession, num_partitions: int = 2) -> DataFrame:
    return spark.createDataFrame(list(TEXTS.items()), "doc_id string, text string").repartition(num_partitions)


def _tables(spark: SparkSession, num_shards: int, num_partitions: int) -> dict[str, DataFrame]:
    documents = _documents(spark, num_partitions)
    postings = postings_from_documents(documents, PLAIN, num_shards).localCheckpoint()
    lexicon = lexicon_from_postings(postings)
    doc_stats = doc_stats_from_postings(documents, postings, num_shards)
    return {
        "postings": postings,
        "lexicon": lexicon,
        "doc_stats": doc_stats,
        "corpus_stats": corpus_stats_from_tables(doc_stats, lexicon, PLAIN),
    }


@pytest.mark.spark
def test_tables_against_plain_counting(spark: SparkSession) -> None:
    tables = {name: conform(df, name) for name, df in _tables(spark, 3, 2).items()}
    counts = {doc_id: Counter(PLAIN.analyze(text)) for doc_id, text in TEXTS.items()}
    stats = {row["doc_id"]: row for row in tables["doc_stats"].collect()}
    assert {doc_id: row["doc_len"] for doc_id, row in stats.items()} == {
        doc_id: terms.total() for doc_id, terms in counts.items()
    }

    found: dict[str, Counter[str]] = {doc_id: Counter() for doc_id in TEXTS}
    rows = tables["postings"].collect()
    assert len({(row["shard"], row["term"]) for row in rows}) == len(rows)
    for row in rows:
        assert row["doc_ids"] == sorted(set(row["doc_ids"]), key=str.encode)
        for doc_id, tf in zip(row["doc_ids"], row["tfs"], strict=True):
            assert stats[doc_id]["shard"] == row["shard"]
            found[doc_id][row["term"]] = tf
    assert found == counts

    assert {row["term"]: (row["df"], row["cf"]) for row in tables["lexicon"].collect()} == {
        "oil": (2, 302),
        "lamp": (3, 3),
        "the": (1, 2),
        "öl": (1, 1),
    }
    (corpus,) = tables["corpus_stats"].collect()
    assert corpus.asDict() == {
        "num_docs": 6,
        "avg_doc_len": 308 / 6,
        "num_terms": 4,
        "analyzer": PLAIN.to_json(),
    }


@pytest.mark.spark
def test_tables_are_the_same_for_any_number_of_partitions(spark: SparkSession) -> None:
    one, seven = (
        {name: sorted(map(tuple, df.collect()), key=repr) for name, df in _tables(spark, 4, number).items()}
        for number in (1, 7)
    )
    assert one == seven
    assert {row[0] for row in one["postings"]} <= set(range(4))


@pytest.mark.spark
def test_a_term_is_counted_once_a_document(spark: SparkSession) -> None:
    rows = doc_terms(_documents(spark), PLAIN).collect()
    assert {row["doc_id"]: dict(zip(row["terms"], row["tfs"], strict=True)) for row in rows} == {
        doc_id: dict(Counter(PLAIN.analyze(text))) for doc_id, text in TEXTS.items()
    }


@pytest.mark.spark
def test_an_empty_collection_has_an_empty_index(spark: SparkSession) -> None:
    documents = _documents(spark).where("false")
    postings = postings_from_documents(documents, PLAIN, 2)
    lexicon = lexicon_from_postings(postings)
    doc_stats = doc_stats_from_postings(documents, postings, 2)
    (corpus,) = corpus_stats_from_tables(doc_stats, lexicon, PLAIN).collect()
    assert (corpus["num_docs"], corpus["avg_doc_len"], corpus["num_terms"]) == (0, 0.0, 0)


def test_shards_are_at_least_one() -> None:
    with pytest.raises(UsageError, match="num_shards is 0; it must be at least 1"):
        IndexParams(num_shards=0)
