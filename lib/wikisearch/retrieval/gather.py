"""Brings postings, documents and query terms together by segment, and ranks what the workers send back.

A segment is a shard of documents and a block of queries (see `segments`): all its rows stand in one partition,
sorted, before a worker scores it.
"""

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.frames import ranking, top_n
from wikisearch.retrieval.models import Model
from wikisearch.retrieval.segments import (
    CANDIDATES_SCHEMA,
    DOCUMENTS,
    LENGTHS_SCHEMA,
    POSTING,
    QUERY,
    candidates,
    vector_lengths,
)


def _numbers(end: int) -> Column:
    """A row for each number from 0 to end - 1."""
    return F.explode(F.sequence(F.lit(0), F.lit(end - 1)))


def _tagged(
    rows: DataFrame, kind: int, *, name: str = "''", strings: str = "null", counts: str = "null",
    dfs: str = "null", values: str = "null",
) -> DataFrame:  # fmt: skip
    """The rows in the shape of `segments.TAGGED_SCHEMA`; each argument is an SQL expression."""
    return rows.select(
        "shard",
        "block",
        F.lit(kind).alias("kind"),
        F.expr(name).alias("name"),
        F.expr(strings).cast("array<string>").alias("strings"),
        F.expr(counts).cast("array<int>").alias("counts"),
        F.expr(dfs).cast("array<bigint>").alias("dfs"),
        F.expr(values).cast("array<double>").alias("values"),
    )


def _by_segment(rows: DataFrame) -> DataFrame:
    """Each segment whole in one partition, in the order that `segments` expects.

    Adaptive execution may merge such partitions; it cuts only those of joins and of rebalancing.
    """
    return rows.repartition("shard", "block").sortWithinPartitions("shard", "block", "kind", "name")


def doc_lens_by_shard(doc_stats: DataFrame) -> DataFrame:
    """The documents of each shard with their lengths, for BM25.

    Args:
        doc_stats: doc_id, shard, doc_len.

    Returns:
        shard, doc_ids ascending, values ARRAY<DOUBLE> in the same order; unique by shard.
    """
    pairs = F.sort_array(F.collect_list(F.struct("doc_id", F.col("doc_len").cast("double").alias("value"))))
    return (
        doc_stats.groupBy("shard")
        .agg(pairs.alias("pairs"))
        .select("shard", F.col("pairs.doc_id").alias("doc_ids"), F.col("pairs.value").alias("values"))
    )


def vector_lengths_by_shard(
    postings: DataFrame, lexicon: DataFrame, doc_stats: DataFrame, num_docs: int
) -> DataFrame:
    """The documents of each shard with the lengths of their TF-IDF vectors; reads all postings.

    Args:
        postings: shard, term, doc_ids, tfs.
        lexicon: term, df.
        doc_stats: doc_id, shard.
        num_docs: documents of the collection.

    Returns:
        shard, doc_ids ascending, values ARRAY<DOUBLE> in the same order (0 for a document without terms);
        unique by shard.
    """

    def lengths(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        return vector_lengths(batches, num_docs)

    block = F.lit(0).alias("block")
    documents = doc_lens_by_shard(doc_stats).select("*", block)
    weighted = postings.join(lexicon.select("term", "df"), on="term", how="inner").select("*", block)
    rows = _tagged(documents, DOCUMENTS, strings="doc_ids").unionByName(
        _tagged(weighted, POSTING, name="term", strings="doc_ids", counts="tfs", dfs="array(df)")
    )
    return _by_segment(rows).mapInArrow(lengths, LENGTHS_SCHEMA)


def _segments(
    terms: DataFrame, num_blocks: int, postings: DataFrame, documents: DataFrame, num_shards: int
) -> DataFrame:
    """The rows of all segments: shards of documents against blocks of query terms."""
    wanted = F.broadcast(terms.select("block", "term", "df").distinct())
    hits = postings.join(wanted, on="term", how="inner")
    entries = F.sort_array(F.collect_list(F.struct("term", "count", "df"))).alias("e")
    grouped = terms.groupBy("block", "query_id").agg(entries)
    asked = grouped.select("*", _numbers(num_shards).alias("shard"))
    answering = documents.select("*", _numbers(num_blocks).alias("block"))
    return (
        _tagged(answering, DOCUMENTS, strings="doc_ids", values="values")
        .unionByName(_tagged(hits, POSTING, name="term", strings="doc_ids", counts="tfs", dfs="array(df)"))
        .unionByName(
            _tagged(asked, QUERY, name="query_id", strings="e.term", counts="e.count", dfs="e.df")
        )
    )


def best_documents(
    terms: DataFrame,
    num_blocks: int,
    postings: DataFrame,
    documents: DataFrame,
    num_shards: int,
    model: Model,
    k: int,
) -> DataFrame:
    """The best k documents of each query.

    Args:
        terms: block INT (0 to num_blocks - 1), query_id, term, count INT, df BIGINT; unique by query_id and
            term, one block a query.
        num_blocks: blocks of queries; one block's postings of one shard stand in a worker's memory at a time.
        postings: shard, term, doc_ids, tfs.
        documents: shard, doc_ids, values, from the function of this module that suits the model.
        num_shards: shards of documents are below it.
        model: the ranking formula.
        k: depth, at least 1.

    Returns:
        query_id, doc_id, score (above 0), rank from 1 in the order of `frames.ranking`; unique by query_id and
        doc_id.
    """

    def score(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        return candidates(batches, model, k)

    segments = _segments(terms, num_blocks, postings, documents, num_shards)
    found = _by_segment(segments).mapInArrow(score, CANDIDATES_SCHEMA)
    return top_n(found, k, ["query_id"], ranking())
