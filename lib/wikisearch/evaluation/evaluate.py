"""Values of measures for each query, and their means: `runs` and `qrels` to `query_metrics` and `metrics`.

The queries of a mean are **all queries of the qrels** (trec_eval's option -c): one that a run does not answer
counts 0, one that has no relevant document counts 0, and one that only the run has is left out. How many of
each there were stands beside every mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.checks import check_lists
from wikisearch.evaluation.judged_lists import judged_lists
from wikisearch.evaluation.measures import DEFAULT_MEASURES, Measure, parse_measures
from wikisearch.evaluation.trec_eval import FAMILY, trec_eval_value
from wikisearch.frames import conform

ALL_SPLITS = "all"


@dataclass(frozen=True)
class EvaluateParams:
    """Parameters of `evaluate`."""

    measures: tuple[str, ...] = field(
        default=DEFAULT_MEASURES,
        metadata={"help": "measures as ir_measures spells them, such as nDCG@10 AP P(rel=2)@5"},
    )
    systems: tuple[str, ...] = field(
        default=(), metadata={"help": "systems of the runs table to evaluate; every one if none is named"}
    )

    def __post_init__(self) -> None:
        parse_measures(self.measures)
        if len(set(self.systems)) < len(self.systems):
            raise UsageError(f"systems {' '.join(self.systems)}: one is named twice; name each once")


@dataclass(frozen=True)
class SystemEvaluation:
    """One system's rows of `query_metrics` and `metrics`, and its means over all queries by measure."""

    system: str
    query_metrics: DataFrame
    metrics: DataFrame
    means: Mapping[str, float]


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found; the tables are computed when they are written.

    Use it in a `with` statement, whose end takes the ranked lists out of Spark's cache.

    Attributes:
        lists: `judged_lists`, in Spark's cache.
        systems: the systems that were evaluated, sorted.
        query_metrics: table of `schemas`.
        metrics: table of `schemas`.
    """

    lists: DataFrame
    systems: tuple[str, ...]
    query_metrics: DataFrame
    metrics: DataFrame

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lists.unpersist()

    def by_system(self) -> Iterator[SystemEvaluation]:
        """The evaluation of each system, in the order of `systems` (acts: collects the means)."""
        for system in self.systems:
            is_its = F.col("system") == system
            metrics = self.metrics.where(is_its)
            means = metrics.where(F.col("split") == ALL_SPLITS).select("measure", "mean").collect()
            yield SystemEvaluation(
                system,
                self.query_metrics.where(is_its),
                metrics,
                {row["measure"]: row["mean"] for row in sorted(means, key=lambda row: str(row["measure"]))},
            )


def query_metrics_from_lists(lists: DataFrame, measures: Sequence[Measure]) -> DataFrame:
    """The table `query_metrics`: the value of each measure for each system and each query of the qrels.

    Args:
        lists: rows of `judged_lists`; those without grades are left out.
        measures: what to compute.

    Returns:
        Unique by system, family, measure and query_id; value in [0, 1], with the same bits for any
        partitioning.
    """
    values = [
        F.struct(F.lit(str(measure)).alias("measure"), trec_eval_value(measure).alias("value"))
        for measure in measures
    ]
    query_metrics = (
        lists.where(F.col("grades").isNotNull())
        .select("system", "query_id", "split", F.explode(F.array(*values)).alias("each"))
        .select("system", F.lit(FAMILY).alias("family"), "each.measure", "query_id", "each.value", "split")
    )
    return conform(query_metrics, "query_metrics")


def _by_split(df: DataFrame) -> DataFrame:
    """Each row twice, once in its split and once in `all`."""
    splits = F.array_distinct(F.array(F.col("split"), F.lit(ALL_SPLITS)))
    return df.withColumn("split", F.explode(splits))


def metrics_from_lists(lists: DataFrame, query_metrics: DataFrame) -> DataFrame:
    """The table `metrics`: the mean of each measure over the queries of the qrels, by split and over all.

    Args:
        lists: rows of `judged_lists`: where the queries are counted.
        query_metrics: the values, of the same lists.

    Returns:
        Unique by system, family, measure and split, where split `all` takes every query. Means have the same
        bits for any partitioning.
    """
    counts = (
        _by_split(lists)
        .groupBy("system", "split")
        .agg(
            F.count_if(F.col("num_retrieved") > 0).alias("num_queries_in_run"),
            F.count("grades").alias("num_queries_in_qrels"),
            F.count_if(F.get("grades", F.lit(0)) <= 0).alias("num_queries_without_relevant"),
        )
    )
    # A sum of doubles depends on its order and one sorted array of all queries does not scale; decimals add
    # up exactly. The cast keeps 18 decimal places, more than a double in [0, 1] needs beside its mean.
    total = F.sum(F.col("value").cast("decimal(38, 18)"))
    means = (
        _by_split(query_metrics)
        .groupBy("system", "family", "measure", "split")
        .agg((total.cast("double") / F.count(F.lit(1))).alias("mean"), F.count(F.lit(1)).alias("num_queries"))
    )
    return conform(means.join(counts, on=["system", "split"], how="inner"), "metrics")


def _systems_of(runs: DataFrame, known: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    rows = runs.select("system").distinct().collect()
    found = sorted({*known, *(row["system"] for row in rows)})
    missing = sorted(set(wanted) - set(found))
    if missing or not found:
        raise InputError(
            f"runs: no rows of system {', '.join(missing) or '(any)'}; the table has: "
            f"{', '.join(found) or 'none'}; make them with jobs/retrieve.py"
        )
    return tuple(sorted(wanted)) or tuple(found)


def evaluate(
    runs: DataFrame, qrels: DataFrame, params: EvaluateParams, known_systems: Sequence[str] = ()
) -> Evaluation:
    """The values of every measure for every system, by query and as means.

    It acts: it collects the names of the systems, checks the rows, and keeps one row a system and query in
    Spark's cache (memory, then disk), so that the lists are ranked once for all tables.

    Args:
        runs: table `runs`; its rank column is ignored.
        qrels: table `qrels`.
        params: measures, and the systems.
        known_systems: systems that have a run even if it has no row; every judged query counts 0 for them.

    Raises:
        InputError: a named system is not in the runs, a document stands twice in a list
            or in the judgements of a query, or a score is not a number; the first offender is named.
    """
    measures = parse_measures(params.measures)
    systems = _systems_of(runs, known_systems, params.systems)
    lists = judged_lists(runs, qrels, systems).persist()
    try:
        check_lists(lists, runs, qrels)
    except InputError:
        lists.unpersist()
        raise
    query_metrics = query_metrics_from_lists(lists, measures)
    return Evaluation(lists, systems, query_metrics, metrics_from_lists(lists, query_metrics))
