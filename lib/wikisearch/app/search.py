"""Questions by hand: the best documents of the index, as lines that people read."""

import os
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from wikisearch.app.job import JobContext
from wikisearch.errors import UsageError
from wikisearch.retrieval.gather import best_documents, doc_lens_by_shard
from wikisearch.retrieval.lexical import RetrieveParams, bm25_model, corpus_from_stats, shards_of
from wikisearch.text.snippets import highlighted, snippet

WIDTH = 100  # columns of the output
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_INDENT = " " * 4
# Characters that would steer a terminal, and line breaks.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True)
class AskParams:
    """What is asked, and how many documents are shown.

    Raises:
        UsageError: for a k below 1.
    """

    query: str | None = field(
        default=None, metadata={"help": "the question; without it, each line of standard input is one"}
    )
    k: int = field(default=10, metadata={"help": "documents shown, at most"})

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"k is {self.k}; it must be at least 1")


@dataclass(frozen=True)
class Hit:
    """One document found: BM25 score, PageRank (None where the root has none) and a snippet of its text."""

    rank: int
    doc_id: str
    title: str
    score: float
    pagerank: float | None
    snippet: str


class Searcher:
    """Answers questions from the tables of an index; reads the postings of the question's terms only.

    Args:
        documents: doc_id, page_id, title, text.
        postings, lexicon, doc_stats, corpus_stats: the index of these documents.
        pagerank: page_id, pagerank; None where it was not computed.
    """

    def __init__(
        self,
        documents: DataFrame,
        postings: DataFrame,
        lexicon: DataFrame,
        doc_stats: DataFrame,
        corpus_stats: DataFrame,
        pagerank: DataFrame | None,
    ) -> None:
        self._documents = documents
        self._postings = postings
        self._lexicon = lexicon
        self._doc_lens = doc_lens_by_shard(doc_stats).cache()  # an id and a number a document; read each time
        self._num_shards = shards_of(doc_stats)
        self._pagerank = pagerank
        self._corpus = corpus_from_stats(corpus_stats)
        self.analyzer = self._corpus.analyzer

    def terms(self, question: str) -> list[str]:
        """The distinct terms of a question, ascending."""
        return sorted(set(self.analyzer.analyze(question)))

    def hits(self, question: str, k: int) -> list[Hit]:
        """The best k documents by BM25, best first; none where no word of the question is in the index."""
        rows = self._ranked(Counter(self.analyzer.analyze(question)), k)
        if not rows:
            return []
        found = {
            row["doc_id"]: row
            for row in self._documents.where(F.col("doc_id").isin([row["doc_id"] for row in rows]))
            .select("doc_id", "page_id", "title", "text")
            .collect()
        }
        pageranks = self._pageranks([row["page_id"] for row in found.values()])
        terms = self.terms(question)
        return [
            Hit(
                row["rank"],
                row["doc_id"],
                found[row["doc_id"]]["title"],
                row["score"],
                pageranks.get(found[row["doc_id"]]["page_id"]),
                snippet(found[row["doc_id"]]["text"], terms, self.analyzer.analyze),
            )
            for row in rows
        ]

    def _ranked(self, counts: Mapping[str, int], k: int) -> list[Row]:
        """rank, doc_id and score of the best documents, best first."""
        known = self._lexicon.where(F.col("term").isin(list(counts))).collect()
        if not known:
            return []
        terms = self._documents.sparkSession.createDataFrame(
            [(0, "question", row["term"], counts[row["term"]], row["df"]) for row in known],
            "block int, query_id string, term string, count int, df bigint",
        )
        params = RetrieveParams()
        best = best_documents(
            terms,
            1,
            self._postings.where(F.col("term").isin([row["term"] for row in known])),
            self._doc_lens,
            self._num_shards,
            bm25_model(self._corpus, params.k1, params.b),
            k,
        )
        return sorted(best.select("rank", "doc_id", "score").collect())

    def _pageranks(self, page_ids: Sequence[int]) -> dict[int, float]:
        if self._pagerank is None or not page_ids:
            return {}
        rows = self._pagerank.where(F.col("page_id").isin(list(page_ids))).collect()
        return {row["page_id"]: row["pagerank"] for row in rows}


def lines_of(hits: Sequence[Hit], searcher: Searcher, question: str, *, is_terminal: bool) -> Iterator[str]:
    """The answer as lines of at most WIDTH characters; words of the question are bold on a terminal."""
    if not hits:
        yield "no document has a word of this question"
        return
    terms = searcher.terms(question)
    yield "  #     BM25  PageRank  title"
    for hit in hits:
        pagerank = "-" if hit.pagerank is None else f"{hit.pagerank:.2e}"
        title = textwrap.shorten(_CONTROLS.sub(" ", hit.title), WIDTH - 24, placeholder="…")
        yield f"{hit.rank:3d} {hit.score:8.3f}  {pagerank:>8}  {title}"
        for line in textwrap.wrap(_CONTROLS.sub(" ", hit.snippet), WIDTH - len(_INDENT)):
            marks = (_BOLD, _PLAIN) if is_terminal else ("", "")
            yield _INDENT + highlighted(line, terms, searcher.analyzer.analyze, *marks)


@dataclass(frozen=True)
class Console:
    """Where questions come from: a function that gives the next line (None at the end), and whether people
    read along on a terminal."""

    read_line: Callable[[], str | None]
    is_terminal: bool


def console(spark: SparkSession) -> Console:
    """The console of the command that the user started.

    Under spark-submit that is the JVM: it starts Python with pipes of its own, whose input never gets a line
    and never ends.
    """
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        java: Any = spark._jvm.java  # type: ignore[union-attr]
        lines = java.io.BufferedReader(java.io.InputStreamReader(getattr(java.lang.System, "in"), "UTF-8"))
        return Console(lines.readLine, java.lang.System.console() is not None)
    return Console(lambda: sys.stdin.readline() or None, sys.stdin.isatty() and sys.stdout.isatty())


def questions(query: str | None, source: Console) -> Iterator[str]:
    """The one question, or the lines of the console up to an empty one or its end."""
    if query is not None:
        yield query
        return
    while True:
        if source.is_terminal:
            sys.stdout.write("question (empty line to end): ")
            sys.stdout.flush()
        line = (source.read_line() or "").strip()
        if not line:
            return
        yield line


def write_lines(lines: Iterable[str]) -> None:
    """Writes lines to standard output, at once."""
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def ask(context: JobContext[AskParams]) -> None:
    """Answers the question, or all of standard input."""
    has_pagerank = context.store.version_of(context.snapshot, "pagerank") is not None
    searcher = Searcher(
        context.read("documents"),
        context.read("postings"),
        context.read("lexicon"),
        context.read("doc_stats"),
        context.read("corpus_stats"),
        context.read("pagerank") if has_pagerank else None,
    )
    source = console(context.spark)
    for question in questions(context.params.query, source):
        hits = searcher.hits(question, context.params.k)
        write_lines(lines_of(hits, searcher, question, is_terminal=source.is_terminal))
