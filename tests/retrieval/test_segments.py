"""The scoring core without Spark: made-up collections, batches cut anywhere, against the formulas."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisearch.errors import InputError
from wikisearch.retrieval.models import Bm25, Model, TfIdf
from wikisearch.retrieval.segments import (
    DOCUMENTS,
    POSTING,
    QUERY,
    best,
    candidates,
    vector_lengths,
)
from wikisearch.text.tokens import whitespace_tokens

Collection = dict[str, list[str]]
Lists = dict[str, list[tuple[str, float]]]

ROW = pa.schema(
    [
        ("shard", pa.int32()),
        ("block", pa.int32()),
        ("kind", pa.int32()),
        ("name", pa.string()),
        ("strings", pa.list_(pa.string())),
        ("counts", pa.list_(pa.int32())),
        ("dfs", pa.list_(pa.int64())),
        ("values", pa.list_(pa.float64())),
    ]
)
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
COLLECTIONS = st.dictionaries(st.text("01ä", min_size=1, max_size=3), WORDS, min_size=1, max_size=12)
QUERIES = st.dictionaries(st.text("qr", min_size=1, max_size=3), WORDS, min_size=1, max_size=5)


# --- the oracle: from the formulas, document by document ----------------------------------------------------


def _dfs(documents: Collection) -> Counter[str]:
    return Counter(term for words in documents.values() for term in set(words))


def bm25_by_formula(documents: Collection, query: list[str], k1: float, b: float) -> dict[str, float]:
    dfs, mean = _dfs(documents), sum(map(len, documents.values())) / len(documents)
    scores = {}
    for doc_id, words in documents.items():
        score = 0.0
        for term in query:  # a repeated term counts each time
            tf = words.count(term)
            if tf:
                idf = math.log(1 + (len(documents) - dfs[term] + 0.5) / (dfs[term] + 0.5))
                score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(words) / mean))
        scores[doc_id] = score
    return scores


def cosine_by_formula(documents: Collection, query: list[str]) -> dict[str, float]:
    dfs = _dfs(documents)

    def vector(words: list[str]) -> dict[str, float]:
        return {
            term: (1 + math.log(tf)) * math.log(len(documents) / dfs[term])
            for term, tf in Counter(words).items()
            if term in dfs
        }

    asked = vector(query)
    scores = {}
    for doc_id, words in documents.items():
        found = vector(words)
        lengths = math.hypot(*asked.values()) * math.hypot(*found.values())
        dot = sum(weight * found.get(term, 0.0) for term, weight in asked.items())
        scores[doc_id] = dot / lengths if lengths else 0.0
    return scores


# --- rows as Spark would send them --------------------------------------------------------------------------


def _rows(
    documents: Collection, queries: Collection, num_shards: int, values: dict[str, float]
) -> list[dict[str, object]]:
    dfs, rows = _dfs(documents), []
    for shard in range(num_shards):
        ids = sorted(documents, key=str.encode)[shard::num_shards]
        tag = {"shard": shard, "block": 0}
        rows.append(tag | {"kind": DOCUMENTS, "name": "", "strings": ids, "values": [values[i] for i in ids]})
        for term in sorted(dfs):
            having = [doc_id for doc_id in ids if term in documents[doc_id]]
            if having:
                tfs = [documents[doc_id].count(term) for doc_id in having]
                row = {"kind": POSTING, "name": term, "strings": having, "counts": tfs, "dfs": [dfs[term]]}
                rows.append(tag | row)
        for query_id, words in sorted(queries.items()):
            counts = Counter(term for term in words if term in dfs)
            terms = sorted(counts)
            if terms:
                row = {"kind": QUERY, "name": query_id, "strings": terms}
                row |= {"counts": [counts[t] for t in terms], "dfs": [dfs[t] for t in terms]}
                rows.append(tag | row)
    return rows


def _batches(rows: list[dict[str, object]], batch_len: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(rows), batch_len):
        yield pa.RecordBatch.from_pylist(rows[start : start + batch_len], schema=ROW)


def _lists(batches: Iterator[pa.RecordBatch], model: Model, k: int) -> Lists:
    """The best k of each query over all segments."""
    found: Lists = {}
    for batch in candidates(batches, model, k):
        for row in batch.to_pylist():
            found.setdefault(row["query_id"], []).append((row["doc_id"], row["score"]))
    return {
        query_id: sorted(pairs, key=lambda pair: (pair[1], pair[0].encode()), reverse=True)[:k]
        for query_id, pairs in found.items()
    }


def _check(found: Lists, documents: Collection, scores: dict[str, dict[str, float]], k: int) -> None:
    for query_id, expected in scores.items():
        matching = {doc_id: score for doc_id, score in expected.items() if score > 1e-12}
        listed = found.get(query_id, [])
        assert len(listed) == min(k, len(matching))
        assert len(dict(listed)) == len(listed)
        for doc_id, score in listed:
            assert score == pytest.approx(matching[doc_id], abs=1e-9, rel=1e-9)
        # What is left out is not better than what is listed, up to rounding.
        left_out = [score for doc_id, score in matching.items() if doc_id not in dict(listed)]
        assert not left_out or max(left_out) <= min(score for _, score in listed) + 1e-9


@settings(max_examples=60, deadline=None)
@given(COLLECTIONS, QUERIES, st.integers(1, 4), st.integers(1, 9), st.integers(1, 8),
       st.sampled_from([(0.9, 0.4), (1.2, 0.75), (0.0, 0.0), (2.0, 1.0)]))  # fmt: skip
def test_bm25_is_the_formula(
    documents: Collection, queries: Collection, num_shards: int, batch_len: int, k: int,
    constants: tuple[float, float],
) -> None:  # fmt: skip
    lens = {doc_id: float(len(words)) for doc_id, words in documents.items()}
    mean = sum(lens.values()) / len(lens) or 1.0
    model = Bm25(len(documents), mean, *constants)
    batches = _batches(_rows(documents, queries, num_shards, lens), batch_len)
    scores = {
        query_id: bm25_by_formula(documents, words, *constants) if any(lens.values()) else {}
        for query_id, words in queries.items()
    }
    _check(_lists(batches, model, k), documents, scores, k)


@settings(max_examples=60, deadline=None)
@given(COLLECTIONS, QUERIES, st.integers(1, 4), st.integers(1, 9), st.integers(1, 8))
def test_tfidf_is_the_cosine(
    documents: Collection, queries: Collection, num_shards: int, batch_len: int, k: int
) -> None:
    zeros = dict.fromkeys(documents, 0.0)
    lengths: dict[str, float] = {}
    for batch in vector_lengths(_batches(_rows(documents, {}, num_shards, zeros), batch_len), len(documents)):
        for row in batch.to_pylist():
            lengths.update(zip(row["doc_ids"], row["values"], strict=True))
    assert set(lengths) == set(documents)
    batches = _batches(_rows(documents, queries, num_shards, lengths), batch_len)
    found = _lists(batches, TfIdf(len(documents)), k)
    _check(found, documents, {q: cosine_by_formula(documents, words) for q, words in queries.items()}, k)
    assert all(score <= 1 + 1e-12 for pairs in found.values() for _, score in pairs)


@settings(max_examples=40, deadline=None)
@given(COLLECTIONS, QUERIES, st.integers(2, 4), st.integers(1, 9), st.integers(1, 5))
def test_shards_and_batches_change_no_bit(
    documents: Collection, queries: Collection, num_shards: int, batch_len: int, k: int
) -> None:
    lens = {doc_id: float(len(words)) for doc_id, words in documents.items()}
    model = Bm25(len(documents), sum(lens.values()) / len(lens) or 1.0, 0.9, 0.4)
    whole = _lists(_batches(_rows(documents, queries, 1, lens), 10_000), model, k)
    assert _lists(_batches(_rows(documents, queries, num_shards, lens), batch_len), model, k) == whole


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0]), max_size=20), st.integers(1, 8))
def test_best_keeps_the_highest_positions_of_a_tie(scores: list[float], k: int) -> None:
    order = sorted(range(len(scores)), key=lambda position: (scores[position], position), reverse=True)
    assert best(np.array(scores), k).tolist() == sorted(order[:k])


def test_a_posting_of_an_unknown_document_is_an_error() -> None:
    rows = _rows({"1": ["a"]}, {}, 1, {"1": 1.0})
    rows[1]["strings"] = ["2"]
    with pytest.raises(InputError, match="'postings' names documents that doc_stats lacks; rebuild both"):
        list(candidates(_batches(rows, 5), Bm25(1, 1.0, 0.9, 0.4), 5))


def test_bm25_is_bm25s() -> None:
    bm25s = pytest.importorskip("bm25s")
    generator = random.Random(3)
    vocabulary = [f"w{number}" for number in range(50)]
    documents = {f"{n:03d}": generator.choices(vocabulary, k=generator.randint(1, 40)) for n in range(200)}
    queries = {f"q{n}": generator.sample(vocabulary, 5) for n in range(20)}
    lens = {doc_id: float(len(words)) for doc_id, words in documents.items()}
    model = Bm25(len(documents), sum(lens.values()) / len(lens), 1.2, 0.75)
    found = _lists(_batches(_rows(documents, queries, 3, lens), 100), model, len(documents))
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    reference.index(list(documents.values()), show_progress=False)
    for query_id, words in queries.items():
        # Lucene leaves out the constant k1 + 1; bm25s adds up in 32 bits.
        scores = (float(score) * 2.2 for score in reference.get_scores(words))
        expected = {doc_id: score for doc_id, score in zip(documents, scores, strict=True) if score > 0}
        assert dict(found[query_id]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.shared
def test_lengths_of_the_shared_case(shared: Path) -> None:
    docs, queries, expected = (
        json.loads((shared / "cases/bm25/B06" / part).read_text(encoding="utf-8"))
        for part in ("docs.json", "queries.json", "expected.json")
    )
    documents = {doc_id: whitespace_tokens(text) for doc_id, text in docs.items()}
    lens = {doc_id: float(len(words)) for doc_id, words in documents.items()}
    assert lens == expected["lengths"]
    model = Bm25(len(documents), sum(lens.values()) / len(lens), 1.2, 0.75)
    asked = {query_id: whitespace_tokens(text) for query_id, text in queries.items()}
    found = _lists(_batches(_rows(documents, asked, 2, lens), 100), model, 10)
    scores = {doc_id: score for doc_id, score in expected["scores_exact"].items() if score > 0}
    assert dict(found["q1"]) == pytest.approx(scores, abs=1e-6)
