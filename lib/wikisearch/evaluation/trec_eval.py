"""The measures of trec_eval, as column expressions over the rows of `judged_lists`.

Definitions are those of trec_eval 9 (Buckley; m_*.c), where g_i is the grade at rank i, `level` the smallest
grade that counts as relevant and R the number of relevant documents in the qrels:

* a document that is not judged, or judged below 0, has gain 0 and is not relevant, and it holds its rank;
* P@k divides by k however short the list is, R@k, AP and AP@k divide by R, and all are 0 where R is 0;
* nDCG has linear gain (g_i, not 2^g_i - 1) and discount log2(i + 1), and its ideal list is made of **all**
  judged documents, retrieved or not (Jaervelin & Kekaelaeinen, TOIS 20(4), 2002, with trec_eval's discount).

Sums run over arrays that are in the order of ranks, so that a value has the same bits on every run.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F

from wikisearch.evaluation.list_columns import (
    HITS,
    average_precision,
    ideal_grades,
    num_relevant,
    relevant_hits,
    share,
    total,
)
from wikisearch.evaluation.measures import Measure

_INFERRED_EPSILON = 1e-5


def _precision(measure: Measure) -> Column:
    return F.size(relevant_hits(measure.level, measure.cutoff)) / F.lit(measure.cutoff)


def _recall(measure: Measure) -> Column:
    found = F.size(relevant_hits(measure.level, measure.cutoff))
    return share(found, num_relevant(measure.level))


def _r_precision(measure: Measure) -> Column:
    num_all = num_relevant(measure.level)
    found = F.filter(relevant_hits(measure.level, None), lambda hit: hit["rank"] <= num_all)
    return share(F.size(found), num_all)


def _success(measure: Measure) -> Column:
    return (F.size(relevant_hits(measure.level, measure.cutoff)) > 0).cast("double")


def _reciprocal_rank(measure: Measure) -> Column:
    first = F.get(relevant_hits(measure.level, measure.cutoff), F.lit(0))
    return F.coalesce(F.lit(1.0) / first["rank"], F.lit(0.0))


def _average_precision(measure: Measure) -> Column:
    return average_precision(measure.level, measure.cutoff)


def _ndcg(measure: Measure) -> Column:
    ideal = F.transform(ideal_grades(measure.cutoff), lambda grade, index: grade / F.log2(index + 2))
    gains = F.transform(relevant_hits(1, measure.cutoff), lambda hit: hit["relevance"] / F.log2(hit["rank"] + 1))
    return share(total(gains), total(ideal))


def _interpolated_precision(measure: Measure) -> Column:
    """The highest precision at any rank from which on recall is at least that of the measure, 0 if none is.

    As in trec_eval (m_iprec_at_recall.c) recall r is reached with floor(r R + 0.9) relevant documents.
    """
    wanted = F.floor(F.lit(measure.param("recall")) * num_relevant(measure.level) + F.lit(0.9))
    precisions = F.transform(
        relevant_hits(measure.level, None),
        lambda hit, index: F.when(index + 1 >= wanted, (index + 1) / hit["rank"]),
    )
    return F.coalesce(F.array_max(precisions), F.lit(0.0))


def _bpref(measure: Measure) -> Column:
    """How rarely a judged nonrelevant document stands above a relevant one (Buckley & Voorhees, SIGIR 2004).

    Grades below 0 are not judgements here, as in trec_eval.
    """
    level = measure.level
    num_all = num_relevant(level)
    num_nonrelevant = F.size(F.filter("grades", lambda grade: (grade >= 0) & (grade < level)))
    judged = F.filter("hits", lambda hit: hit["relevance"] >= 0)
    # The places of the relevant documents among the judged ones. Those above the document at a place that
    # are not relevant are its place less the relevant ones before it.
    places = F.filter(
        F.transform(judged, lambda hit, place: F.when(hit["relevance"] >= level, place)),
        lambda place: place.isNotNull(),
    )
    bound = F.least(num_all, num_nonrelevant)
    terms = F.transform(
        places,
        lambda place, before: (
            F.lit(1.0)
            - F.when(place > before, F.least(place - before, num_all) / bound).otherwise(F.lit(0.0))
        ),
    )
    return share(total(terms), num_all)


def _inferred_ap(measure: Measure) -> Column:
    """AP where the pool's documents without a judgement (grades below 0) count at the judged ones' rate.

    Yilmaz & Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006, section 3;
    constants as in trec_eval. A document that is not in the qrels was not in the pool, and is not relevant.
    """
    level = measure.level
    counts = [F.lit(0).alias(name) for name in ("relevant", "judged", "pool")]
    start = F.struct(F.lit(0.0).alias("sum"), *counts)

    def add(state: Column, hit: Column) -> Column:
        is_relevant = hit["relevance"] >= level
        above = hit["rank"] - 1
        rate = (state["relevant"] + _INFERRED_EPSILON) / (state["judged"] + 2 * _INFERRED_EPSILON)
        inferred = 1 / hit["rank"] + (above / hit["rank"]) * (state["pool"] / above) * rate
        term = F.when(above == 0, F.lit(1.0)).otherwise(inferred)
        return F.struct(
            (state["sum"] + F.when(is_relevant, term).otherwise(F.lit(0.0))).alias("sum"),
            (state["relevant"] + is_relevant.cast("int")).alias("relevant"),
            (state["judged"] + (hit["relevance"] >= 0).cast("int")).alias("judged"),
            (state["pool"] + 1).alias("pool"),
        )

    return share(F.aggregate(HITS, start, add, lambda state: state["sum"]), num_relevant(level))


_VALUES: Mapping[str, Callable[[Measure], Column]] = MappingProxyType(
    {
        "nDCG": _ndcg,
        "P": _precision,
        "R": _recall,
        "AP": _average_precision,
        "RR": _reciprocal_rank,
        "Rprec": _r_precision,
        "Success": _success,
        "Bpref": _bpref,
        "infAP": _inferred_ap,
        "IPrec": _interpolated_precision,
    }
)


def trec_eval_value(measure: Measure) -> Column:
    """The value of a measure for one list, DOUBLE in [0, 1].

    Args:
        measure: any that `parse_measure` gives.

    Returns:
        An expression over the columns grades and hits of `judged_lists`; grades must not be NULL.
    """
    return _VALUES[measure.name](measure)
