"""Ranked lists as evaluation sees them: for each system and query, the judged documents with their ranks.

One window ranks every list, one join brings the grades and one aggregation leaves a row per system and query;
from then on every measure of every family is arithmetic within a row.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from wikisearch.frames import ranking, with_rank

LIST_KEY = ("system", "query_id")
HIT = T.StructType(
    [T.StructField("rank", T.IntegerType(), True), T.StructField("relevance", T.IntegerType(), True)]
)


def judgements_from_qrels(qrels: DataFrame) -> DataFrame:
    """All grades of each judged query.

    Args:
        qrels: query_id, doc_id, relevance, split.

    Returns:
        Unique by query_id: split, grades (ARRAY<INT>, highest first), num_rejudged (judgements whose document
        was judged already), last_split (another one than split only if the query stands in several).
    """
    return qrels.groupBy("query_id").agg(
        F.min("split").alias("split"),
        F.sort_array(F.collect_list("relevance"), asc=False).alias("grades"),
        (F.count(F.lit(1)) - F.size(F.collect_set("doc_id"))).alias("num_rejudged"),
        F.max("split").alias("last_split"),
    )


def _hits_from_runs(runs: DataFrame, qrels: DataFrame) -> DataFrame:
    scored = runs.select(*LIST_KEY, "doc_id", "score", F.col("split").alias("run_split"))
    ranked = with_rank(scored, LIST_KEY, ranking())
    # Sound qrels are unique by query and document, so that the join keeps the number of rows.
    graded = ranked.join(qrels.select("query_id", "doc_id", "relevance"), on=["query_id", "doc_id"], how="left")
    hit = F.when(F.col("relevance").isNotNull(), F.struct("rank", "relevance"))
    is_unscored = F.col("score").isNull() | F.isnan("score")
    return graded.groupBy(*LIST_KEY).agg(
        F.sort_array(F.collect_list(hit)).alias("hits"),
        F.min("run_split").alias("run_split"),
        F.count(F.lit(1)).alias("num_retrieved"),
        # The distinct ones of a list in the same pass: a pass of its own would double the cost.
        (F.count(F.lit(1)) - F.size(F.collect_set("doc_id"))).alias("num_repeated"),
        F.count_if(is_unscored).alias("num_unscored"),
    )


def judged_lists(runs: DataFrame, qrels: DataFrame, systems: Sequence[str]) -> DataFrame:
    """Every list of the systems and every judged query, with the ranks and grades of the judged documents.

    Documents are ranked by `frames.ranking`; the rank column of `runs` is not read. What `checks` looks for is
    counted in the same pass.

    Args:
        runs: system, query_id, doc_id, score, split.
        qrels: query_id, doc_id, relevance, split.
        systems: the systems to evaluate; each gets a row for each judged query, answered or not.

    Returns:
        Unique by system and query_id: split (that of the qrels; that of the run where the query has no
        qrels), grades (ARRAY<INT>: all grades of the query, highest first; NULL without qrels), hits
        (ARRAY<STRUCT<rank, relevance>>: judged documents of the list, by rank; empty where the run does not
        answer), num_retrieved, num_repeated (rows whose document stood in the list already), num_unscored
        (rows whose score is NULL or NaN), num_rejudged and last_split as in `judgements_from_qrels`.
    """
    hits = _hits_from_runs(runs.where(F.col("system").isin(list(systems))), qrels)
    grid = judgements_from_qrels(qrels).withColumn(
        "system", F.explode(F.array(*[F.lit(system) for system in systems]))
    )
    lists = grid.join(hits, on=list(LIST_KEY), how="full")
    no_hits = F.array().cast(T.ArrayType(HIT))
    counts = ("num_retrieved", "num_repeated", "num_unscored", "num_rejudged")
    return lists.select(
        *LIST_KEY,
        F.coalesce("split", "run_split").alias("split"),
        "grades",
        F.coalesce("hits", no_hits).alias("hits"),
        *[F.coalesce(count, F.lit(0)).alias(count) for count in counts],
        "last_split",
    )
