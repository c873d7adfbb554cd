"""The part of retrieval that runs in Spark's Python workers: a shard of documents against a block of queries.

A segment is a shard and a block of queries. Its rows come as tagged rows of one shape (TAGGED_SCHEMA), all in
one partition and sorted, first the shard's documents, then postings by term, then queries by id; they may
span any number of Arrow batches, and nothing is scored before the last of them is there.

Scores add up a query's terms in ascending order, so they are the same bits for any number of partitions,
shards and blocks. A segment's list is cut by score descending, then doc_id descending (`frames.ranking`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisearch.errors import InputError
from wikisearch.index.weights import Floats, Ints
from wikisearch.retrieval.models import Model, TfIdf

DOCUMENTS, POSTING, QUERY = 0, 1, 2
# documents: strings are doc_ids ascending, values what the model needs of each (length, of text or vector).
# posting: name is the term, strings its doc_ids, counts its tfs, dfs one number.
# query: name is the query_id, strings its terms ascending, counts how often each occurs, dfs of each.
TAGGED_SCHEMA = (
    "shard int, block int, kind int, name string, strings array<string>, counts array<int>, "
    "dfs array<bigint>, values array<double>"
)
CANDIDATES_SCHEMA = "query_id string, doc_id string, score double"
LENGTHS_SCHEMA = "shard int, doc_ids array<string>, values array<double>"
_OUTPUT_ROWS = 10_000  # rows of one Arrow batch sent back: 100 queries of 100 documents


def best(scores: Floats, k: int) -> Ints:
    """Positions of the k highest scores; among equal scores at the cut the highest positions are kept.

    >>> best(np.array([2.0, 1.0, 3.0, 1.0]), 3).tolist()
    [0, 2, 3]
    """
    if len(scores) <= k:
        return np.arange(len(scores))
    cut = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > cut)
    ties = np.flatnonzero(scores == cut)
    return np.sort(np.concatenate([above, ties[len(ties) - (k - len(above)) :]]))


@dataclass
class Segment:
    """The documents of one shard, and the postings seen of it, as positions and weights."""

    doc_ids: pa.Array
    prepared: Floats
    postings: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._scores = np.zeros(len(self.doc_ids))

    def add(self, weighted: "Weighted") -> None:
        """Takes in posting rows."""
        for row, term in enumerate(weighted.terms):
            part = slice(weighted.starts[row], weighted.starts[row + 1])
            self.postings[term] = weighted.positions[part], weighted.weights[part]

    def ranked(self, terms: list[str], query_weights: Floats, k: int) -> tuple[Ints, Floats]:
        """Positions (ascending) and scores of the k best documents with a score above 0."""
        scores = self._scores
        touched: list[Ints] = []
        for term, query_weight in zip(terms, query_weights.tolist(), strict=True):
            found = self.postings.get(term)
            if found is None or query_weight == 0.0:
                continue
            positions, weights = found
            touched.append(positions[scores[positions] == 0.0])
            scores[positions] += query_weight * weights
        if not touched:
            return np.arange(0), np.zeros(0)
        candidates = np.unique(np.concatenate(touched))
        found_scores = scores[candidates]
        scores[candidates] = 0.0
        candidates, found_scores = candidates[found_scores > 0.0], found_scores[found_scores > 0.0]
        kept = best(found_scores, k)
        return candidates[kept], found_scores[kept]


@dataclass(frozen=True)
class Run:
    """Consecutive rows of one kind and one segment, within one batch."""

    key: tuple[int, int]
    kind: int
    rows: pa.RecordBatch


def runs_of_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Run]:
    """The batches cut where segment or kind changes, in order."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        tags = [batch.column(name).to_numpy() for name in ("shard", "block", "kind")]
        changes = np.zeros(batch.num_rows - 1, dtype=bool)
        for tag in tags:
            changes |= tag[1:] != tag[:-1]
        starts = [0, *(np.flatnonzero(changes) + 1).tolist()]
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            shard, block, kind = (int(tag[start]) for tag in tags)
            yield Run((shard, block), kind, batch.slice(start, end - start))


def _lists(rows: pa.RecordBatch, column: str) -> tuple[pa.Array, list[int]]:
    """All values of a list column end to end, and where each row's begin (one more at the end)."""
    lists = rows.column(column)
    lens = pc.list_value_length(lists).to_numpy()
    return lists.flatten(), [0, *np.cumsum(lens).tolist()]


def _segment(rows: pa.RecordBatch, model: Model) -> Segment:
    doc_ids, _ = _lists(rows, "strings")
    values, _ = _lists(rows, "values")
    return Segment(doc_ids, model.prepared(values.to_numpy()))


