"""Histograms on logarithmic axes, from one pass over `pagerank`; equal for any order of its rows."""

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.report.facts import Bin, Histogram

BINS_PER_DECADE = 5


def graph_histograms(pagerank: DataFrame) -> dict[str, Histogram]:
    """The histograms of in_degree, out_degree and pagerank, by these names (acts: one aggregation).

    Degrees fall into [1, 2), [2, 4), [4, 8), ...; PageRanks into BINS_PER_DECADE bins to a power of ten.

    Args:
        pagerank: table `pagerank`; reads in_degree and out_degree (from 0) and pagerank (in [0, 1]).
    """
    counts = _exponents(pagerank)
    return {
        "in_degree": _histogram(counts["in_degree"], lambda exponent: 2**exponent),
        "out_degree": _histogram(counts["out_degree"], lambda exponent: 2**exponent),
        "pagerank": _histogram(counts["pagerank"], lambda exponent: 10 ** (exponent / BINS_PER_DECADE)),
    }


def _exponents(pagerank: DataFrame) -> Mapping[str, Mapping[int | None, int]]:
    """For each column, how many of its values have each exponent; None is that of 0."""
    exponents = {
        # The length of a binary numeral is the exponent exactly; a logarithm would be so up to rounding.
        "in_degree": F.length(F.bin("in_degree")) - 1,
        "out_degree": F.length(F.bin("out_degree")) - 1,
        "pagerank": F.floor(F.log10("pagerank") * BINS_PER_DECADE),
    }
    pairs = (
        F.struct(F.lit(name).alias("name"), F.when(F.col(name) > 0, exponent).cast("int").alias("exponent"))
        for name, exponent in exponents.items()
    )
    rows = (
        pagerank.select(F.inline(F.array(*pairs)))
        .groupBy("name", "exponent")
        .agg(F.count("*").alias("num_rows"))
        .collect()
    )
    return {
        name: {row.exponent: row.num_rows for row in rows if row["name"] == name} for name in exponents
    }


def _histogram(counts: Mapping[int | None, int], edge: Callable[[int], float]) -> Histogram:
    """The histogram of values with these exponents; `edge` gives the lower end of a bin."""
    exponents = sorted(exponent for exponent in counts if exponent is not None)
    return Histogram(
        num_zero=counts.get(None, 0),
        bins=tuple(Bin(edge(each), edge(each + 1), counts[each]) for each in exponents),
    )
