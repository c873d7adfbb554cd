"""TREC files: what is written is read back, by ourselves and by pytrec_eval."""

import math
from pathlib import Path

import pytest
import pytrec_eval
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.exchange.export_run import ExportRunParams, export_run
from wikisearch.exchange.trec import read_qrels, read_run
from wikisearch.exchange.write_trec import write_qrels, write_run
from wikisearch.schemas import TABLES

pytestmark = pytest.mark.spark

RUNS = [
    ("bm25", "q10", "d1", 1, 12.3456789012, "test"),
    ("bm25", "q10", "d2", 2, 0.1 + 0.2, "test"),  # 0.30000000000000004
    ("bm25", "q10", "d10", 3, 5e-324, "test"),  # the smallest double
    ("bm25", "q2", "\N{GREEK SMALL LETTER ALPHA}#1", 1, -1.5, "test"),
    ("bm25", "001", "d1", 1, 1.7976931348623157e308, "training"),
    ("bm25", "001", "d2", 2, -math.inf, "training"),
    ("tfidf", "q10", "d9", 1, 1.0, "test"),
]
QRELS = [("q2", "d2", 0, "test"), ("q10", "d1", 2, "test"), ("001", "d1", -2, "training")]


@pytest.fixture
def runs(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(RUNS, TABLES["runs"].struct).repartition(4)


@pytest.fixture
def qrels(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(QRELS, TABLES["qrels"].struct).repartition(3)


def rows_of(df: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in df.collect())


def test_a_run_file_is_ordered_and_exact(runs: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "bm25.run"
    assert write_run(runs, str(path), "bm25") == 6
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["001", "Q0", "d1", "1"],
        ["001", "Q0", "d2", "2"],
        ["q10", "Q0", "d1", "1"],
        ["q10", "Q0", "d2", "2"],
        ["q10", "Q0", "d10", "3"],
        ["q2", "Q0", "\N{GREEK SMALL LETTER ALPHA}#1", "1"],
    ]
    assert {line.split()[5] for line in lines} == {"bm25"}
    scores = {(query, doc): score for _, query, doc, _, score, _ in RUNS}
    for line in lines:
        query, _, doc, _, score, _ = line.split()
        assert float(score) == scores[query, doc]
    assert [each.name for each in tmp_path.iterdir()] == ["bm25.run"]


def test_round_trips(spark: SparkSession, runs: DataFrame, qrels: DataFrame, tmp_path: Path) -> None:
    write_run(runs, str(tmp_path / "run"), "bm25", split="test")
    expected = sorted(row for row in RUNS if row[0] == "bm25" and row[5] == "test")
    assert rows_of(read_run(spark, str(tmp_path / "run"), split="test")) == expected
    assert write_qrels(qrels, str(tmp_path / "qrels"), split="test") == 2
    assert (tmp_path / "qrels").read_text() == "q10 0 d1 2\nq2 0 d2 0\n"
    assert rows_of(read_qrels(spark, str(tmp_path / "qrels"), split="test")) == sorted(QRELS[:2])


def test_another_tool_reads_the_files(runs: DataFrame, qrels: DataFrame, tmp_path: Path) -> None:
    params = ExportRunParams("bm25", str(tmp_path / "run"), qrels_output=str(tmp_path / "qrels"))
    assert export_run(runs, qrels, params) == {str(tmp_path / "run"): 6, str(tmp_path / "qrels"): 3}
    with (tmp_path / "run").open(encoding="utf-8") as file:
        run = pytrec_eval.parse_run(file)
    assert run["q10"] == {"d1": 12.3456789012, "d2": 0.1 + 0.2, "d10": 5e-324}
    with (tmp_path / "qrels").open(encoding="utf-8") as file:
        assert pytrec_eval.parse_qrel(file) == {"001": {"d1": -2}, "q10": {"d1": 2}, "q2": {"d2": 0}}


def test_what_is_there_stays(runs: DataFrame, qrels: DataFrame, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("old")
    params = {"system": "tfidf", "output": str(tmp_path / "run"), "qrels_output": str(tmp_path / "qrels")}
    with pytest.raises(InputError, match="qrels: is there already; name another file or add --overwrite"):
        export_run(runs, qrels, ExportRunParams(**params))
    assert [each.name for each in tmp_path.iterdir()] == ["qrels"]  # the run was not begun
    export_run(runs, qrels, ExportRunParams(**params, overwrite=True))
    assert (tmp_path / "run").read_text() == "q10 Q0 d9 1 1.0 tfidf\n"
    assert (tmp_path / "qrels").read_text().startswith("001 0 d1 -2\n")
    with pytest.raises(UsageError, match="name two files"):
        ExportRunParams("bm25", "a", qrels_output="a")


@pytest.mark.parametrize(
    ("system", "query", "doc", "score"),
    [
        ("s", "q 1", "d", 1.0),
        ("s", "q", "d\t1", 1.0),
        ("s", "q", "d\N{NO-BREAK SPACE}1", 1.0),  # Python's split() cuts here
        ("s", "", "d", 1.0),
        ("two words", "q", "d", 1.0),
        ("s", "q", "d", math.nan),
    ],
)
def test_what_is_no_trec_line_leaves_no_file(
    spark: SparkSession, tmp_path: Path, system: str, query: str, doc: str, score: float
) -> None:
    rows = [(system, "a", "d", 1, 1.0, "test"), (system, query, doc, 1, score, "test")]
    with pytest.raises(InputError, match="cannot be a line of a TREC file"):
        write_run(spark.createDataFrame(rows, TABLES["runs"].struct), str(tmp_path / "run"), system)
    assert list(tmp_path.iterdir()) == []


def test_outputs_that_cannot_be(runs: DataFrame, qrels: DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*none; make it first"):
        write_run(runs, str(tmp_path / "none" / "run"), "bm25")
    with pytest.raises(InputError, match="is a folder; name a file"):
        write_run(runs, str(tmp_path), "bm25")
    with pytest.raises(InputError, match=r"'bm52' has no lists; those that have: bm25, tfidf$"):
        write_run(runs, str(tmp_path / "run"), "bm52")
    with pytest.raises(InputError, match=r"'tfidf' has no lists in split 'training'; those that have: bm25$"):
        write_run(runs, str(tmp_path / "run"), "tfidf", split="training")
    with pytest.raises(InputError, match="no judgements in split 'validation'"):
        write_qrels(qrels, str(tmp_path / "qrels"), split="validation")
    assert list(tmp_path.iterdir()) == []
