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

from wikisearch.evaluation.measures import Measure

FAMILY = "trec_eval"


def _sum(terms: Column) -> Column:
    """The sum of an array of doubles, from first to last."""
    return F.aggregate(terms, F.lit(0.0), lambda total, term: total + term)


def _share(part: Column, whole: Column) -> Column:
    """part / whole, and 0 where the whole is 0."""
    return F.when(whole > 0, part / whole).otherwise(F.lit(0.0))


def _num_relevant(level: int) -> Column:
    """R: the relevant documents of the query, retrieved or not."""
    return F.size(F.filter("grades", lambda grade: grade >= level))


def _relevant_hits(level: int, cutoff: int | None) -> Column:
    """The relevant documents of the first `cutoff` ranks, by rank."""

    def is_counted(hit: Column) -> Column:
        is_relevant = hit["relevance"] >= level
        return is_relevant if cutoff is None else is_relevant & (hit["rank"] <= cutoff)

    return F.filter("hits", is_counted)


def _precision(measure: Measure) -> Column:
    return F.size(_relevant_hits(measure.level, measure.cutoff)) / F.lit(measure.cutoff)


def _recall(measure: Measure) -> Column:
    found = F.size(_relevant_hits(measure.level, measure.cutoff))
    return _share(found, _num_relevant(measure.level))


def _r_precision(measure: Measure) -> Column:
    num_relevant = _num_relevant(measure.level)
    found = F.filter(_relevant_hits(measure.level, None), lambda hit: hit["rank"] <= num_relevant)
    return _share(F.size(found), num_relevant)


def _success(measure: Measure) -> Column:
    return (F.size(_relevant_hits(measure.level, measure.cutoff)) > 0).cast("double")


def _reciprocal_rank(measure: Measure) -> Column:
    first = F.get(_relevant_hits(measure.level, measure.cutoff), F.lit(0))
    return F.coalesce(F.lit(1.0) / first["rank"], F.lit(0.0))


def _average_precision(measure: Measure) -> Column:
    precisions = F.transform(
        _relevant_hits(measure.level, measure.cutoff), lambda hit, index: (index + 1) / hit["rank"]
    )
    return _share(_sum(precisions), _num_relevant(measure.level))


def _ndcg(measure: Measure) -> Column:
    positive = F.filter("grades", lambda grade: grade > 0)
    ideal = positive if measure.cutoff is None else F.slice(positive, 1, measure.cutoff)
    ideal_gains = F.transform(ideal, lambda grade, index: grade / F.log2(index + 2))
    gains = F.transform(_relevant_hits(1, measure.cutoff), lambda hit: hit["relevance"] / F.log2(hit["rank"] + 1))
    return _share(_sum(gains), _sum(ideal_gains))


def _bpref(measure: Measure) -> Column:
    """How rarely a judged nonrelevant document stands above a relevant one (Buckley & Voorhees, SIGIR 2004).

    Grades below 0 are not judgements here, as in trec_eval.
    """
    level = measure.level
    num_relevant = _num_relevant(level)
    num_nonrelevant = F.size(F.filter("grades", lambda grade: (grade >= 0) & (grade < level)))
    judged = F.filter("hits", lambda hit: hit["relevance"] >= 0)
    # The places of the relevant documents among the judged ones. Those above the document at a place that
    # are not relevant are its place less the relevant ones before it.
    places = F.filter(
        F.transform(judged, lambda hit, place: F.when(hit["relevance"] >= level, place)),
        lambda place: place.isNotNull(),
    )
    bound = F.least(num_relevant, num_nonrelevant)
    terms = F.transform(
        places,
        lambda place, before: (
            F.lit(1.0)
            - F.when(place > before, F.least(place - before, num_relevant) / bound).otherwise(F.lit(0.0))
        ),
    )
    return _share(_sum(terms), num_relevant)


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
