"""Values of measures for each query, and their means: `runs` and `qrels` to `query_metrics` and `metrics`.

Which queries a mean is taken over is its **query set**; tools differ here, and so do their means:

* `all_qrels`, the default: every query of the qrels; one that a run does not answer counts 0, and so does one
  without a relevant document (trec_eval's option -c; ir_measures);
* `intersection`: queries that the run answers (trec_eval without -c);
* `with_relevant`: queries that have a document judged above 0 (gdeval's option -c);
* `answered_with_relevant`: both (gdeval without -c).

A query that only the run has is left out of each. How many of each kind there were stands beside every mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.checks import check_lists
from wikisearch.evaluation.families import value_of
from wikisearch.evaluation.judged_lists import POSITION, judged_lists
from wikisearch.evaluation.measures import DEFAULT_MEASURES, LETOR, Measure, parse_measures
from wikisearch.frames import conform

ALL_SPLITS = "all"
_KEY = ("system", "query_id", "split")
QUERY_SETS = ALL_QRELS, INTERSECTION, WITH_RELEVANT, ANSWERED_WITH_RELEVANT = (
    "all_qrels",
    "intersection",
    "with_relevant",
    "answered_with_relevant",
)


@dataclass(frozen=True)
class EvaluateParams:
    """Parameters of `evaluate`."""

    measures: tuple[str, ...] = field(
        default=DEFAULT_MEASURES,
        metadata={
            "help": "measures as ir_measures spells them, such as nDCG@10 AP P(rel=2)@5; a tool's name before one "
            "takes that tool's definition: gdeval:nDCG@20 letor:nDCG@10"
        },
    )
    systems: tuple[str, ...] = field(
        default=(), metadata={"help": "systems of the runs table to evaluate; every one if none is named"}
    )
    query_sets: tuple[str, ...] = field(
        default=(ALL_QRELS,),
        metadata={
            "help": "queries that means are taken over: all_qrels, intersection (those that the run answers), "
            "with_relevant (those that have a relevant document), answered_with_relevant"
        },
    )
    depth: int | None = field(
        default=None,
        metadata={"help": "how many documents of each ranked list count (trec_eval -M); all if it is not set"},
    )

    def __post_init__(self) -> None:
        parse_measures(self.measures)
        if len(set(self.systems)) < len(self.systems):
            raise UsageError(f"systems {' '.join(self.systems)}: one is named twice; name each once")
        unknown = [query_set for query_set in self.query_sets if query_set not in QUERY_SETS]
        if unknown or not self.query_sets or len(set(self.query_sets)) < len(self.query_sets):
            raise UsageError(
                f"query_sets {' '.join(self.query_sets) or '(none)'}: name each of {', '.join(QUERY_SETS)} "
                "once at most"
            )
        if self.depth is not None and self.depth < 1:
            raise UsageError(f"depth {self.depth}: must be 1 or more")


@dataclass(frozen=True)
class SystemEvaluation:
    """One system's rows of `query_metrics` and `metrics`, and its means over all splits, by what they are of."""

    system: str
    query_metrics: DataFrame
    metrics: DataFrame
    means: Mapping[str, float]


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found; the tables are computed when they are written.

    Use it in a `with` statement, whose end takes the ranked lists out of Spark's cache.

    Attributes:
        lists: `judged_lists` with the values of the measures, in Spark's cache.
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
            means = metrics.where(F.col("split") == ALL_SPLITS).collect()
            named = {
                f"{row['family']}:{row['measure']} ({row['query_set']})": row["mean"] for row in means
            }
            yield SystemEvaluation(
                system, self.query_metrics.where(is_its), metrics, dict(sorted(named.items()))
            )


def with_values(lists: DataFrame, measures: Sequence[Measure]) -> DataFrame:
    """Adds `values`, ARRAY<DOUBLE>: the value of each measure, in their order.

    Args:
        lists: rows of `judged_lists`. What stands in those without grades means nothing.
        measures: what to compute.
    """
    values = [value_of(measure).cast("double") for measure in measures]
    return lists.withColumn("values", F.array(*values))


def _named(measures: Sequence[Measure]) -> Column:
    """The family and spelling of the measure at `place`."""
    names = [
        F.struct(F.lit(measure.family).alias("family"), F.lit(measure.spelling).alias("measure"))
        for measure in measures
    ]
    return F.get(F.array(*names), F.col("place"))


