"""What a test collection amounts to: counts and means for the log, the commit and the report."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.collection.splits import SPLITS


def statistics_from_collection(documents: DataFrame, queries: DataFrame, qrels: DataFrame) -> DataFrame:
    """The statistics of a test collection as one row.

    Args:
        documents: `documents`; num_words is read.
        queries: `queries`; text, split, num_relevant are read.
        qrels: `qrels`; relevance is read.

    Returns:
        num_documents, num_queries, num_queries_training, num_queries_validation, num_queries_test,
        num_qrels_grade_1, num_qrels_grade_2 BIGINT; mean_document_words, mean_query_words, mean_relevant
        DOUBLE, NULL where there is nothing to take the mean of. Means are of integers: exact sums, the same
        for any partitions.
    """
    of_documents = documents.agg(
        F.count("*").alias("num_documents"), F.avg("num_words").alias("mean_document_words")
    )
    of_queries = queries.agg(
        F.count("*").alias("num_queries"),
        *[F.count_if(F.col("split") == split).alias(f"num_queries_{split}") for split in SPLITS],
        F.avg(F.regexp_count("text", F.lit(r"(?U)\S+"))).alias("mean_query_words"),
        F.avg("num_relevant").alias("mean_relevant"),
    )
    of_qrels = qrels.agg(
        *[F.count_if(F.col("relevance") == grade).alias(f"num_qrels_grade_{grade}") for grade in (1, 2)]
    )
    # Each side is one row.
    return of_documents.crossJoin(of_queries).crossJoin(of_qrels)


def collection_facts(
    documents: DataFrame, queries: DataFrame, qrels: DataFrame
) -> dict[str, int | float | None]:
    """The one row of `statistics_from_collection` as a dict, JSON-able (acts: runs one job)."""
    return statistics_from_collection(documents, queries, qrels).collect()[0].asDict()
