import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wikisearch.evaluation.significance import (
    TESTS,
    bonferroni,
    confidence_interval,
    effect_size,
    holm,
    paired_test,
    randomisation_test,
    t_test,
    wilcoxon,
)

pairs = st.integers(2, 80).flatmap(
    lambda size: st.tuples(
        *[st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=size, max_size=size)] * 2
    )
)


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_t_and_wilcoxon_are_scipys(values: tuple[list[float], list[float]]) -> None:
    ours, theirs = np.array(values[0]), np.array(values[1])
    differences = ours - theirs
    if np.ptp(differences) < 1e-9:
        return  # scipy warns that it lost precision there; the degenerate cases have tests of their own
    expected = stats.ttest_rel(ours, theirs)
    found = t_test(differences)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    signed = stats.wilcoxon(ours, theirs)
    assert wilcoxon(differences).p_value == pytest.approx(signed.pvalue, rel=1e-10)
    low, high = confidence_interval(differences, 0.9)
    interval = expected.confidence_interval(0.9)
    assert (low, high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 2)), min_size=2, max_size=10))
@settings(max_examples=40, deadline=None)
def test_randomisation_of_few_queries_is_exact(values: list[float]) -> None:
    differences = np.array(values)
    if not differences.any():
        return
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert randomisation_test(differences, 2**10, 1).p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_randomisation_of_many_queries_is_near_the_exact_value_and_seeded() -> None:
    differences = np.random.default_rng(3).normal(0.3, 1, 18)
    exact = randomisation_test(differences, 2**18, 1).p_value
    found = randomisation_test(differences, 20_000, 7)
    # Four standard errors of a share of 20,000.
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))
    assert found == randomisation_test(differences, 20_000, 7)
    assert found.p_value != randomisation_test(differences, 20_000, 8).p_value


def test_randomisation_is_never_impossible() -> None:
    assert randomisation_test(np.ones(100), 500, 1).p_value == pytest.approx(1 / 501)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("values", [[], [0.5], [0.0, 0.0, 0.0]])
def test_what_cannot_be_tested_is_undefined(test: str, values: list[float]) -> None:
    found = paired_test(test, np.array(values), num_rounds=100, seed=1)
    assert math.isnan(found.p_value)
    assert math.isnan(found.statistic)


def test_the_same_difference_everywhere_is_infinitely_significant() -> None:
    differences = np.full(3, -0.5)
    assert t_test(differences).statistic == -math.inf
    assert t_test(differences).p_value == 0
    assert effect_size(differences) == -math.inf
    assert confidence_interval(differences, 0.95) == (-0.5, -0.5)


def test_effect_size_by_hand() -> None:
    # Mean 2, deviations -1, 0, 1: standard deviation 1.
    assert effect_size(np.array([1.0, 2.0, 3.0])) == pytest.approx(2.0)
    assert math.isnan(effect_size(np.array([1.0])))
    assert math.isnan(effect_size(np.zeros(3)))


def test_corrections_by_hand() -> None:
    p_values = [0.01, 0.04, math.nan, 0.03]
    assert bonferroni(p_values) == pytest.approx([0.04, 0.16, 1.0, 0.12])
    # Sorted .01 .03 .04 1: times 4, 3, 2, 1, and never below the one before.
    assert holm(p_values) == pytest.approx([0.04, 0.09, 1.0, 0.09])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_the_p_value_and_bonferronis(p_values: list[float]) -> None:
    for p_value, by_holm, by_bonferroni in zip(p_values, holm(p_values), bonferroni(p_values), strict=True):
        assert p_value <= by_holm <= by_bonferroni <= 1
