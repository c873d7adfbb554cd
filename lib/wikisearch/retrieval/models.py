"""Ranking formulas as sums over terms, from the weights of `index.weights`."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wikisearch.index.weights import (
    Floats,
    Ints,
    bm25_idfs,
    bm25_length_norms,
    bm25_weights,
    tfidf_idfs,
    tfidf_weights,
)


class Model(Protocol):
    """A ranking formula: the score is the sum over terms of query weight times document weight."""

    def prepared(self, values: Floats) -> Floats:
        """What `doc_weights` wants of each document of a shard, from its length, of text or vector."""

    def doc_weights(self, tfs: Ints, prepared: Floats, dfs: Ints) -> Floats:
        """Weights of terms in documents that contain them, at least 0; all of shape (n,)."""

    def query_weights(self, counts: Ints, dfs: Ints, /) -> Floats:
        """Weights of a query's terms, at least 0."""


@dataclass(frozen=True)
class Bm25:
    """BM25 of `index.weights`; a document's value is its length."""

    num_docs: int
    avg_doc_len: float
    k1: float
    b: float

    def prepared(self, values: Floats) -> Floats:
        """The length norms."""
        return bm25_length_norms(values, self.avg_doc_len, self.k1, self.b)

    def doc_weights(self, tfs: Ints, prepared: Floats, dfs: Ints) -> Floats:
        """BM25 weights."""
        return bm25_weights(tfs, prepared, bm25_idfs(dfs, self.num_docs), self.k1)

    def query_weights(self, counts: Ints, _dfs: Ints, /) -> Floats:
        """How often each term occurs in the query."""
        return counts.astype(np.float64)


@dataclass(frozen=True)
class TfIdf:
    """TF-IDF cosine of `index.weights`; a document's value is the length of its vector."""

    num_docs: int

    def prepared(self, values: Floats) -> Floats:
        """The lengths as they are."""
        return values

    def doc_weights(self, tfs: Ints, prepared: Floats, dfs: Ints) -> Floats:
        """Weights in document vectors of length 1; 0 for a term of every document, whose vector may be 0."""
        weights = tfidf_weights(tfs, tfidf_idfs(dfs, self.num_docs))
        return np.divide(weights, prepared, out=np.zeros_like(weights), where=weights > 0)

    def query_weights(self, counts: Ints, dfs: Ints, /) -> Floats:
        """Weights in a query vector of length 1, over the terms that the collection has."""
        weights = tfidf_weights(counts, tfidf_idfs(dfs, self.num_docs))
        length = vector_length(weights)
        return weights / length if length > 0 else weights


def vector_length(weights: Floats) -> float:
    """Square root of the sum of squares, added in the order given."""
    total = 0.0
    for weight in weights.tolist():
        total += weight * weight
    return float(np.sqrt(total))
