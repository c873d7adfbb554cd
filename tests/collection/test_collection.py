"""Documents, queries, qrels, splits and statistics of the test collection, on hand-made articles."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from wikisearch.collection.documents import documents_from_articles
from wikisearch.collection.params import CollectionParams
from wikisearch.collection.qrels import qrels_from_links
from wikisearch.collection.queries import queries_from_qrels
from wikisearch.collection.splits import SPLITS, split_of
from wikisearch.collection.statistics import collection_facts
from wikisearch.errors import UsageError

ARTICLES = (
    "page_id long, revision_id long, title string, text string, first_sentence string, is_disambiguation boolean"
)


def oracle_split(page_id: int, params: CollectionParams) -> str:
    digest = hashlib.sha256(f"{params.seed}:{page_id}".encode()).digest()
    u = int.from_bytes(digest[:4], "big") / 2**32
    if u < params.test_share:
        return "test"
    return "validation" if u < params.test_share + params.validation_share else "training"


@pytest.mark.spark
def test_documents(spark: SparkSession) -> None:
    articles = spark.createDataFrame(
        [
            # Exactly enough words, the first sentence counted.
            (1, 11, "Tarn", "A tarn is wet.\n\nIt is deep.", "A tarn is wet.", False),
            # One word too few.
            (2, 12, "Weir", "A weir is wet. It falls.", "A weir is wet.", False),
            # A list of meanings.
            (3, 13, "Ossel", "Ossel may refer to: one, two or three.", "", True),
            # The first sentence comes again later: taken out once, where it stands first.
            (4, 14, "Echo", "Say it. Once more, please: Say it. Now rest.", "Say it.", False),
            # It stands behind a line that is not part of it.
            (5, 15, "Hat", "For caps, see Cap.\nA hat is worn. Often by many.", "A hat is worn.", False),
            # No first sentence.
            (6, 16, "Bare", "  one two three four five six seven\n", "", False),
            # Nothing is left without it.
            (7, 17, "Sole", "This is the only sentence here.  ", "This is the only sentence here.", False),
            # Not ASCII, outside the BMP, words apart by a no-break and an ideographic space; no revision id.
            (8, None, "Жар", "Жар 🔥 есть. один\u00a0два\u3000три четыре", "Жар 🔥 есть.", False),
            # Characters that mean something in regular expressions.
            (9, 19, "C++", "C++ (is) $1 [a]. More \\1 $0 words (a|b) here", "C++ (is) $1 [a].", False),
        ],
        ARTICLES,
    )
    documents = documents_from_articles(articles, CollectionParams(min_words=7))
    assert sorted(map(tuple, documents.collect())) == [
        ("1", 1, 11, "Tarn", "It is deep.", 3),
        ("4", 4, 14, "Echo", "Once more, please: Say it. Now rest.", 7),
        ("5", 5, 15, "Hat", "For caps, see Cap.\n Often by many.", 7),
        ("6", 6, 16, "Bare", "one two three four five six seven", 7),
        ("8", 8, None, "Жар", "один\u00a0два\u3000три четыре", 4),
        ("9", 9, 19, "C++", "More \\1 $0 words (a|b) here", 6),
    ]


@pytest.mark.spark
@pytest.mark.parametrize("num_partitions", [1, 7])
def test_qrels_and_queries(spark: SparkSession, num_partitions: int) -> None:
    documents = spark.createDataFrame(
        [(str(i), i, i, f"Title {i}", "words " * i, i) for i in range(1, 7)],
        "doc_id string, page_id long, revision_id long, title string, text string, num_words int",
    ).repartition(num_partitions)
    links = spark.createDataFrame(
        [
            # 1: linked from three first sentences of documents: a query.
            (2, 1, True),
            (3, 1, True),
            (4, 1, True),
            (5, 1, False),  # not from the first sentence
            (90, 1, True),  # not from a document
            # 2: from exactly enough.
            (1, 2, True),
            (6, 2, True),
            # 3: one too few, since 91 is no document.
            (1, 3, True),
            (91, 3, True),
            # 92: not a document itself.
            (1, 92, True),
            (2, 92, True),
        ],
        "src_id long, dst_id long, is_in_first_sentence boolean",
    ).repartition(num_partitions)
    params = CollectionParams(min_relevant=2)
    qrels = qrels_from_links(documents, links, params)
    one, two = oracle_split(1, params), oracle_split(2, params)
    assert sorted(map(tuple, qrels.collect())) == [
        ("1", "1", 2, one),
        ("1", "2", 1, one),
        ("1", "3", 1, one),
        ("1", "4", 1, one),
        ("2", "1", 1, two),
        ("2", "2", 2, two),
        ("2", "6", 1, two),
    ]
    queries = queries_from_qrels(documents, qrels)
    assert sorted(map(tuple, queries.collect())) == [
        ("1", 1, "Title 1", "title", one, 4),
        ("2", 2, "Title 2", "title", two, 3),
    ]
    facts = collection_facts(documents, queries, qrels)
    splits = {f"num_queries_{split}": [one, two].count(split) for split in SPLITS}
    assert facts == {
        "num_documents": 6,
        "mean_document_words": 3.5,
        "num_queries": 2,
        "mean_query_words": 2.0,
        "mean_relevant": 3.5,
        "num_qrels_grade_1": 5,
        "num_qrels_grade_2": 2,
        **splits,
    }


@pytest.mark.spark
def test_nothing_gives_empty_tables(spark: SparkSession) -> None:
    articles = spark.createDataFrame([(1, 1, "Tarn", "Short.", "Short.", False)], ARTICLES)
    links = spark.createDataFrame([(2, 1, True)], "src_id long, dst_id long, is_in_first_sentence boolean")
    documents = documents_from_articles(articles, CollectionParams())
    qrels = qrels_from_links(documents, links, CollectionParams())
    queries = queries_from_qrels(documents, qrels)
    assert documents.collect() == qrels.collect() == queries.collect() == []
    facts = collection_facts(documents, queries, qrels)
    assert facts["num_documents"] == facts["num_queries"] == facts["num_qrels_grade_1"] == 0
    assert facts["mean_document_words"] is facts["mean_query_words"] is facts["mean_relevant"] is None


@pytest.mark.spark
def test_splits(spark: SparkSession) -> None:
    params = CollectionParams(seed=7, validation_share=0.2, test_share=0.1)
    ids = [*range(1, 4000), 2**31, 2**63 - 1]
    pages = spark.createDataFrame([(i,) for i in ids], "page_id long")

    def dealt(num_partitions: int) -> dict[int, str]:
        rows: list[Row] = (
            pages.repartition(num_partitions)
            .orderBy(F.col("page_id").desc())
            .select("page_id", split_of(F.col("page_id"), params).alias("split"))
            .collect()
        )
        return {row.page_id: row.split for row in rows}

    splits = dealt(1)
    assert splits == dealt(9) == {i: oracle_split(i, params) for i in ids}
    shares = {split: list(splits.values()).count(split) / len(ids) for split in SPLITS}
    assert shares == pytest.approx({"training": 0.7, "validation": 0.2, "test": 0.1}, abs=0.02)
    other = {i: oracle_split(i, CollectionParams(seed=8)) for i in ids}
    assert other != splits


@given(st.floats(0, 1), st.floats(0, 1))
def test_shares_are_taken_if_they_fit(validation_share: float, test_share: float) -> None:
    if validation_share + test_share <= 1:
        CollectionParams(validation_share=validation_share, test_share=test_share)
    else:
        with pytest.raises(UsageError, match="sum to at most 1"):
            CollectionParams(validation_share=validation_share, test_share=test_share)


def test_params_that_are_out_of_range() -> None:
    for wrong, message in (
        ({"min_words": 0}, "min_words must be at least 1, found 0"),
        ({"min_relevant": 0}, "min_relevant must be at least 1, found 0"),
        ({"test_share": 1.5}, r"test_share must be between 0 and 1, found 1\.5"),
        ({"validation_share": float("nan")}, "validation_share must be between 0 and 1, found nan"),
    ):
        with pytest.raises(UsageError, match=message):
            CollectionParams(**wrong)
