"""The families of measures: which expression gives the value of a measure, by the tool that defines it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pyspark.sql import Column

from wikisearch.evaluation.gdeval import gdeval_value
from wikisearch.evaluation.ir_measures_own import ir_measures_value
from wikisearch.evaluation.letor import letor_value
from wikisearch.evaluation.measures import GDEVAL, IR_MEASURES, LETOR, TREC_EVAL, Measure
from wikisearch.evaluation.trec_eval import trec_eval_value

_VALUES: Mapping[str, Callable[[Measure], Column]] = MappingProxyType(
    {
        TREC_EVAL: trec_eval_value,
        GDEVAL: gdeval_value,
        LETOR: letor_value,
        IR_MEASURES: ir_measures_value,
    }
)


def value_of(measure: Measure) -> Column:
    """The value of a measure for one row of `judged_lists` with grades, DOUBLE in [0, 1]."""
    return _VALUES[measure.family](measure)
