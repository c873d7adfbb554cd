"""Weights of terms in documents: BM25, and TF-IDF for the cosine. The only copy of both formulas.

N is the number of documents, df how many contain the term, tf how often one does, len the document's terms,
avgdl the mean of len.

BM25 (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.4):
    idf    = ln(1 + (N - df + 0.5) / (df + 0.5))
    weight = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / avgdl))
    score  = sum over the query's terms, a repeated term counted each time
The 1 inside the logarithm is Lucene's: without it a term in more than half of the documents counts against
the documents that contain it. Lucene 8 and later leave out the constant k1 + 1, which changes no ranking.

By hand: N = 4, df = 1, tf = 1, len = 4, avgdl = 3.5, k1 = 1.2, b = 0.75:
    idf = ln(1 + 3.5 / 1.5) = 1.2040; weight = 1.2040 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / 3.5)) = 1.1375

TF-IDF (Salton & Buckley 1988, "Term-weighting approaches in automatic text retrieval", in SMART's notation
ltc.ltc; Manning, Raghavan & Schütze 2008, section 6.4.3):
    weight = (1 + ln tf) * ln(N / df), on both sides
    score  = cosine of query and document: sum of products over the product of the two vectors' lengths
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _by_value(function: Callable[[int], float], numbers: Ints) -> Floats:
    """The function of each number, computed once for each value.

    For logarithms: NumPy's own differ in the last digit between processors, the C library's do not.
    """
    values, positions = np.unique(numbers, return_inverse=True)
    table: Floats = np.array([function(value) for value in values.tolist()], dtype=np.float64)
    return table[positions]


def bm25_idfs(dfs: Ints, num_docs: int) -> Floats:
    """BM25's inverse document frequency of each df; above 0 for every df from 0 to num_docs.

    >>> bm25_idfs(np.array([1, 3]), 4).round(4).tolist()
    [1.204, 0.3567]
    """
    return _by_value(lambda df: math.log(1.0 + (num_docs - df + 0.5) / (df + 0.5)), dfs)


def bm25_length_norms(doc_lens: Floats, avg_doc_len: float, k1: float, b: float) -> Floats:
    """k1 * (1 - b + b * len / avgdl) of each document: what BM25 adds to tf in the denominator."""
    return k1 * (1.0 - b + b * doc_lens / avg_doc_len)


def bm25_weights(tfs: Ints, length_norms: Floats, idfs: Floats, k1: float) -> Floats:
    """BM25 weights of terms in documents that contain them, each above 0.

    Args:
        tfs: occurrences of a term in a document, at least 1; shape (n,).
        length_norms: `bm25_length_norms` of the same documents; shape (n,).
        idfs: `bm25_idfs` of the same terms; shape (n,).
        k1: saturation of tf, at least 0.

    >>> norms = bm25_length_norms(np.array([4.0]), 3.5, 1.2, 0.75)
    >>> bm25_weights(np.array([1]), norms, bm25_idfs(np.array([1]), 4), 1.2).round(4).tolist()
    [1.1375]
    """
    weights: Floats = idfs * (tfs * (k1 + 1.0) / (tfs + length_norms))
    return weights


def tfidf_idfs(dfs: Ints, num_docs: int) -> Floats:
    """ln(N / df) of each df, from 1 to num_docs: 0 for a term of every document."""
    return _by_value(lambda df: math.log(num_docs / df), dfs)


def tfidf_weights(tfs: Ints, idfs: Floats) -> Floats:
    """TF-IDF weights of terms in documents (or queries) that contain them, not yet divided by their length.

    Args:
        tfs: occurrences of a term in a document, at least 1; shape (n,).
        idfs: `tfidf_idfs` of the same terms; shape (n,).

    >>> tfidf_weights(np.array([1, 7]), tfidf_idfs(np.array([1, 2]), 2)).round(4).tolist()
    [0.6931, 0.0]
    """
    return _by_value(lambda tf: 1.0 + math.log(tf), tfs) * idfs
