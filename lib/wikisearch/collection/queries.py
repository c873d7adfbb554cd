"""Queries of the test collection: the titles of the articles that enough first sentences link to."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.frames import conform

TITLE = "title"


def queries_from_qrels(documents: DataFrame, qrels: DataFrame) -> DataFrame:
    """The query of each article that has judgements: its title as it stands.

    Args:
        documents: `documents`; doc_id, page_id, title are read.
        qrels: `qrels` of the same documents; query_id, relevance, split are read.

    Returns:
        `queries`, unique by query_id; num_relevant counts the judgements with relevance above 0, the own
        document's too.
    """
    judged = qrels.groupBy("query_id", "split").agg(
        F.count_if(F.col("relevance") > 0).cast("int").alias("num_relevant")
    )
    titles = documents.select(F.col("doc_id").alias("query_id"), "page_id", F.col("title").alias("text"))
    queries = judged.join(titles, on="query_id", how="inner").withColumn("form", F.lit(TITLE))
    return conform(queries, "queries")
