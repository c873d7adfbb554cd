"""Ranked lists of many queries at once, by BM25 or TF-IDF cosine, from the inverted index.

Queries are analysed as documents were, in Arrow batches; terms that the collection lacks are dropped. The
postings of the remaining terms, the documents of each shard and the queries then meet by segment (a shard of
documents, a block of queries) in a Python worker, which scores them with NumPy: on 30,000 documents this was
three to four times faster than joining, summing and ranking with Spark's own operators. The best k of each
segment go back to Spark, which takes the best k of all.

Nothing is taken out: where queries are made from articles that are documents themselves, a query's own
article stands in its list (and in the qrels, with relevance 2).
"""

import math
from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.index.postings import doc_terms
from wikisearch.retrieval.gather import best_documents, doc_lens_by_shard, vector_lengths_by_shard
from wikisearch.retrieval.models import Bm25, Model, TfIdf
from wikisearch.text.stemming import Analyzer

BM25, TFIDF = "bm25", "tfidf"
QUERIES_PER_BLOCK = 1000  # their terms' postings of one shard stand in a worker's memory at a time

@dataclass(frozen=True)
class RetrieveParams:
    """What ranks, and how deep.

    k1 and b are those of the published Lucene baselines (Anserini), from Trotman, Puurula & Burgess 2014,
    "Improvements to BM25 and language models examined"; Robertson & Zaragoza's 1.2 and 0.75 favour short
    documents more.

    Raises:
        UsageError: for a value out of its range.
    """

    system: str = field(default=BM25, metadata={"help": "bm25 or tfidf"})
    name: str | None = field(
        default=None, metadata={"help": "name of the system in table runs (default: the system's own)"}
    )
    k: int = field(default=100, metadata={"help": "documents for each query, at most"})
    k1: float = field(default=0.9, metadata={"help": "bm25: saturation of term counts, at least 0"})
    b: float = field(default=0.4, metadata={"help": "bm25: share of length normalisation, 0 to 1"})
    splits: tuple[str, ...] = field(
        default=(), metadata={"help": "splits whose queries are run (default: all queries)"}
    )

    def __post_init__(self) -> None:
        if self.system not in (BM25, TFIDF):
            raise UsageError(f"system is '{self.system}'; choose {BM25} or {TFIDF}")
        if self.k < 1:
            raise UsageError(f"k is {self.k}; it must be at least 1")
        if not 0 <= self.k1 < float("inf"):
            raise UsageError(f"k1 is {self.k1}; it must be a number from 0 up")
        if not 0 <= self.b <= 1:
            raise UsageError(f"b is {self.b}; it must lie between 0 and 1")
        if self.name == "":
            raise UsageError("name is empty; leave it out for the system's own")

    @property
    def run_name(self) -> str:
        """What `runs.system` says."""
        return self.name or self.system


@dataclass(frozen=True)
class Corpus:
    """The row of corpus_stats."""

    num_docs: int
    avg_doc_len: float
    analyzer: Analyzer


def corpus_from_stats(corpus_stats: DataFrame) -> Corpus:
    """The figures of the collection (acts: reads the one row of corpus_stats).

    Raises:
        InputError: unless there is exactly one row.
    """
    rows = corpus_stats.select("num_docs", "avg_doc_len", "analyzer").take(2)
    if len(rows) != 1:
        found = "no row" if not rows else "more than one row"
        raise InputError(f"table 'corpus_stats': {found}; rebuild it with jobs/build_index.py")
    return Corpus(rows[0]["num_docs"], rows[0]["avg_doc_len"], Analyzer.from_json(rows[0]["analyzer"]))


def query_terms(queries: DataFrame, lexicon: DataFrame, analyzer: Analyzer, num_blocks: int) -> DataFrame:
    """The terms of each query that the collection has.

    Args:
        queries: query_id, text.
        lexicon: term, df.
        analyzer: the one that made the index.
        num_blocks: blocks that queries are dealt to by a hash of query_id, at least 1.

    Returns:
        block INT, query_id, term, count INT (occurrences in the query), df BIGINT; unique by query_id and
        term.
    """
    analysed = doc_terms(queries.select(F.col("query_id").alias("doc_id"), "text"), analyzer)
    terms = analysed.select("doc_id", F.explode(F.arrays_zip("terms", "tfs")).alias("entry")).select(
        F.pmod(F.xxhash64("doc_id"), F.lit(num_blocks)).cast("int").alias("block"),
        F.col("doc_id").alias("query_id"),
        F.col("entry.terms").alias("term"),
        F.col("entry.tfs").alias("count"),
    )
    # A few words for each query: small beside the lexicon, which so is not shuffled.
    return lexicon.select("term", "df").join(F.broadcast(terms), on="term", how="inner")


def bm25_model(corpus: Corpus, k1: float, b: float) -> Bm25:
    """BM25 over the collection, with a mean length of 1 where it has no term (and so no posting)."""
    return Bm25(corpus.num_docs, corpus.avg_doc_len or 1.0, k1, b)


def shards_of(doc_stats: DataFrame) -> int:
    """How many shards there are, from the highest number in use; 1 for no document (acts: one aggregation)."""
    (row,) = doc_stats.agg(F.coalesce(F.max("shard") + 1, F.lit(1)).alias("num_shards")).collect()
    return int(row["num_shards"])


def retrieve(
    queries: DataFrame,
    postings: DataFrame,
    lexicon: DataFrame,
    doc_stats: DataFrame,
    corpus_stats: DataFrame,
    params: RetrieveParams,
) -> DataFrame:
    """The best k documents of each query, by BM25 or TF-IDF.

    Acts: reads the one row of corpus_stats, and counts queries and shards.

    Args:
        queries: query_id, text, split; a repeated word counts each time.
        postings: shard, term, doc_ids, tfs.
        lexicon: term, df.
        doc_stats: doc_id, shard, doc_len.
        corpus_stats: one row.
        params: system, depth and the formula's constants.

    Returns:
        runs of one system, unique by query_id and doc_id: documents with a score above 0 (BM25: no upper
        bound; TF-IDF: a cosine, at most 1), ranked from 1 in the order of `frames.ranking`. A query that
        matches nothing has no row. The same bits for any number of partitions and shards.

    Raises:
        InputError: for a corpus_stats that is not one row.
    """
    if params.splits:
        queries = queries.where(F.col("split").isin(*params.splits))
    corpus = corpus_from_stats(corpus_stats)
    model: Model
    if params.system == BM25:
        model, documents = bm25_model(corpus, params.k1, params.b), doc_lens_by_shard(doc_stats)
    else:
        model = TfIdf(corpus.num_docs)
        documents = vector_lengths_by_shard(postings, lexicon, doc_stats, corpus.num_docs)
    num_shards = shards_of(doc_stats)
    num_blocks = max(1, math.ceil(queries.count() / QUERIES_PER_BLOCK))
    terms = query_terms(queries, lexicon, corpus.analyzer, num_blocks)
    best = best_documents(terms, num_blocks, postings, documents, num_shards, model, params.k)
    return best.join(queries.select("query_id", "split"), on="query_id", how="inner").select(
        F.lit(params.run_name).alias("system"), "query_id", "doc_id", "rank", "score", "split"
    )
