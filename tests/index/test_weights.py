"""Weights of terms: the values that a reader can compute, and what the formulas promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.index.weights import (
    bm25_idfs,
    bm25_length_norms,
    bm25_weights,
    tfidf_idfs,
    tfidf_weights,
)

COUNTS = st.lists(st.integers(1, 10**6), min_size=1, max_size=20)


def test_bm25_by_hand() -> None:
    norms = bm25_length_norms(np.array([4.0, 2.0]), 3.0, 2.0, 0.5)
    assert norms.tolist() == pytest.approx([2 * (0.5 + 0.5 * 4 / 3), 2 * (0.5 + 0.5 * 2 / 3)])
    weights = bm25_weights(np.array([3, 1]), norms, np.array([1.5, 0.5]), 2.0)
    assert weights.tolist() == pytest.approx([1.5 * 9 / (3 + 7 / 3), 0.5 * 3 / (1 + 5 / 3)])


@given(st.integers(1, 10**7), st.data())
def test_bm25_idf_is_positive_and_falls_with_df(num_docs: int, data: st.DataObject) -> None:
    dfs = data.draw(st.lists(st.integers(1, num_docs), min_size=2, max_size=2, unique=True).map(sorted)
                    if num_docs > 1 else st.just([1, 1]))
    rare, common = bm25_idfs(np.array(dfs), num_docs).tolist()
    assert rare >= common > 0


@given(COUNTS, st.floats(0, 10), st.floats(0, 1))
def test_bm25_grows_with_tf_below_its_bound(tfs: list[int], k1: float, b: float) -> None:
    norms = bm25_length_norms(np.full(len(tfs), 7.0), 5.0, k1, b)
    weights = bm25_weights(np.array(sorted(tfs)), norms, np.ones(len(tfs)), k1)
    assert (np.diff(weights) >= -1e-12).all()
    assert (weights > 0).all()
    assert (weights <= k1 + 1 + 1e-9).all()


def test_tfidf_by_hand() -> None:
    idfs = tfidf_idfs(np.array([1, 5, 10, 5]), 10)
    assert idfs.tolist() == pytest.approx([math.log(10), math.log(2), 0, math.log(2)])
    weights = tfidf_weights(np.array([1, 3, 9, 1]), idfs)
    assert weights.tolist() == pytest.approx([math.log(10), (1 + math.log(3)) * math.log(2), 0, math.log(2)])


@given(COUNTS, st.randoms(use_true_random=False))
def test_a_weight_has_the_same_bits_wherever_it_stands(tfs: list[int], random: object) -> None:
    idfs = tfidf_idfs(np.array(tfs), 10**6)
    alone = [tfidf_weights(np.array([tf]), tfidf_idfs(np.array([tf]), 10**6))[0] for tf in tfs]
    assert tfidf_weights(np.array(tfs), idfs).tolist() == alone
