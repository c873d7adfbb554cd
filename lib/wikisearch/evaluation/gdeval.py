"""The measures of gdeval.pl, the script of TREC's Web Tracks, as column expressions over `judged_lists`.

Definitions are those of gdeval.pl 1.3, where g_i is the grade at rank i, and 0 if the document is not judged or
judged below 0:

* nDCG@k has gain 2^g - 1 and discount log2(i + 1); its ideal list is made of all judged documents
  (Burges et al., Learning to Rank using Gradient Descent, ICML 2005);
* ERR@k = sum over i of 1/i * R_i * product over j < i of (1 - R_j), with R = (2^g - 1) / 2^max_grade (Chapelle,
  Metzler, Zhang & Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009, section 4). It is not
  normalised: an ideal list stays below 1.

Means of gdeval leave out queries without a document judged above 0: the query set `with_relevant`.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from wikisearch.evaluation.list_columns import ideal_grades, relevant_hits, share, total
from wikisearch.evaluation.measures import Measure


def _gain(grade: Column) -> Column:
    return F.pow(F.lit(2.0), grade) - 1


def _ndcg(measure: Measure) -> Column:
    gains = F.transform(
        relevant_hits(1, measure.cutoff), lambda hit: _gain(hit["relevance"]) / F.log2(hit["rank"] + 1)
    )
    ideal = F.transform(ideal_grades(measure.cutoff), lambda grade, index: _gain(grade) / F.log2(index + 2))
    return share(total(gains), total(ideal))


def _err(measure: Measure) -> Column:
    most = float(2 ** int(measure.param("max_grade")))

    def add(state: Column, hit: Column) -> Column:
        stops = _gain(hit["relevance"]) / most
        return F.struct(
            (state["value"] + state["goes_on"] * stops / hit["rank"]).alias("value"),
            (state["goes_on"] * (1 - stops)).alias("goes_on"),
        )

    start = F.struct(F.lit(0.0).alias("value"), F.lit(1.0).alias("goes_on"))
    return F.aggregate(relevant_hits(1, measure.cutoff), start, add, lambda state: state["value"])


def gdeval_value(measure: Measure) -> Column:
    """The value of a measure of the family gdeval for one list, DOUBLE in [0, 1].

    Args:
        measure: of the family gdeval.

    Returns:
        An expression over the columns grades and hits of `judged_lists`; grades must not be NULL, and for ERR
        no grade above its max_grade.
    """
    return {"nDCG": _ndcg, "ERR": _err}[measure.name](measure)
