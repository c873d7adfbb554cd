"""Every table of wikisearch: its columns, types, key and how long its old versions stay.

This is the only place where a column is named with its type; `frames.conform` checks DataFrames against it
at every read and write, and `app.store` makes the Delta tables from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pyspark.sql import types as T


@dataclass(frozen=True)
class Column:
    """One column: name, Spark type, what it holds, and whether it may be NULL."""

    name: str
    type: T.DataType
    comment: str
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """One table: columns in order, the columns its rows are unique by, and its retention.

    `key` is empty where rows have none. `job` is the job that writes it.
    `slices` names the column whose values are written independently of
    each other (one system's runs, say); None for a table that is always written whole.
    `retention_days` is how long files that no kept snapshot needs survive before a vacuum takes them.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    job: str
    slices: str | None = None
    retention_days: int = 7

    @property
    def column_names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    @property
    def struct(self) -> T.StructType:
        """The Spark schema, with nullability and comments."""
        return T.StructType(
            [
                T.StructField(column.name, column.type, column.nullable, {"comment": column.comment})
                for column in self.columns
            ]
        )


LONG, INT, STRING, DOUBLE = T.LongType(), T.IntegerType(), T.StringType(), T.DoubleType()
BOOLEAN, TIMESTAMP = T.BooleanType(), T.TimestampType()

SOURCE_FILE = T.StructType(
    [
        T.StructField("path", STRING, False),
        T.StructField("num_bytes", LONG, False),
        T.StructField("modified_at", TIMESTAMP, False),
    ]
)

MENTION = T.StructType(
    [
        T.StructField("target_title", STRING, False),
        T.StructField("anchor", STRING, False),
        T.StructField("position", INT, False),
        T.StructField("is_in_first_sentence", BOOLEAN, False),
    ]
)

_TABLES = (
    Table(
        "sites",
        "what siteinfo at the head of the dump says; one row",
        ("wiki",),
        (
            Column("wiki", STRING, "database name (enwiki), or a name made from the base URL in old dumps"),
            Column("language", STRING, "language code of the content (en)"),
            Column("dump_date", STRING, "date of the dump, YYYY-MM-DD, from the file name, else newest revision",
                   nullable=True),
            Column("generator", STRING, "MediaWiki version that wrote the dump", nullable=True),
            Column("schema_version", STRING, "version of the export schema (0.3 to 0.11)"),
            Column("case_rule", STRING, "first-letter or case-sensitive"),
            Column("base_url", STRING, "URL of the main page", nullable=True),
            Column("namespaces", T.MapType(INT, STRING, False), "name of each namespace by its number"),
            Column("source_files", T.ArrayType(SOURCE_FILE, False), "the dump files that were read"),
        ),
        job="parse_dump",
    ),
    Table(
        "pages",
        "each page of the dump in its newest revision",
        ("page_id",),
        (
            Column("page_id", LONG, "MediaWiki's page id"),
            Column("namespace", INT, "0 is the article namespace"),
            Column("title", STRING, "full title with its namespace prefix, spaces for underscores"),
            Column("revision_id", LONG, "MediaWiki's revision id", nullable=True),
            Column("revised_at", TIMESTAMP, "time of the revision, UTC", nullable=True),
            Column("sha1", STRING, "sha1 of the revision's text as the dump states it", nullable=True),
            Column("model", STRING, "content model; wikitext where the dump states none"),
            Column("redirect_title", STRING, "normalised target where the page is a redirect", nullable=True),
            Column("wikitext", STRING, "source text; NULL where it was deleted", nullable=True),
            Column("source", STRING, "dump file that the page was read from"),
        ),
        job="parse_dump",
    ),
    Table(
        "page_rejects",
        "pages that could not be read, each with its reason",
        (),
        (
            Column("source", STRING, "dump file"),
            Column("page_id", LONG, "page id where it could be read", nullable=True),
            Column("title", STRING, "title where it could be read", nullable=True),
            Column("reason", STRING, "truncated, no_title, no_page_id, bad_xml, ..."),
            Column("excerpt", STRING, "first characters of what was found"),
        ),
        job="parse_dump",
    ),
    Table(
        "articles",
        "pages of namespace 0 that are wikitext, no redirect and not deleted",
        ("page_id",),
        (
            Column("page_id", LONG, "pages.page_id"),
            Column("revision_id", LONG, "pages.revision_id", nullable=True),
            Column("title", STRING, "pages.title"),
            Column("text", STRING, "plain text, markup removed"),
            Column("first_sentence", STRING, "first sentence of the text; empty where there is none"),
            Column("is_disambiguation", BOOLEAN, "whether the page lists the meanings of its title"),
            Column("kind", STRING, "article, disambiguation, set_index or soft_redirect"),
            Column("categories", T.ArrayType(STRING, False), "category names without prefix, in order"),
            Column("mentions", T.ArrayType(MENTION, False),
                   "links to article titles in page order: target_title normalised; position is the offset "
                   "of the anchor in text, in characters (code points), -1 where it is not in the text"),
            Column("source", STRING, "pages.source: dump file that the page was read from"),
        ),
        job="extract_articles",
    ),
    Table(
        "redirects",
        "redirects of namespace 0 with the page they lead to",
        ("page_id",),
        (
            Column("page_id", LONG, "page id of the redirect page"),
            Column("from_title", STRING, "title of the redirect page"),
            Column("target_title", STRING, "title at the end of the chain (of its first hop where status is "
                   "cycle or too_long)"),
            Column("target_id", LONG, "articles.page_id at the end of the chain", nullable=True),
            Column("num_hops", INT, "redirects followed"),
            Column("status", STRING, "resolved, missing, cycle or too_long"),
        ),
        job="resolve_links",
    ),
    Table(
        "links",
        "one row for each pair of articles of which the first links to the second, redirects resolved",
        ("src_id", "dst_id"),
        (
            Column("src_id", LONG, "articles.page_id of the linking article"),
            Column("dst_id", LONG, "articles.page_id of the linked article"),
            Column("num_mentions", INT, "how often it links"),
            Column("first_position", INT, "smallest position of these mentions in text; -1 if none is in it"),
            Column("is_in_first_sentence", BOOLEAN, "whether one mention stands in the first sentence"),
        ),
        job="resolve_links",
    ),
    Table(
        "missing_links",
        "link targets that are no article, nor a redirect to one (red links)",
        ("target_title",),
        (
            Column("target_title", STRING, "normalised title"),
            Column("num_mentions", LONG, "how often articles link to it"),
        ),
        job="resolve_links",
    ),
    Table(
        "pagerank",
        "PageRank of every article",
        ("page_id",),
        (
            Column("page_id", LONG, "articles.page_id"),
            Column("pagerank", DOUBLE, "in (0, 1]; sums to 1 over all articles"),
            Column("in_degree", LONG, "links to it"),
            Column("out_degree", LONG, "links from it"),
        ),
        job="compute_pagerank",
    ),
    Table(
        "documents",
        "documents of the test collection",
        ("doc_id",),
        (
            Column("doc_id", STRING, "page_id as text"),
            Column("page_id", LONG, "articles.page_id"),
            Column("revision_id", LONG, "articles.revision_id", nullable=True),
            Column("title", STRING, "articles.title"),
            Column("text", STRING, "what is indexed"),
            Column("num_words", INT, "whitespace-separated words of text"),
        ),
        job="build_collection",
    ),
    Table(
        "queries",
        "queries of the test collection",
        ("query_id",),
        (
            Column("query_id", STRING, "page_id as text of the article that the query is made from"),
            Column("page_id", LONG, "articles.page_id"),
            Column("text", STRING, "the query"),
            Column("form", STRING, "title or first_sentence"),
            Column("split", STRING, "training, validation or test"),
            Column("num_relevant", INT, "qrels with relevance above 0"),
        ),
        job="build_collection",
    ),
    Table(
        "qrels",
        "graded relevance judgements",
        ("query_id", "doc_id"),
        (
            Column("query_id", STRING, "queries.query_id"),
            Column("doc_id", STRING, "documents.doc_id"),
            Column("relevance", INT, "2: the query's own article; 1: it links there in its first sentence"),
            Column("split", STRING, "queries.split"),
        ),
        job="build_collection",
    ),
    Table(
        "postings",
        "inverted index by shard of documents",
        ("shard", "term"),
        (
            Column("shard", INT, "documents are dealt to shards by a hash of doc_id"),
            Column("term", STRING, "analysed term"),
            Column("doc_ids", T.ArrayType(STRING, False), "documents of the shard that contain it, sorted"),
            Column("tfs", T.ArrayType(INT, False), "how often each contains it"),
        ),
        job="build_index",
    ),
    Table(
        "lexicon",
        "terms of the collection",
        ("term",),
        (
            Column("term", STRING, "analysed term"),
            Column("df", LONG, "documents that contain it"),
            Column("cf", LONG, "occurrences in all documents"),
        ),
        job="build_index",
    ),
    Table(
        "doc_stats",
        "length of each document",
        ("doc_id",),
        (
            Column("doc_id", STRING, "documents.doc_id"),
            Column("shard", INT, "shard of postings that holds it"),
            Column("doc_len", INT, "terms, repeated ones counted each time"),
        ),
        job="build_index",
    ),
    Table(
        "corpus_stats",
        "what scoring needs to know of the whole collection; one row",
        (),
        (
            Column("num_docs", LONG, "documents"),
            Column("avg_doc_len", DOUBLE, "mean of doc_stats.doc_len"),
            Column("num_terms", LONG, "distinct terms"),
            Column("analyzer", STRING, "analyzer that made the terms, as JSON; queries use the same"),
        ),
        job="build_index",
    ),
    Table(
        "runs",
        "ranked lists of every system",
        ("system", "query_id", "doc_id"),
        (
            Column("system", STRING, "what ranked (bm25, tfidf, ...)"),
            Column("query_id", STRING, "queries.query_id"),
            Column("doc_id", STRING, "documents.doc_id"),
            Column("rank", INT, "from 1; score descending, then doc_id descending as bytes"),
            Column("score", DOUBLE, "higher is better"),
            Column("split", STRING, "queries.split"),
        ),
        job="retrieve",
        slices="system",
    ),
    Table(
        "query_metrics",
        "value of each measure for each system and query",
        ("system", "family", "measure", "query_id"),
        (
            Column("system", STRING, "runs.system"),
            Column("family", STRING, "whose definition it has: trec_eval, gdeval, letor or ir_measures"),
            Column("measure", STRING, "spelling of ir_measures (nDCG@10)"),
            Column("query_id", STRING, "queries.query_id"),
            Column("value", DOUBLE, "value, in [0, 1]"),
            Column("split", STRING, "queries.split"),
        ),
        job="evaluate_runs",
        slices="system",
    ),
    Table(
        "metrics",
        "mean of each measure for each system and split",
        ("system", "family", "measure", "split", "query_set"),
        (
            Column("system", STRING, "runs.system"),
            Column("family", STRING, "whose definition it has: trec_eval, gdeval, letor or ir_measures"),
            Column("measure", STRING, "spelling of ir_measures (nDCG@10)"),
            Column("split", STRING, "training, validation, test, or all"),
            Column("query_set", STRING, "queries of the mean: all_qrels, intersection, with_relevant or both"),
            Column("mean", DOUBLE, "mean over num_queries queries, in [0, 1]"),
            Column("num_queries", LONG, "queries that the mean is taken over"),
            Column("num_queries_in_run", LONG, "queries that the run answers"),
            Column("num_queries_in_qrels", LONG, "queries that have qrels"),
            Column("num_queries_without_relevant", LONG, "queries of the qrels with no relevant document"),
        ),
        job="evaluate_runs",
        slices="system",
    ),
    Table(
        "comparisons",
        "systems against a baseline: differences, tests and corrections",
        ("baseline", "system", "family", "measure", "test"),
        (
            Column("baseline", STRING, "runs.system that the others are compared with"),
            Column("system", STRING, "runs.system"),
            Column("family", STRING, "query_metrics.family"),
            Column("measure", STRING, "query_metrics.measure"),
            Column("split", STRING, "training, validation, test, or all"),
            Column("num_queries", LONG, "queries that both have a value of"),
            Column("num_queries_unpaired", LONG, "queries that only one of them has a value of; left out"),
            Column("mean", DOUBLE, "mean of the system over num_queries", nullable=True),
            Column("baseline_mean", DOUBLE, "mean of the baseline over num_queries", nullable=True),
            Column("difference", DOUBLE, "mean of the differences; above 0 the system is better", nullable=True),
            Column("confidence", DOUBLE, "of the interval, such as 0.95"),
            Column("interval_low", DOUBLE, "of the mean difference, by Student's t", nullable=True),
            Column("interval_high", DOUBLE, "of the mean difference, by Student's t", nullable=True),
            Column("effect_size", DOUBLE, "difference / standard deviation of the differences", nullable=True),
            Column("num_wins", LONG, "queries on which the system is better"),
            Column("num_ties", LONG, "queries on which both are equal"),
            Column("num_losses", LONG, "queries on which the baseline is better"),
            Column("test", STRING, "t-test, wilcoxon or randomisation; paired, two-sided"),
            Column("statistic", DOUBLE, "t, W, or the mean difference; NULL if undefined", nullable=True),
            Column("p_value", DOUBLE, "uncorrected, in [0, 1]; NULL if undefined", nullable=True),
            Column("p_bonferroni", DOUBLE, "corrected for num_comparisons, in [0, 1]"),
            Column("p_holm", DOUBLE, "the same by Holm's step-down rule, in [0, 1]"),
            Column("correction_family", STRING, "what num_comparisons counts: all, system or measure"),
            Column("num_comparisons", LONG, "m: comparisons in the family of corrections"),
        ),
        job="compare_systems",
        slices="baseline",
    ),
    Table(
        "snapshots",
        "which version of each table belongs to which snapshot; the only authority on what a snapshot is",
        (),
        (
            Column("snapshot", STRING, "name of the snapshot"),
            Column("table", STRING, "table name"),
            Column("slice", STRING, "value of the table's slice column; NULL for a table written whole",
                   nullable=True),
            Column("version", LONG, "Delta version of the table"),
            Column("state", STRING, "staged, or published"),
            Column("job", STRING, "job that wrote it"),
            Column("fingerprint", STRING, "sha256 of job, parameters, inputs and code"),
            Column("inputs", STRING, "input tables with their versions and outside files, as JSON"),
            Column("params", STRING, "resolved parameters, as JSON"),
            Column("code_version", STRING, "sha256 over the package's files"),
            Column("facts", STRING, "what the job measured, as JSON"),
            Column("num_rows", LONG, "rows written"),
            Column("seconds", DOUBLE, "wall time of the job"),
            Column("written_at", TIMESTAMP, "when it was staged, UTC"),
            Column("published_at", TIMESTAMP, "when it was published, UTC", nullable=True),
        ),
        job="refresh",
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType({table.name: table for table in _TABLES})
