"""Measures that ir_measures offers and no other family here has, as column expressions over `judged_lists`.

* RBP = (1 - p) * sum over relevant documents of p^(rank - 1) (Moffat & Zobel, Rank-biased precision, TOIS 27(1),
  2008, equation 2), with the persistence p in (0, 1); binary, from grade `rel` on;
* Judged@k is the share of judged documents, of any grade, among the first k; a list of fewer than k documents
  divides by its own length, and one that is not there is 0.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from wikisearch.evaluation.list_columns import HITS, relevant_hits, share, total
from wikisearch.evaluation.measures import Measure


def _rbp(measure: Measure) -> Column:
    persistence = float(measure.param("p"))
    weights = F.transform(
        relevant_hits(measure.level, measure.cutoff), lambda hit: F.pow(F.lit(persistence), hit["rank"] - 1)
    )
    return total(weights) * (1 - persistence)


def _judged(measure: Measure) -> Column:
    judged = F.filter(HITS, lambda hit: hit["rank"] <= F.lit(measure.cutoff))
    return share(F.size(judged), F.least(F.col("num_retrieved"), F.lit(measure.cutoff)))


def ir_measures_value(measure: Measure) -> Column:
    """The value of a measure of the family ir_measures for one list, DOUBLE in [0, 1].

    Args:
        measure: of the family ir_measures.

    Returns:
        An expression over the columns hits and num_retrieved of `judged_lists`.
    """
    return {"RBP": _rbp, "Judged": _judged}[measure.name](measure)
