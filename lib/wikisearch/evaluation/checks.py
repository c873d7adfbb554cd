"""What `runs` and `qrels` must be for their measures to mean anything; trec_eval stops at the same faults."""

import logging
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.evaluation.measures import Measure

_LOG = logging.getLogger(__name__)


def _first_query(is_bad: Column) -> Column:
    """The first query, by its id, whose list is bad; NULL if none is."""
    return F.min(F.when(is_bad, F.col("query_id")))


def _raise_for_qrels(qrels: DataFrame, query: str) -> None:
    judgements = qrels.where(F.col("query_id") == query)
    repeated = judgements.groupBy("doc_id").count().where(F.col("count") > 1).orderBy("doc_id").collect()
    if repeated:
        raise InputError(
            f"qrels: query '{query}' judges document '{repeated[0]['doc_id']}' "
            f"{repeated[0]['count']} times; keep one judgement"
        )
    splits = sorted(row["split"] for row in judgements.select("split").distinct().collect())
    raise InputError(
        f"qrels: query '{query}' stands in the splits {' and '.join(map(repr, splits))}; "
        "put all its judgements into one"
    )


def _raise_for_run(runs: DataFrame, system: str, query: str) -> None:
    listed = runs.where((F.col("system") == system) & (F.col("query_id") == query))
    where = f"runs: system '{system}', query '{query}': document"
    repeated = listed.groupBy("doc_id").count().where(F.col("count") > 1).orderBy("doc_id").collect()
    if repeated:
        raise InputError(
            f"{where} '{repeated[0]['doc_id']}' stands {repeated[0]['count']} times in the list; list it once"
        )
    unscored = listed.where(F.col("score").isNull() | F.isnan("score")).orderBy("doc_id").collect()[0]
    raise InputError(f"{where} '{unscored['doc_id']}' has the score {unscored['score']}; it must be a number")


def _check_grades(lists: DataFrame, measures: Sequence[Measure]) -> None:
    """Raises if a grade is above what ERR takes for the highest one: R would leave [0, 1]."""
    bounds = [int(measure.param("max_grade")) for measure in measures if measure.name == "ERR"]
    if not bounds:
        return
    highest = F.get("grades", F.lit(0))
    offender = F.min(F.struct("query_id", highest.alias("grade")))
    first = lists.where(highest > min(bounds)).agg(offender.alias("first")).collect()[0]["first"]
    if first is not None:
        raise InputError(
            f"qrels: query '{first['query_id']}' has the grade {first['grade']}, and ERR takes {min(bounds)} for "
            f"the highest; name the highest of the qrels: ERR(max_grade={first['grade']})@20"
        )


def check_lists(lists: DataFrame, runs: DataFrame, qrels: DataFrame, measures: Sequence[Measure] = ()) -> None:
    """Raises unless every list can be evaluated; warns of what makes all values 0 or absent (acts once).

    Args:
        lists: `judged_lists` of the runs and qrels.
        runs: system, query_id, doc_id, score; read only to name a fault.
        qrels: query_id, doc_id, split; read only to name a fault.
        measures: what is to be computed.

    Raises:
        InputError: a document stands twice in a list or in the judgements of a query,
            a score is not a number, a query stands in two splits, a grade is too high for ERR; the first
            offender is named.
    """
    has_grades = F.col("grades").isNotNull()
    is_torn = F.col("split") != F.col("last_split")
    by_system = lists.groupBy("system").agg(
        F.count_if(has_grades).alias("num_judged"),
        F.count_if(has_grades & (F.col("num_retrieved") > 0)).alias("num_answers"),
        _first_query((F.col("num_rejudged") > 0) | is_torn).alias("bad_qrels"),
        _first_query((F.col("num_repeated") > 0) | F.col("has_unscored")).alias("bad_list"),
    )
    found: list[Row] = sorted(by_system.collect(), key=lambda row: str(row["system"]))
    if not any(row["num_judged"] for row in found):
        _LOG.warning("the qrels hold no judgement: no measure has a value")
    for row in found:
        if row["bad_qrels"] is not None:
            _raise_for_qrels(qrels, row["bad_qrels"])
    for row in found:
        if row["bad_list"] is not None:
            _raise_for_run(runs, row["system"], row["bad_list"])
    _check_grades(lists, measures)
    for row in found:
        if not row["num_answers"]:
            _LOG.warning("system %s answers no query of the qrels: every value is 0", row["system"])
