"""LETOR's files of features, and predictions for them."""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wikisearch.errors import InputError
from wikisearch.exchange.letor import letor_qrels, letor_run, read_letor, read_predictions

pytestmark = pytest.mark.spark

GOOD = (
    "2 qid:10 1:0.5 2:1e-3 46:-.5 #docid = GX1-2 inc = 1 prob = 0.08\n"
    "0\tqid:10  0:1 \t2:NULL 3:0x10  # docid=GX3\r\n"
    "# only a comment\n"
    "\n"
    "-1 qid:010 1:1\n"
    "4 qid:10 7:+3. # no name \n"
    "1 qid:10#docid = GX9 "
)


@pytest.fixture
def letor_file(tmp_path: Path) -> Path:
    (tmp_path / "letor").mkdir()
    path = tmp_path / "letor" / "S1.txt"
    path.write_bytes(GOOD.encode())
    return path


def test_every_shape_of_line(spark: SparkSession, letor_file: Path) -> None:
    letor = read_letor(spark, str(letor_file))
    assert letor.columns == ["file", "position", "relevance", "query_id", "doc_id", "features"]
    rows = letor.orderBy("position").collect()
    assert {row["file"] for row in rows} == {str(letor_file)}
    assert [tuple(row)[2:] for row in rows] == [
        (2, "10", "GX1-2", {1: 0.5, 2: 0.001, 46: -0.5}),
        (0, "10", "GX3", {0: 1.0, 3: 16.0}),
        (-1, "010", "010:1", {1: 1.0}),
        (4, "10", "10:3", {7: 3.0}),
        (1, "10", "GX9", {}),
    ]
    qrels = letor_qrels(letor, split="test").orderBy("query_id", "doc_id").collect()
    assert [tuple(row) for row in qrels] == [
        ("10", "10:3", 4, "test"),
        ("10", "GX1-2", 2, "test"),
        ("10", "GX3", 0, "test"),
        ("10", "GX9", 1, "test"),
    ]
    run = letor_run(letor, 1, split="test").orderBy("position").collect()
    assert [(row["system"], row["query_id"], row["doc_id"], row["score"]) for row in run] == [
        ("feature1", "10", "GX1-2", 0.5),
        ("feature1", "10", "GX3", 0.0),
        ("feature1", "010", "010:1", 1.0),
        ("feature1", "10", "10:3", 0.0),
        ("feature1", "10", "GX9", 0.0),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x qid:1 1:2", "the label is not a whole number, -1 or more"),
        ("1.5 qid:1 1:2", "the label is not a whole number, -1 or more"),
        ("-2 qid:1 1:2", "the label is not a whole number, -1 or more"),
        ("1 1:2 2:3", "its second word is not 'qid:' with an id"),
        ("1 qid: 1:2", "its second word is not 'qid:' with an id"),
        ("1", "its second word is not 'qid:' with an id"),
        ("1 qid:1 1:x", "a feature is not 'id:value' with a whole number and a number, or NULL"),
        ("1 qid:1 1", "a feature is not 'id:value' with a whole number and a number, or NULL"),
        ("1 qid:1 1:2:3", "a feature is not 'id:value' with a whole number and a number, or NULL"),
        ("1 qid:1 -1:2", "a feature is not 'id:value' with a whole number and a number, or NULL"),
        ("1 qid:1 1:NaN", "a feature is not 'id:value' with a whole number and a number, or NULL"),
        ("1 qid:1 1:2 1:2", "a feature stands there twice"),
    ],
)
def test_lines_that_are_not_letors(spark: SparkSession, tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "letor"
    path.write_text(f"1 qid:1 1:2\n\n{line}\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_letor(spark, str(path))
    assert str(caught.value) == f"letor '{path}', line 3: {reason} (and 1 more faulty line); correct the file"


def test_predictions_are_for_the_lines_in_their_order(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    num = 3000
    lines = [f"{place % 3} qid:{place // 10} 1:{place} #docid = d{place}" for place in range(num)]
    # In the order given, which is not that of the names.
    (tmp_path / "b").write_text("\n".join(lines[:2000]) + "\n")
    (tmp_path / "a").write_text("\n".join(lines[2000:]))
    predictions = tmp_path / "predictions"
    spark.conf.set("spark.sql.files.maxPartitionBytes", "5000")
    try:
        letor = read_letor(spark, [str(tmp_path / "b"), str(tmp_path / "a")])
        predictions.write_text("".join(f"{place}.25\n" for place in range(num)) + "7\n8\n")
        run = read_predictions(spark, str(predictions), letor, split="test", system="net")
        assert run.columns == ["system", "query_id", "doc_id", "score", "split", "file", "position"]
        found = {row["doc_id"]: row["score"] for row in run.collect()}
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert found == {f"d{place}": place + 0.25 for place in range(num)}
    assert "predictions: 2 numbers beyond the documents are ignored" in caplog.text
    predictions.write_text("1\n2\n")
    with pytest.raises(
        InputError, match=r"predictions': 2 numbers for 3000 documents; there must be one for each"
    ):
        read_predictions(spark, str(predictions), letor, split="test", system="net")
    predictions.write_text("1\n2 3\nnan\n")
    with pytest.raises(InputError, match=r"predictions', line 2: it is not a number \(and 1 more faulty line\)"):
        read_predictions(spark, str(predictions), letor, split="test", system="net")


@pytest.mark.shared
def test_mq2008(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(shared / "data/mq2008/mq2008-S1-S5.tar.xz", tmp_path)
    letor = read_letor(spark, str(tmp_path / "**" / "S?.txt"))
    assert letor.count() == 15_211
    assert letor.select("query_id").distinct().count() == 784
    assert letor.selectExpr("min(size(features)) AS least").collect()[0]["least"] == 46
    assert letor_qrels(letor, split="all").where("relevance > 0").select("query_id").distinct().count() == 564
