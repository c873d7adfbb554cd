"""The measures of LETOR's Eval-Score-4.0.pl, as column expressions over the rows of `judged_lists`.

A LETOR file holds all judged documents of a query, and documents with equal scores stay in the order of its
lines. Definitions are the script's (Qin, Liu, Xu & Li, LETOR, Information Retrieval 13(4), 2010), where l_i is the
label at place i and n the length of the list:

* nDCG@k has gain 2^l - 1 and discount max(1, log2(i)): the second place is not discounted. It is **0 for a list
  of fewer than k documents**, as the script's average has it. With `padded=True` such a list counts as if
  documents without relevance followed, which is what others mean by nDCG@k;
* MeanNDCG is the mean of nDCG@1 to nDCG@n;
* P@k divides by k however short the list is, AP by the number of relevant documents.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from wikisearch.evaluation.list_columns import (
    LINE_HITS,
    average_precision,
    ideal_grades,
    relevant_hits,
    share,
    total,
)
from wikisearch.evaluation.measures import Measure


def _discounted(label: Column, place: Column) -> Column:
    return (F.pow(F.lit(2.0), label) - 1) / F.greatest(F.lit(1.0), F.log2(place))


def _ndcg(measure: Measure) -> Column:
    gains = F.transform(
        relevant_hits(1, measure.cutoff, LINE_HITS), lambda hit: _discounted(hit["relevance"], hit["rank"])
    )
    ideal = F.transform(ideal_grades(measure.cutoff), lambda label, index: _discounted(label, index + 1))
    value = share(total(gains), total(ideal))
    if measure.param("padded"):
        return value
    return F.when(F.col("num_retrieved") >= F.lit(measure.cutoff), value).otherwise(F.lit(0.0))


def _mean_ndcg(_: Measure) -> Column:
    """One walk over the places of the list, with the sums of the list and of the ideal one as they grow."""
    hits = relevant_hits(1, None, LINE_HITS)
    ideal = ideal_grades(None)
    start = F.struct(
        F.lit(0.0).alias("dcg"), F.lit(0.0).alias("ideal_dcg"), F.lit(0.0).alias("sum"), F.lit(0).alias("num_hits")
    )

    def add(state: Column, place: Column) -> Column:
        hit = F.get(hits, state["num_hits"])
        is_hit = F.coalesce(hit["rank"] == place, F.lit(False))
        dcg = state["dcg"] + F.when(is_hit, _discounted(hit["relevance"], place)).otherwise(F.lit(0.0))
        label = F.coalesce(F.get(ideal, place - 1), F.lit(0))
        ideal_dcg = state["ideal_dcg"] + _discounted(label, place)
        return F.struct(
            dcg.alias("dcg"),
            ideal_dcg.alias("ideal_dcg"),
            (state["sum"] + share(dcg, ideal_dcg)).alias("sum"),
            (state["num_hits"] + is_hit.cast("int")).alias("num_hits"),
        )

    length = F.col("num_retrieved").cast("int")
    places = F.when(length > 0, F.sequence(F.lit(1), length)).otherwise(F.array().cast("array<int>"))
    return share(F.aggregate(places, start, add, lambda state: state["sum"]), length)


def _precision(measure: Measure) -> Column:
    return F.size(relevant_hits(1, measure.cutoff, LINE_HITS)) / F.lit(measure.cutoff)


def _average_precision(_: Measure) -> Column:
    return average_precision(1, None, LINE_HITS)


def letor_value(measure: Measure) -> Column:
    """The value of a measure of the family letor for one list, DOUBLE in [0, 1].

    Args:
        measure: of the family letor.

    Returns:
        An expression over the columns grades, line_hits and num_retrieved of `judged_lists`; grades must not
        be NULL.
    """
    values = {"nDCG": _ndcg, "MeanNDCG": _mean_ndcg, "P": _precision, "AP": _average_precision}
    return values[measure.name](measure)
