"""Batch retrieval end to end: scores by hand, ties, queries without a match, and any partitioning."""

import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.frames import conform
from wikisearch.index.postings import (
    corpus_stats_from_tables,
    doc_stats_from_postings,
    lexicon_from_postings,
    postings_from_documents,
)
from wikisearch.retrieval import lexical
from wikisearch.retrieval.lexical import RetrieveParams, retrieve
from wikisearch.text.stemming import Analyzer

PLAIN = Analyzer("en", "whitespace", "none", "none")
Index = tuple[DataFrame, DataFrame, DataFrame, DataFrame]


def _documents(spark: SparkSession, texts: dict[str, str], num_partitions: int = 2) -> DataFrame:
    return spark.createDataFrame(list(texts.items()), "doc_id string, text string").repartition(num_partitions)


def _queries(spark: SparkSession, texts: dict[str, str], num_partitions: int = 2) -> DataFrame:
    rows = [(query_id, text, "test" if query_id < "q5" else "training") for query_id, text in texts.items()]
    schema = "query_id string, text string, split string"
    return spark.createDataFrame(rows, schema).repartition(num_partitions)


def _index(documents: DataFrame, num_shards: int, analyzer: Analyzer = PLAIN) -> Index:
    """The four tables, read from memory like tables and not computed anew in every branch of a plan."""
    postings = postings_from_documents(documents, analyzer, num_shards).localCheckpoint()
    lexicon = lexicon_from_postings(postings).localCheckpoint()
    doc_stats = doc_stats_from_postings(documents, postings, num_shards).localCheckpoint()
    return postings, lexicon, doc_stats, corpus_stats_from_tables(doc_stats, lexicon, analyzer)


def _ranked(runs: DataFrame) -> list[Row]:
    return conform(runs, "runs").orderBy("query_id", "rank").collect()


def _scores(runs: DataFrame) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for row in _ranked(runs):
        scores.setdefault(row["query_id"], {})[row["doc_id"]] = row["score"]
    return scores


MADE_UP = {
    "3": "tide mill",
    "20": "tide tide mill wheel",
    "100": "mill",
    "x": "gear",
    "empty": "",
}


@pytest.mark.spark
def test_bm25_by_hand(spark: SparkSession) -> None:
    queries = {"q1": "tide", "q2": "", "q3": "unseen", "q5": "mill unseen tide mill"}
    params = RetrieveParams(k1=1.0, b=0.5)
    rows = _ranked(retrieve(_queries(spark, queries), *_index(_documents(spark, MADE_UP), 2), params))
    # 5 documents of 2, 4, 1, 1 and 0 terms: avgdl 1.6. tide: df 2, idf ln(1 + 3.5/2.5) = 0.875469;
    # mill: df 3, idf ln(1 + 2.5/3.5) = 0.538997. What is added to tf, 0.5 + 0.5 len/1.6: 1.125 where len is 2,
    # 1.75 where it is 4, 0.8125 where it is 1. tide in 20: 0.875469 * 2 * 2/(2 + 1.75) = 0.933833, in 3:
    # 0.875469 * 2/2.125 = 0.823971; mill counts twice in q5: in 20 2 * 0.538997 * 2/2.75 = 0.783995.
    assert [(row["query_id"], row["rank"], row["doc_id"], row["split"]) for row in rows] == [
        ("q1", 1, "20", "test"),
        ("q1", 2, "3", "test"),
        ("q5", 1, "3", "training"),
        ("q5", 2, "20", "training"),
        ("q5", 3, "100", "training"),
    ]
    expected = [0.933833, 0.823971, 0.823971 + 4 * 0.538997 / 2.125, 0.933833 + 0.783995, 4 * 0.538997 / 1.8125]
    assert [row["score"] for row in rows] == pytest.approx(expected, abs=2e-6)
    assert {row["system"] for row in rows} == {"bm25"}


@pytest.mark.spark
def test_tfidf_by_hand(spark: SparkSession) -> None:
    params = RetrieveParams(system="tfidf", name="cosine", k=2, splits=("test",))
    queries = {"q1": "gear", "q2": "wheel gear", "q9": "gear"}
    rows = _ranked(retrieve(_queries(spark, queries), *_index(_documents(spark, MADE_UP), 3), params))
    # gear and wheel have df 1 and so equal weight ln 5; x is a vector of gear alone; 20 is one of three terms.
    length = math.hypot((1 + math.log(2)) * math.log(5 / 2), math.log(5 / 3), math.log(5))
    assert [(row["query_id"], row["rank"], row["doc_id"]) for row in rows] == [
        ("q1", 1, "x"),
        ("q2", 1, "x"),
        ("q2", 2, "20"),
    ]
    expected = [1.0, 0.5**0.5, 0.5**0.5 * math.log(5) / length]
    assert [row["score"] for row in rows] == pytest.approx(expected, abs=1e-6)
    assert {row["system"] for row in rows} == {"cosine"}


