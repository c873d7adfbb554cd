"""Column expressions over the rows of `judged_lists` that the families of measures share.

Sums run over arrays that are in the order of ranks, so that a value has the same bits on every run.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

HITS, LINE_HITS = "hits", "line_hits"


def total(terms: Column) -> Column:
    """The sum of an array of doubles, from first to last."""
    return F.aggregate(terms, F.lit(0.0), lambda total, term: total + term)


def share(part: Column, whole: Column) -> Column:
    """part / whole, and 0 where the whole is 0."""
    return F.when(whole > 0, part / whole).otherwise(F.lit(0.0))


def num_relevant(level: int) -> Column:
    """R: the relevant documents of the query, retrieved or not."""
    return F.size(F.filter("grades", lambda grade: grade >= level))


def relevant_hits(level: int, cutoff: int | None, hits: str = HITS) -> Column:
    """The relevant documents of the first `cutoff` ranks, by rank.

    Args:
        level: the smallest grade that counts as relevant.
        cutoff: None for all ranks.
        hits: the column of ranked lists: `HITS`, or `LINE_HITS`.
    """

    def is_counted(hit: Column) -> Column:
        is_relevant = hit["relevance"] >= level
        return is_relevant if cutoff is None else is_relevant & (hit["rank"] <= cutoff)

    return F.filter(hits, is_counted)


def ideal_grades(cutoff: int | None) -> Column:
    """Grades above 0 of the query's judgements, highest first, the first `cutoff` of them."""
    positive = F.filter("grades", lambda grade: grade > 0)
    return positive if cutoff is None else F.slice(positive, 1, cutoff)


def average_precision(level: int, cutoff: int | None, hits: str = HITS) -> Column:
    """The sum over relevant documents of (relevant ones so far / rank), over all relevant ones that there are."""
    precisions = F.transform(
        relevant_hits(level, cutoff, hits), lambda hit, index: (index + 1) / hit["rank"]
    )
    return share(total(precisions), num_relevant(level))