def query_metrics_from_values(valued: DataFrame, measures: Sequence[Measure]) -> DataFrame:
    """The table `query_metrics`: the value of each measure for each system and each query of the qrels.

    Args:
        valued: of `with_values`; lists without grades are left out.
        measures: of the values.

    Returns:
        Unique by system, family, measure and query_id; value in [0, 1], with the same bits for any
        partitioning.
    """
    values = valued.where(F.col("grades").isNotNull()).select(
        *_KEY, F.posexplode("values").alias("place", "value")
    )
    named = values.select(*_KEY, "value", _named(measures).alias("named")).select(*_KEY, "value", "named.*")
    return conform(named, "query_metrics")


def metrics_from_values(
    valued: DataFrame, measures: Sequence[Measure], query_sets: Sequence[str] = (ALL_QRELS,)
) -> DataFrame:
    """The table `metrics`: the mean of each measure over each query set, by split and over all splits.

    Args:
        valued: of `with_values`.
        measures: of the values.
        query_sets: some of `QUERY_SETS`.

    Returns:
        Unique by system, family, measure, split and query_set, where split `all` takes every query; a query
        set without a query has no row. Means have the same bits for any partitioning.
    """
    is_judged, is_answered = F.col("grades").isNotNull(), F.col("num_retrieved") > 0
    has_relevant = is_judged & F.coalesce(F.get("grades", F.lit(0)) > 0, F.lit(False))
    members = {
        ALL_QRELS: is_judged,
        INTERSECTION: is_judged & is_answered,
        WITH_RELEVANT: has_relevant,
        ANSWERED_WITH_RELEVANT: has_relevant & is_answered,
    }
    # A sum of doubles depends on its order and one sorted array of all queries does not scale; decimals add
    # up exactly. The cast keeps 18 decimal places, more than a double in [0, 1] needs beside its mean.
    value = F.col("value").cast("decimal(38, 18)")
    sets = [
        F.struct(
            F.lit(query_set).alias("query_set"),
            F.sum(F.when(F.col(query_set), value)).cast("double").alias("total"),
            F.count_if(query_set).alias("num_queries"),
        )
        for query_set in query_sets
    ]
    group = ("system", "split", "place")
    by_group = (
        valued.select(
            "system",
            F.explode(F.array_distinct(F.array("split", F.lit(ALL_SPLITS)))).alias("split"),
            "values",
            is_answered.alias("is_answered"),
            *[is_member.alias(query_set) for query_set, is_member in members.items()],
        )
        .select("system", "split", "is_answered", *members, F.posexplode("values").alias("place", "value"))
        .groupBy(*group)
        .agg(
            F.array(*sets).alias("sets"),
            F.count_if("is_answered").alias("num_queries_in_run"),
            F.count_if(ALL_QRELS).alias("num_queries_in_qrels"),
            F.count_if(F.col(ALL_QRELS) & ~F.col(WITH_RELEVANT)).alias("num_queries_without_relevant"),
        )
    )
    counts = ("num_queries_in_run", "num_queries_in_qrels", "num_queries_without_relevant")
    means = (
        by_group.select("system", "split", *counts, _named(measures).alias("named"), F.inline("sets"))
        .where(F.col("num_queries") > 0)
        .withColumn("mean", F.col("total") / F.col("num_queries"))
        .select("system", "split", *counts, "named.*", "query_set", "mean", "num_queries")
    )
    return conform(means, "metrics")


def _systems_of(runs: DataFrame, known: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    found = sorted(known or (row["system"] for row in runs.select("system").distinct().collect()))
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

    It acts: it collects the names of the systems where they are not known, checks the rows, and keeps one row a
    system and query in Spark's cache (memory, then disk), so that the lists are ranked once for all tables.

    Args:
        runs: table `runs`; its rank column is ignored. For the family letor also position, as of `judged_lists`.
        qrels: table `qrels`.
        params: measures, systems and query sets.
        known_systems: the systems of `runs`, where they are known: it takes a pass over the rows to find them. One
            without a row counts 0 for every judged query.

    Raises:
        InputError: a named system is not in the runs, a document stands twice in a list
            or in the judgements of a query, a score is not a number, or a grade is above the max_grade of
            ERR; the first offender is named.
    """
    measures = parse_measures(params.measures)
    systems = _systems_of(runs, known_systems, params.systems)
    by_line = any(measure.family == LETOR for measure in measures)
    if by_line and POSITION not in runs.columns:
        raise InputError(
            "the measures of letor need the order of lines, which the table runs has not: evaluate files, as in "
            "jobs/evaluate_runs.py --qrels FILE --run FILE"
        )
    ranked = judged_lists(runs, qrels, systems, by_line=by_line, depth=params.depth)
    lists = with_values(ranked, measures).persist()
    try:
        check_lists(lists, runs, qrels, measures)
    except InputError:
        lists.unpersist()
        raise
    return Evaluation(
        lists,
        systems,
        query_metrics_from_values(lists, measures),
        metrics_from_values(lists, measures, params.query_sets),
    )
