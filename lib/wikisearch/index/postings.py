"""The index of a collection: postings by shard of documents, lexicon, lengths, and the corpus's figures.

Each document's text is analysed once, in Arrow batches, into its distinct terms with their counts; all else
is Spark's own grouping, so that a Python worker never holds more than a batch of documents. What the index
keeps are raw counts: weights depend on parameters and on the whole corpus, and `index.weights` computes them
at use.

Shards deal documents by a hash of doc_id, so they are the same for any number of partitions. Retrieval works
shard by shard, and one shard's documents (id and length) stand in a worker's memory at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import UsageError
from wikisearch.text.stemming import Analyzer


@dataclass(frozen=True)
class IndexParams:
    """How documents become an index.

    Raises:
        UsageError: for a num_shards below 1.
    """

    num_shards: int = field(
        default=16,
        metadata={"help": "parts that documents are dealt to: one for each 50,000 documents, and one a core"},
    )
    stemmer: str = field(
        default="auto",
        metadata={"help": "porter-original, porter-martin, porter-nltk, snowball-LANGUAGE or none; "
                  "auto: by the wiki's language"},
    )
    stop_words: str = field(
        default="auto",
        metadata={"help": "name of a stop list (english), or none; auto: by the wiki's language"},
    )
    token_rule: str = field(
        default="words",
        metadata={"help": "words: runs of letters and digits; whitespace: for text tokenised before"},
    )

    def __post_init__(self) -> None:
        if self.num_shards < 1:
            raise UsageError(f"num_shards is {self.num_shards}; it must be at least 1")


_DOC_TERMS_SCHEMA = "doc_id string, terms array<string>, tfs array<int>"
_DOC_TERMS_ARROW = pa.schema(
    [
        pa.field("doc_id", pa.string()),
        pa.field("terms", pa.list_(pa.string())),
        pa.field("tfs", pa.list_(pa.int32())),
    ]
)


def _counting(analyzer: Analyzer) -> Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]:
    """The function that Spark runs over batches of (doc_id, text)."""

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            counts = [Counter(analyzer.analyze(text)) for text in batch.column("text").to_pylist()]
            columns = [
                batch.column("doc_id").cast(pa.string()),
                pa.array([list(terms.keys()) for terms in counts], pa.list_(pa.string())),
                pa.array([list(terms.values()) for terms in counts], pa.list_(pa.int32())),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_DOC_TERMS_ARROW)

    return count


def doc_terms(documents: DataFrame, analyzer: Analyzer) -> DataFrame:
    """The distinct terms of each document with their counts.

    Args:
        documents: doc_id, text.
        analyzer: what makes terms of a text.

    Returns:
        doc_id, terms ARRAY<STRING>, tfs ARRAY<INT> (same length and order as terms); unique by doc_id. A
        document without terms has empty arrays.
    """
    return documents.select("doc_id", "text").mapInArrow(_counting(analyzer), _DOC_TERMS_SCHEMA)


def shard_number(doc_id: Column, num_shards: int) -> Column:
    """The shard of a document, from 0: a hash of its id, the same in every session and version of Spark."""
    return F.pmod(F.xxhash64(doc_id), F.lit(num_shards)).cast("int")


def postings_from_documents(documents: DataFrame, analyzer: Analyzer, num_shards: int) -> DataFrame:
    """The inverted index, by shard of documents.

    Args:
        documents: doc_id, text.
        analyzer: what makes terms of a text.
        num_shards: parts that documents are dealt to, at least 1.

    Returns:
        postings, unique by shard and term; doc_ids ascend as UTF-8 bytes. Each partition is sorted by term,
        so that a reader who wants few terms skips most of a file.
    """
    counted = doc_terms(documents, analyzer)
    entries = counted.select("doc_id", F.explode(F.arrays_zip("terms", "tfs")).alias("entry"))
    shard = shard_number(F.col("doc_id"), num_shards).alias("shard")
    pairs = F.collect_list(F.struct("doc_id", F.col("entry.tfs").alias("tf")))
    return (
        entries.groupBy(shard, F.col("entry.terms").alias("term"))
        .agg(F.sort_array(pairs).alias("entries"))
        .select("shard", "term", F.col("entries.doc_id").alias("doc_ids"), F.col("entries.tf").alias("tfs"))
        .sortWithinPartitions("term", "shard")
    )


def lexicon_from_postings(postings: DataFrame) -> DataFrame:
    """In how many documents each term occurs, and how often.

    Args:
        postings: shard, term, tfs.

    Returns:
        lexicon, unique by term.
    """
    occurrences = F.aggregate("tfs", F.lit(0).cast("long"), lambda total, tf: total + tf)
    return postings.groupBy("term").agg(
        F.sum(F.size("tfs")).alias("df"), F.sum(occurrences).alias("cf")
    )


def doc_stats_from_postings(documents: DataFrame, postings: DataFrame, num_shards: int) -> DataFrame:
    """The length of each document: its terms, a repeated one counted each time, stop words not counted.

    Read from the postings rather than from the text, so that no text is analysed twice.

    Args:
        documents: doc_id, unique.
        postings: doc_ids, tfs of these documents.
        num_shards: the number that made the postings.

    Returns:
        doc_stats, unique by doc_id; a document without terms has doc_len 0.
    """
    lengths = (
        postings.select(F.explode(F.arrays_zip("doc_ids", "tfs")).alias("entry"))
        .groupBy(F.col("entry.doc_ids").alias("doc_id"))
        .agg(F.sum("entry.tfs").cast("int").alias("doc_len"))
    )
    return (
        documents.select("doc_id")
        .join(lengths, on="doc_id", how="left")
        .select(
            "doc_id",
            shard_number(F.col("doc_id"), num_shards).alias("shard"),
            F.coalesce("doc_len", F.lit(0)).alias("doc_len"),
        )
    )


def corpus_stats_from_tables(doc_stats: DataFrame, lexicon: DataFrame, analyzer: Analyzer) -> DataFrame:
    """What scoring needs to know of the whole collection.

    Args:
        doc_stats: doc_len.
        lexicon: one row a term.
        analyzer: the one that made them.

    Returns:
        corpus_stats: one row. avg_doc_len is the quotient of two integers, so no order of addition shows in
        it; documents without terms count; 0 where there is no document.
    """
    docs = doc_stats.agg(
        F.count(F.lit(1)).alias("num_docs"), F.coalesce(F.sum("doc_len"), F.lit(0)).alias("total")
    )
    terms = lexicon.agg(F.count(F.lit(1)).alias("num_terms"))
    mean = F.when(F.col("num_docs") > 0, F.col("total") / F.col("num_docs")).otherwise(F.lit(0.0))
    return docs.crossJoin(terms).select(
        "num_docs",
        mean.alias("avg_doc_len"),
        "num_terms",
        F.lit(analyzer.to_json()).alias("analyzer"),
    )
