"""Ranked lists as evaluation sees them: for each system and query, the judged documents with their ranks.

One join brings the grades, one aggregation ranks each list and leaves a row per system and query; from then on
every measure of every family is arithmetic within a row.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from wikisearch.evaluation.list_columns import HITS, LINE_HITS
from wikisearch.frames import ranked_list

LIST_KEY = ("query_id", "system")  # sorted by it, rows differ in the first eight bytes, which Spark compares first
POSITION = "position"
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


def _hits_from_runs(runs: DataFrame, qrels: DataFrame, *, by_line: bool, depth: int | None) -> DataFrame:
    # Sound qrels are unique by query and document, so that the join keeps the number of rows.
    graded = runs.join(qrels.select("query_id", "doc_id", "relevance"), on=["query_id", "doc_id"], how="left")
    numbers = runs.select(f"{POSITION}.*").columns if by_line else []
    places = [F.col(POSITION)] if by_line else []
    lists = graded.groupBy(*LIST_KEY).agg(
        ranked_list("relevance", *places).alias("documents"), F.min("split").alias("run_split")
    )
    num_distinct = F.size(F.array_distinct(F.col("documents.doc_id")))
    num_retrieved = F.size("documents")
    highest, lowest = (F.element_at("documents", place)["score"] for place in (1, -1))  # NaN is above all numbers

    def hits(documents: Column) -> Column:
        return _hits(documents if depth is None else F.slice(documents, 1, depth))

    return lists.select(
        *LIST_KEY,
        hits(F.col("documents")).alias(HITS),
        *([hits(_in_order_of_lines(F.col("documents"), numbers)).alias(LINE_HITS)] if by_line else []),
        "run_split",
        (num_retrieved if depth is None else F.least(num_retrieved, F.lit(depth))).alias("num_retrieved"),
        (num_retrieved - num_distinct).alias("num_repeated"),
        (F.isnan(highest) | lowest.isNull()).alias("has_unscored"),
    )


def _hits(documents: Column) -> Column:
    """The judged ones of ranked documents, with their ranks from 1."""
    hits = F.transform(
        documents,
        lambda document, place: F.when(
            document["relevance"].isNotNull(),
            F.struct((place + 1).alias("rank"), document["relevance"].alias("relevance")),
        ),
    )
    return F.filter(hits, lambda hit: hit.isNotNull())


def _in_order_of_lines(documents: Column, numbers: Sequence[str]) -> Column:
    """Documents by score, highest first, and those of one score as the lines of their file are."""
    keyed = F.transform(
        documents,
        lambda document: F.struct(
            document["score"],
            *[(-document[POSITION][number]).alias(number) for number in numbers],
            document["relevance"].alias("relevance"),
        ),
    )
    return F.sort_array(keyed, asc=False)


def judged_lists(
    runs: DataFrame,
    qrels: DataFrame,
    systems: Sequence[str],
    *,
    by_line: bool = False,
    depth: int | None = None,
) -> DataFrame:
    """Every list of the systems and every judged query, with the ranks and grades of the judged documents.

    Documents are ranked by `frames.ranked_list`; the rank column of `runs` is not read. What `checks` looks for
    is counted in the same pass.

    Args:
        runs: system, query_id, doc_id, score, split; with `by_line` also position, a STRUCT of numbers
            that ascends in the order of the lines which the rows were read from.
        qrels: query_id, doc_id, relevance, split.
        systems: the systems to evaluate; each gets a row for each judged query, answered or not.
        by_line: whether LETOR's ranking is wanted, too.
        depth: how many documents of each list count, once it is ranked (trec_eval's option -M); None for all.

    Returns:
        Unique by system and query_id: split (that of the qrels; that of the run where the query has no
        qrels), grades (ARRAY<INT>: all grades of the query, highest first; NULL without qrels), hits
        (ARRAY<STRUCT<rank, relevance>>: judged documents of the list, by rank; empty where the run does not
        answer), line_hits (the same where equal scores are in the order of lines; with `by_line` only),
        num_retrieved (at most `depth`), num_repeated (rows whose document stood in the list already), has_unscored
        (whether a score is NULL or NaN), num_rejudged and last_split as in `judgements_from_qrels`.
    """
    hits = _hits_from_runs(runs.where(F.col("system").isin(list(systems))), qrels, by_line=by_line, depth=depth)
    grid = judgements_from_qrels(qrels).withColumn(
        "system", F.explode(F.array(*[F.lit(system) for system in systems]))
    )
    lists = grid.join(hits, on=list(LIST_KEY), how="full")
    no_hits = F.array().cast(T.ArrayType(HIT))
    counts = ("num_retrieved", "num_repeated", "num_rejudged")
    return lists.select(
        *LIST_KEY,
        F.coalesce("split", "run_split").alias("split"),
        "grades",
        *[F.coalesce(each, no_hits).alias(each) for each in (HITS, *([LINE_HITS] if by_line else []))],
        *[F.coalesce(count, F.lit(0)).alias(count) for count in counts],
        F.coalesce("has_unscored", F.lit(False)).alias("has_unscored"),
        "last_split",
    )
