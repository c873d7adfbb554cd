"""Systems against a baseline: `query_metrics` to `comparisons`, paired by query.

Differences are taken first, within each query, and then tested; values of one system and measure are brought
together by one shuffle and ordered by query, so that a row has the same bits for any partitioning.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.evaluate import ALL_SPLITS
from wikisearch.evaluation.measures import parse_measures
from wikisearch.evaluation.significance import (
    T_TEST,
    TESTS,
    Differences,
    bonferroni,
    confidence_interval,
    effect_size,
    holm,
    paired_test,
)
from wikisearch.frames import conform, without_nullability
from wikisearch.schemas import TABLES

_LOG = logging.getLogger(__name__)
_MEASURE_KEY = ("family", "measure")
_KEY = ("system", *_MEASURE_KEY)
_BETWEEN = "\x1f"  # stands in no name
# What the m of a correction counts: all comparisons, or those of one system, or those of one measure.
CORRECTION_FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"all": (), "system": ("system",), "measure": _MEASURE_KEY}
)


@dataclass(frozen=True)
class CompareParams:
    """Parameters of `compare`."""

    baseline: str = field(default="bm25", metadata={"help": "system that the others are compared with"})
    systems: tuple[str, ...] = field(
        default=(), metadata={"help": "systems to compare with it; every other one if none is named"}
    )
    measures: tuple[str, ...] = field(
        default=(),
        metadata={"help": "measures to compare, in the order in which they are shown; every one if none is named"},
    )
    split: str = field(default=ALL_SPLITS, metadata={"help": "split whose queries count, such as test"})
    tests: tuple[str, ...] = field(
        default=(T_TEST,), metadata={"help": f"paired two-sided tests: {', '.join(TESTS)}"}
    )
    correction_family: str = field(
        default="all",
        metadata={
            "help": "what one correction spans: all (every system and measure), system (the measures of one "
            "system, as wikIR has it) or measure (the systems of one measure)"
        },
    )
    confidence: float = field(default=0.95, metadata={"help": "of the interval of the mean difference"})
    num_rounds: int = field(
        default=10_000, metadata={"help": "assignments of signs that the randomisation test tries"}
    )
    seed: int = field(default=42, metadata={"help": "of the randomisation test"})

    def __post_init__(self) -> None:
        unknown = [test for test in self.tests if test not in TESTS]
        if unknown or not self.tests or len(set(self.tests)) < len(self.tests):
            raise UsageError(
                f"tests {' '.join(self.tests) or '(none)'}: name each of {', '.join(TESTS)} once at most"
            )
        if self.correction_family not in CORRECTION_FAMILIES:
            raise UsageError(
                f"correction_family {self.correction_family}: must be one of {', '.join(CORRECTION_FAMILIES)}"
            )
        if not 0 < self.confidence < 1:
            raise UsageError(f"confidence {self.confidence}: must be above 0 and below 1, such as 0.95")
        if self.num_rounds < 1:
            raise UsageError(f"num_rounds {self.num_rounds}: must be at least 1")
        if self.measures:
            parse_measures(self.measures)
        if self.baseline in self.systems:
            raise UsageError(f"systems: '{self.baseline}' is the baseline; name others")


def compare(query_metrics: DataFrame, params: CompareParams) -> DataFrame:
    """The table `comparisons`: each system against the baseline, for each measure and test.

    It acts: it collects the names of systems and measures. Measures that only one of two systems has values of
    are left out with a warning; where there is nothing to compare, the table is empty, with a warning.

    Args:
        query_metrics: table of `schemas`. Under the query set all_qrels a query that a system does not answer
            has the value 0 there, and counts so.
        params: which systems, tests and correction.

    Returns:
        Unique by baseline, system, family, measure and test. m of the corrections is `num_comparisons`: all
        rows of the table with the same test in the same family of corrections.

    Raises:
        InputError: the baseline or a named system has no values in the split, or the baseline none of a named
            measure.
    """
    is_in_split = F.lit(True) if params.split == ALL_SPLITS else F.col("split") == params.split
    values = query_metrics.where(is_in_split).select(*_KEY, "query_id", "value")
    compared = _compared(values, params)
    if not compared:
        _LOG.warning("nothing to compare with %s: no other system has values of its measures", params.baseline)
        return conform(query_metrics.sparkSession.createDataFrame([], TABLES["comparisons"].struct), "comparisons")
    theirs = values.where(F.col("system") == params.baseline).drop("system")
    theirs = theirs.withColumnRenamed("value", "baseline_value")
    # Each system meets every query of the baseline, so that one without a partner is seen from either side.
    systems = sorted({system for system, _, _ in compared})
    grid = theirs.withColumn("system", F.explode(F.array(*[F.lit(system) for system in systems])))
    is_compared = F.concat_ws(_BETWEEN, *_KEY).isin([_BETWEEN.join(key) for key in compared])
    pairs = values.join(grid, on=[*_KEY, "query_id"], how="full").where(is_compared)
    tested = pairs.groupBy(*_KEY).applyInPandas(lambda group: _tested(group, params), _tested_struct())
    corrected = tested.groupBy("test", *CORRECTION_FAMILIES[params.correction_family]).applyInPandas(
        _corrected, without_nullability(TABLES["comparisons"].struct)
    )
    return conform(corrected, "comparisons")


def sorted_differences(
    query_metrics: DataFrame, comparison: Mapping[str, str], max_values: int
) -> tuple[int, list[float]]:
    """How many queries two systems share, and their differences, ascending (acts).

    Args:
        query_metrics: table of `schemas`.
        comparison: baseline, system, family, measure and split.
        max_values: of more queries than this, so many quantiles are given, at even distances.
    """
    split = comparison["split"]
    is_in_split = F.lit(True) if split == ALL_SPLITS else F.col("split") == split
    is_measure = (F.col("family") == comparison["family"]) & (F.col("measure") == comparison["measure"])
    values = query_metrics.where(is_in_split & is_measure)
    ours = values.where(F.col("system") == comparison["system"]).select("query_id", "value")
    theirs = values.where(F.col("system") == comparison["baseline"]).select(
        "query_id", F.col("value").alias("baseline_value")
    )
    difference = (F.col("value") - F.col("baseline_value")).alias("value")
    differences = ours.join(theirs, on="query_id").select(difference)
    num_queries = differences.count()
    if not num_queries:
        return 0, []
    num_values = min(num_queries, max_values)
    shares = [place / max(num_values - 1, 1) for place in range(num_values)]
    found = differences.agg(F.percentile("value", F.array(*map(F.lit, shares))).alias("values")).collect()[0]
    return num_queries, list(found["values"])


def _compared(values: DataFrame, params: CompareParams) -> list[tuple[str, str, str]]:
    """System, family and measure of what is compared, sorted: measures that both systems have values of."""
    found: dict[str, set[tuple[str, str]]] = {}
    for row in values.select(*_KEY).distinct().collect():
        found.setdefault(row["system"], set()).add((row["family"], row["measure"]))
    wanted = params.systems or tuple(system for system in found if system != params.baseline)
    missing = sorted({params.baseline, *wanted} - set(found))
    where = "" if params.split == ALL_SPLITS else f" on split '{params.split}'"
    if not found and not params.systems and params.split == ALL_SPLITS:
        return []  # a collection without queries
    if missing:
        raise InputError(
            f"query_metrics: no values of {', '.join(missing)}{where}; there are: "
            f"{', '.join(sorted(found)) or 'none'}; make them with jobs/evaluate_runs.py"
        )
    measures = found[params.baseline]
    if params.measures:
        named = {(each.family, each.spelling): str(each) for each in parse_measures(params.measures)}
        lacking = [name for key, name in named.items() if key not in measures]
        if lacking:
            raise InputError(
                f"query_metrics: {params.baseline} has no values of {', '.join(lacking)}{where}; there are: "
                + ", ".join(sorted(f"{family}:{measure}" for family, measure in measures))
            )
        found = {system: keys & set(named) for system, keys in found.items()}
        measures = found[params.baseline]
    for system in sorted(wanted):
        for family, measure in sorted(found[system] ^ measures):
            _LOG.warning("%s of %s is left out for %s: it or the baseline has no values", measure, family, system)
    return [(system, *key) for system in sorted(wanted) for key in sorted(found[system] & measures)]


def _tested_struct() -> T.StructType:
    corrected = {"p_bonferroni", "p_holm", "num_comparisons"}
    fields = [each for each in TABLES["comparisons"].struct.fields if each.name not in corrected]
    return without_nullability(T.StructType(fields))


def _tested(group: pd.DataFrame, params: CompareParams) -> pd.DataFrame:
    """The rows of one system and measure, one a test, without corrections."""
    is_pair = group["value"].notna() & group["baseline_value"].notna()
    pairs = group[is_pair].sort_values("query_id")
    differences: Differences = (pairs["value"] - pairs["baseline_value"]).to_numpy(np.float64)
    low, high = confidence_interval(differences, params.confidence)
    common: dict[str, Any] = {
        "baseline": params.baseline,
        **{name: group[name].iloc[0] for name in _KEY},
        "split": params.split,
        "num_queries": len(pairs),
        "num_queries_unpaired": len(group) - len(pairs),
        "mean": _mean(pairs["value"].to_numpy(np.float64)),
        "baseline_mean": _mean(pairs["baseline_value"].to_numpy(np.float64)),
        "difference": _mean(differences),
        "confidence": params.confidence,
        "interval_low": low,
        "interval_high": high,
        "effect_size": effect_size(differences),
        "num_wins": int((differences > 0).sum()),
        "num_ties": int((differences == 0).sum()),
        "num_losses": int((differences < 0).sum()),
        "correction_family": params.correction_family,
    }
    rows = []
    for test in params.tests:
        found = paired_test(test, differences, num_rounds=params.num_rounds, seed=params.seed)
        rows.append(common | {"test": test, "statistic": found.statistic, "p_value": found.p_value})
    return _without_nan(pd.DataFrame(rows))[_tested_struct().names]


def _corrected(group: pd.DataFrame) -> pd.DataFrame:
    """The rows of one family of corrections with what it adds."""
    p_values: Sequence[float] = group["p_value"].astype(float).tolist()
    corrected = group.assign(p_bonferroni=bonferroni(p_values), p_holm=holm(p_values), num_comparisons=len(group))
    return _without_nan(corrected)[list(TABLES["comparisons"].column_names)]


def _without_nan(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows in which what is undefined is NULL: Spark takes NaN for a number, the largest one."""
    return rows.astype(object).where(rows.notna(), None)


def _mean(values: Differences) -> float:
    return float(values.mean()) if len(values) else math.nan
