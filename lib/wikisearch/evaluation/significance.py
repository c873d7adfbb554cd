"""Paired tests of the difference between two systems, over the same queries; the rules, on arrays.

A difference is a query's value of the system less that of the baseline, so that a positive statistic says that
the system is better. What cannot be told is NaN: a test of fewer than two queries, or of differences that are
all 0. Where all differences are the same other number, t is infinite and its p-value 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

TESTS = T_TEST, WILCOXON, RANDOMISATION = "t-test", "wilcoxon", "randomisation"
_SIGNS_AT_ONCE = 1 << 22  # of the randomisation test: 32 MB of doubles
# Two sums of the same differences in another order differ by less; as scipy's permutation test has it.
_SAME = 1e-14 * 100

Differences = NDArray[np.float64]


@dataclass(frozen=True)
class TestResult:
    """The outcome of one two-sided test.

    Attributes:
        statistic: t, or Wilcoxon's W (the smaller sum of ranks), or the mean difference; NaN if undefined.
        p_value: in [0, 1], or NaN if undefined.
    """

    statistic: float
    p_value: float


_UNDEFINED = TestResult(math.nan, math.nan)


def t_test(differences: Differences) -> TestResult:
    """Student's paired t-test with n - 1 degrees of freedom (Student, Biometrika 6(1), 1908).

    Args:
        differences: one a query.
    """
    if len(differences) < 2 or not differences.any():
        return _UNDEFINED
    if np.ptp(differences) == 0:
        return TestResult(math.copysign(math.inf, differences[0]), 0.0)
    found = stats.ttest_1samp(differences, 0.0)
    return TestResult(float(found.statistic), float(found.pvalue))


def wilcoxon(differences: Differences) -> TestResult:
    """Wilcoxon's signed-rank test, differences of 0 left out (Wilcoxon, Biometrics Bulletin 1(6), 1945).

    The p-value is exact up to 50 differences without ties, else from the normal distribution, as in scipy.

    Args:
        differences: one a query.
    """
    if len(differences) < 2 or not differences.any():
        return _UNDEFINED
    found = stats.wilcoxon(differences)
    return TestResult(float(found.statistic), float(found.pvalue))


def randomisation_test(differences: Differences, num_rounds: int, seed: int) -> TestResult:
    """Fisher's randomisation test of the mean difference (Smucker, Allan & Carterette, CIKM 2007, section 2.3).

    Under the null hypothesis each difference could as well have the other sign. Where there are no more
    assignments of signs than rounds, all are tried and the p-value is exact; else `num_rounds` random ones are,
    and the one observed counts among them, so that the p-value is never 0 (Phipson & Smyth, SAGMB 9(1), 2010).

    Args:
        differences: one a query.
        num_rounds: assignments of signs to try.
        seed: of the random signs; the same seed and differences give the same p-value.
    """
    num_queries = len(differences)
    if num_queries < 2 or not differences.any():
        return _UNDEFINED
    total = float(differences.sum())
    bound = abs(total) * (1 - _SAME)
    is_exact = num_queries < 63 and 2**num_queries <= num_rounds
    num_tried = 2**num_queries if is_exact else num_rounds
    random = np.random.default_rng(seed)
    num_extreme = 0
    step = max(1, _SIGNS_AT_ONCE // num_queries)
    for start in range(0, num_tried, step):
        num_rows = min(step, num_tried - start)
        if is_exact:
            numbers = np.arange(start, start + num_rows)[:, None]
            flips = (numbers >> np.arange(num_queries)) & 1
        else:
            flips = random.integers(0, 2, (num_rows, num_queries), dtype=np.int8)
        totals = (1.0 - 2.0 * flips) @ differences
        num_extreme += int((np.abs(totals) >= bound).sum())
    p_value = num_extreme / num_tried if is_exact else (num_extreme + 1) / (num_tried + 1)
    return TestResult(total / num_queries, p_value)


def paired_test(name: str, differences: Differences, *, num_rounds: int, seed: int) -> TestResult:
    """One of `TESTS`.

    Args:
        name: which.
        differences: one a query.
        num_rounds: of the randomisation test.
        seed: of the randomisation test.
    """
    if name == RANDOMISATION:
        return randomisation_test(differences, num_rounds, seed)
    return {T_TEST: t_test, WILCOXON: wilcoxon}[name](differences)


def effect_size(differences: Differences) -> float:
    """Cohen's d of paired values: mean over standard deviation (n - 1) of the differences; NaN if undefined.

    Infinite where all differences are the same number, which is not 0 (Cohen, Statistical Power Analysis,
    1988, section 2.3.5; as reported for retrieval by Sakai, SIGIR Forum 48(1), 2014).

    Args:
        differences: one a query.
    """
    if len(differences) < 2 or not differences.any():
        return math.nan
    if np.ptp(differences) == 0:
        return math.copysign(math.inf, differences[0])
    return float(differences.mean() / differences.std(ddof=1))


def confidence_interval(differences: Differences, confidence: float) -> tuple[float, float]:
    """The interval that holds the mean difference with this confidence, by Student's t; NaN if n < 2.

    Args:
        differences: one a query.
        confidence: in (0, 1), such as 0.95.
    """
    if len(differences) < 2:
        return math.nan, math.nan
    if np.ptp(differences) == 0:
        return float(differences[0]), float(differences[0])
    low, high = stats.ttest_1samp(differences, 0.0).confidence_interval(confidence)
    return float(low), float(high)


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """p-values of a family corrected for its size m: min(1, m p); an undefined one counts, and becomes 1.

    Args:
        p_values: all of the family (Dunn, JASA 56(293), 1961).
    """
    return [min(1.0, len(p_values) * _defined(p_value)) for p_value in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: the i-th smallest of m times m - i + 1, never below a smaller one's, at most 1.

    Args:
        p_values: all of the family; an undefined one counts as 1 (Holm, Scand. J. Statistics 6(2), 1979).
    """
    known = [_defined(p_value) for p_value in p_values]
    corrected = [0.0] * len(known)
    largest = 0.0
    for place, number in enumerate(sorted(range(len(known)), key=known.__getitem__)):
        largest = max(largest, min(1.0, (len(known) - place) * known[number]))
        corrected[number] = largest
    return corrected


def _defined(p_value: float) -> float:
    return 1.0 if math.isnan(p_value) else p_value