def _close_collection() -> dict[str, str]:
    generator = random.Random(5)
    words = [f"t{number}" for number in range(60)]
    # Two documents of each text: every score is tied, so the order of ids decides at every cut.
    texts = [" ".join(generator.choices(words, k=generator.randint(5, 30))) for _ in range(150)]
    return {f"{copy}{number}": text for copy in ("", "ü") for number, text in enumerate(texts)}


@pytest.mark.spark
def test_partitions_shards_and_blocks_change_no_bit(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = _close_collection()
    asked = {f"q{number}": " ".join(f"t{(number * 7 + i) % 70}" for i in range(40)) for number in range(6)}
    asked |= {"q7": "t1", "q8": "t2 t2 t3"}
    systems = [RetrieveParams(system=system, k=15) for system in ("bm25", "tfidf")]
    results = []
    for num_partitions, num_shards, block_len in ((1, 1, 1000), (7, 3, 1000), (3, 8, 3)):
        monkeypatch.setattr(lexical, "QUERIES_PER_BLOCK", block_len)
        index = _index(_documents(spark, texts, num_partitions), num_shards)
        queries = _queries(spark, asked, num_partitions)
        one, other = (retrieve(queries, *index, params) for params in systems)
        results.append(conform(one.unionByName(other), "runs").orderBy("system", "query_id", "rank").collect())
    assert len(results[0]) == 2 * len(asked) * 15
    assert results[0] == results[1] == results[2]
    for row, following in pairwise(results[0]):
        if row["rank"] < 15:
            assert following["rank"] == row["rank"] + 1
            assert (row["score"], row["doc_id"].encode()) > (following["score"], following["doc_id"].encode())


@pytest.mark.spark
def test_no_query_and_no_document(spark: SparkSession) -> None:
    documents, queries = _documents(spark, MADE_UP), _queries(spark, {"q1": "tide"})
    assert _ranked(retrieve(queries.where("false"), *_index(documents, 2), RetrieveParams())) == []
    empty = _index(documents.where("false"), 2)
    assert _ranked(retrieve(queries, *empty, RetrieveParams())) == []
    assert _ranked(retrieve(queries, *empty, RetrieveParams(system="tfidf"))) == []
    with pytest.raises(InputError, match="'corpus_stats': no row; rebuild it with jobs/build_index"):
        retrieve(queries, *empty[:3], empty[3].where("false"), RetrieveParams())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"system": "bm52"}, "system is 'bm52'; choose bm25 or tfidf"),
        ({"k": 0}, "k is 0; it must be at least 1"),
        ({"k1": -0.1}, "k1 is -0.1; it must be a number from 0 up"),
        ({"k1": float("nan")}, "k1 is nan"),
        ({"b": 1.5}, "b is 1.5; it must lie between 0 and 1"),
        ({"name": ""}, "name is empty"),
    ],
)
def test_values_out_of_range(values: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RetrieveParams(**values)  # type: ignore[arg-type]


# --- reference cases ----------------------------------------------------------------------------------------


def _case(folder: Path, name: str) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
    docs, queries, expected = (
        json.loads((folder / "cases/bm25" / name / part).read_text(encoding="utf-8"))
        for part in ("docs.json", "queries.json", "expected.json")
    )
    return docs, queries, expected


@pytest.mark.spark
@pytest.mark.shared
def test_scores_and_empty_queries_of_the_shared_cases(spark: SparkSession, shared: Path) -> None:
    docs, queries, expected = _case(shared, "B01")
    same_docs, empty_queries, lists = _case(shared, "B03")
    assert docs == same_docs
    # Lower case and white space, as the cases say; their stop words do not occur in the documents.
    index = _index(_documents(spark, docs), 2, Analyzer("en", "whitespace", "english", "none"))
    asked = queries | {f"empty-{query_id}": text for query_id, text in empty_queries.items()}
    found = _scores(retrieve(_queries(spark, asked), *index, RetrieveParams(k1=1.2, b=0.75)))
    wanted = expected["scores"] | {f"empty-{query_id}": hits for query_id, hits in lists["results"].items()}
    for query_id, scores in wanted.items():
        matching = {doc_id: score for doc_id, score in scores.items() if score > 0}
        assert found.get(query_id, {}) == pytest.approx(matching, abs=1e-6)


@pytest.mark.spark
@pytest.mark.shared
def test_ties_of_the_shared_case(spark: SparkSession, shared: Path) -> None:
    docs, queries, expected = _case(shared, "B05")
    index = _index(_documents(spark, docs, 8), 2)
    rows = _ranked(retrieve(_queries(spark, queries), *index, RetrieveParams(k=3)))
    assert [row["doc_id"] for row in rows] == expected["top3_any_fixed_rule"]["doc_id_desc (trec_eval order)"]