@dataclass(frozen=True)
class Weighted:
    """Posting rows as arrays: row i's documents and weights are those from starts[i] to starts[i + 1]."""

    terms: list[str]
    starts: list[int]
    positions: Ints
    weights: Floats


def _weighted(rows: pa.RecordBatch, segment: Segment, model: Model) -> Weighted:
    doc_ids, starts = _lists(rows, "strings")
    tfs = _lists(rows, "counts")[0].to_numpy().astype(np.int64)
    dfs = np.repeat(_lists(rows, "dfs")[0].to_numpy(), np.diff(starts))
    found = pc.index_in(doc_ids, value_set=segment.doc_ids)
    if found.null_count:
        raise InputError(
            "table 'postings' names documents that doc_stats lacks; rebuild both with jobs/build_index.py"
        )
    positions = found.to_numpy()
    weights = model.doc_weights(tfs, segment.prepared[positions], dfs)
    return Weighted(rows.column("name").to_pylist(), starts, positions, weights)


def _answers(rows: pa.RecordBatch, segment: Segment, model: Model, k: int) -> Iterator[pa.RecordBatch]:
    """The ranked lists of a segment's query rows, many queries a batch."""
    terms, starts = _lists(rows, "strings")
    counts = _lists(rows, "counts")[0].to_numpy().astype(np.int64)
    dfs = _lists(rows, "dfs")[0].to_numpy()
    query_ids: list[str] = []
    found: list[Ints] = []
    scores: list[Floats] = []
    for row, query_id in enumerate(rows.column("name").to_pylist()):
        part = slice(starts[row], starts[row + 1])
        weights = model.query_weights(counts[part], dfs[part])
        positions, values = segment.ranked(terms[part].to_pylist(), weights, k)
        query_ids.extend([query_id] * len(positions))
        found.append(positions)
        scores.append(values)
        if len(query_ids) >= _OUTPUT_ROWS or row == rows.num_rows - 1:
            columns = [
                pa.array(query_ids, pa.string()),
                segment.doc_ids.take(pa.array(np.concatenate(found))),
                pa.array(np.concatenate(scores)),
            ]
            yield pa.RecordBatch.from_arrays(columns, names=["query_id", "doc_id", "score"])
            query_ids, found, scores = [], [], []


def candidates(batches: Iterable[pa.RecordBatch], model: Model, k: int) -> Iterator[pa.RecordBatch]:
    """The k best documents of each query in each segment.

    Args:
        batches: rows of TAGGED_SCHEMA, whole segments one after the other, sorted as the module says.
        model: the ranking formula.
        k: depth, at least 1.

    Returns:
        Batches of CANDIDATES_SCHEMA; only documents with a score above 0.
    """
    key, segment = (-1, -1), Segment(pa.array([], pa.string()), np.zeros(0))
    for run in runs_of_rows(batches):
        if run.kind == DOCUMENTS:
            key, segment = run.key, _segment(run.rows, model)
        elif run.key != key:
            continue  # a shard without documents
        elif run.kind == POSTING:
            segment.add(_weighted(run.rows, segment, model))
        else:
            yield from _answers(run.rows, segment, model, k)


def vector_lengths(batches: Iterable[pa.RecordBatch], num_docs: int) -> Iterator[pa.RecordBatch]:
    """The length of each document's TF-IDF vector, a row a shard.

    Args:
        batches: rows of TAGGED_SCHEMA without queries: each shard's documents, then all its postings by term.
        num_docs: documents of the whole collection.

    Returns:
        Batches of LENGTHS_SCHEMA, documents in the order given. One batch of postings is in memory at a time,
        and squares are added by term ascending.
    """
    model = TfIdf(num_docs)
    segment, shard = Segment(pa.array([], pa.string()), np.zeros(0)), -1
    squares: Floats = np.zeros(0)

    def shard_row() -> pa.RecordBatch:
        columns = [
            pa.array([shard], pa.int32()),
            pa.array([segment.doc_ids.to_pylist()], pa.list_(pa.string())),
            pa.array([np.sqrt(squares)], pa.list_(pa.float64())),
        ]
        return pa.RecordBatch.from_arrays(columns, names=["shard", "doc_ids", "values"])

    for run in runs_of_rows(batches):
        if run.kind == DOCUMENTS:
            if shard >= 0:
                yield shard_row()
            doc_ids, _ = _lists(run.rows, "strings")
            shard, squares = run.key[0], np.zeros(len(doc_ids))
            segment = Segment(doc_ids, np.ones(len(doc_ids)))
        elif run.key[0] == shard:
            weighted = _weighted(run.rows, segment, model)
            # Strictly one after the other; partial sums would depend on where batches end.
            np.add.at(squares, weighted.positions, weighted.weights * weighted.weights)
    if shard >= 0:
        yield shard_row()
