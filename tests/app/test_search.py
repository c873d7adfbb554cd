"""Questions by hand: what is found, and the lines that show it."""

import io

import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.app.search import WIDTH, AskParams, Console, Hit, Searcher, console, lines_of, questions
from wikisearch.errors import UsageError
from wikisearch.index.postings import (
    corpus_stats_from_tables,
    doc_stats_from_postings,
    lexicon_from_postings,
    postings_from_documents,
)
from wikisearch.retrieval.lexical import RetrieveParams, retrieve
from wikisearch.text.stemming import Analyzer

ENGLISH = Analyzer("en", "words", "english", "porter-martin")
DOCUMENTS = [
    ("1", 1, "Tide mill", "A mill that the tide drives. " * 3),
    ("2", 2, "Windmill", "Its sails turn the mill in the wind, " + "and so on, " * 50),
    ("3", 3, "Tide", "Tides rise and fall: the Moon pulls at the sea. " + "Tidal rivers are long. " * 20),
    ("4", 4, "Bicycle", "Two wheels."),
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> list[DataFrame]:
    documents = spark.createDataFrame(DOCUMENTS, "doc_id string, page_id bigint, title string, text string")
    postings = postings_from_documents(documents, ENGLISH, 3).localCheckpoint()
    lexicon = lexicon_from_postings(postings).localCheckpoint()
    doc_stats = doc_stats_from_postings(documents, postings, 3).localCheckpoint()
    return [documents, postings, lexicon, doc_stats, corpus_stats_from_tables(doc_stats, lexicon, ENGLISH)]


@pytest.mark.spark
def test_hits_are_what_the_batch_job_finds(spark: SparkSession, tables: list[DataFrame]) -> None:
    pagerank = spark.createDataFrame([(1, 0.25), (2, 0.5)], "page_id bigint, pagerank double")
    searcher = Searcher(*tables, pagerank)
    question = "the tides, the mills: TIDE"
    queries = spark.createDataFrame([("q", question, "test")], "query_id string, text string, split string")
    batch = retrieve(queries, *tables[1:], RetrieveParams(k=2)).orderBy("rank").collect()
    hits = searcher.hits(question, 2)
    assert [(hit.rank, hit.doc_id, hit.score) for hit in hits] == [
        (row["rank"], row["doc_id"], row["score"]) for row in batch
    ]
    assert [(hit.title, hit.pagerank) for hit in hits] == [("Tide mill", 0.25), ("Tide", None)]
    assert hits[0].snippet == " ".join(["A mill that the tide drives."] * 3)
    for nothing in ("the of", "zzz", ""):
        assert searcher.hits(nothing, 2) == []


@pytest.mark.spark
def test_lines_fit_a_terminal(tables: list[DataFrame]) -> None:
    searcher = Searcher(*tables, None)
    hits = [
        Hit(1, "1", "Long \x1b[31m" + "title " * 40, 12.3456, 1.234e-5, "the mill " * 30),
        Hit(2, "2", "Short", 1.0, None, ""),
    ]
    lines = list(lines_of(hits, searcher, "mills", is_terminal=False))
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0] == "  #     BM25  PageRank  title"
    assert lines[1].startswith("  1   12.346  1.23e-05  Long [31mtitle title")
    assert lines[-1] == "  2    1.000         -  Short"
    assert "\x1b" not in "".join(lines)
    marked = list(lines_of(hits, searcher, "mills", is_terminal=True))
    assert [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in marked] == lines
    assert "".join(marked).count("\x1b[1mmill\x1b[0m") == 30
    assert list(lines_of([], searcher, "x", is_terminal=True)) == ["no document has a word of this question"]


def _console(*lines: str | None, is_terminal: bool = False) -> Console:
    waiting = iter(lines)
    return Console(lambda: next(waiting), is_terminal)


def test_questions_end_at_an_empty_line_or_the_end() -> None:
    assert list(questions("tide", _console())) == ["tide"]
    assert list(questions(None, _console("tide\n", " mill ", "", "more"))) == ["tide", "mill"]
    assert list(questions(None, _console("tide\n", None))) == ["tide"]


def test_people_are_prompted(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(questions(None, _console("tide", None, is_terminal=True))) == ["tide"]
    assert capsys.readouterr().out == "question (empty line to end): " * 2


@pytest.mark.spark
def test_without_spark_submit_questions_come_from_standard_input(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO("tide\nmill\n"))
    assert list(questions(None, console(spark))) == ["tide", "mill"]


def test_k_is_at_least_one() -> None:
    with pytest.raises(UsageError, match="k is 0; it must be at least 1"):
        AskParams(k=0)
