"""Folds of queries: drawn, rotated, and the means over them."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from wikisearch.errors import InputError
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate
from wikisearch.evaluation.folds import draw_folds, mean_of_folds, rotations, with_folds
from wikisearch.exchange.folds import read_folds, write_folds
from wikisearch.schemas import TABLES


@given(st.sets(st.text(max_size=8), min_size=2, max_size=60), st.integers(2, 12), st.integers(0, 9))
def test_folds_are_a_partition_of_even_sizes(queries: set[str], num_folds: int, seed: int) -> None:
    if num_folds > len(queries):
        with pytest.raises(InputError, match="there must be 2 at least, a query in each"):
            draw_folds(queries, num_folds, seed)
        return
    folds = draw_folds(queries, num_folds, seed)
    assert set(folds) == queries
    sizes = [list(folds.values()).count(str(fold + 1)) for fold in range(num_folds)]
    assert sum(sizes) == len(queries)
    assert max(sizes) - min(sizes) <= 1
    assert draw_folds(sorted(queries, reverse=True), num_folds, seed) == folds


def test_another_seed_draws_other_folds() -> None:
    queries = [str(number) for number in range(51, 201)]
    assert draw_folds(queries, 10, 1) != draw_folds(queries, 10, 2)
    with pytest.raises(InputError, match="1 folds of 150 queries"):
        draw_folds(queries, 1, 1)


def test_rotations_are_those_of_letor() -> None:
    turns = list(rotations(["S1", "S2", "S3", "S4", "S5"]))
    assert [(turn.training, turn.validation, turn.test) for turn in turns] == [
        (("S1", "S2", "S3"), ("S4",), "S5"),
        (("S2", "S3", "S4"), ("S5",), "S1"),
        (("S3", "S4", "S5"), ("S1",), "S2"),
        (("S4", "S5", "S1"), ("S2",), "S3"),
        (("S5", "S1", "S2"), ("S3",), "S4"),
    ]
    assert [turn.number for turn in turns] == [1, 2, 3, 4, 5]
    without = list(rotations(["a", "b"], num_validation=0))
    assert [(turn.training, turn.validation, turn.test) for turn in without] == [
        (("a",), (), "b"),
        (("b",), (), "a"),
    ]
    with pytest.raises(InputError, match="2 folds: too few for 1 of validation"):
        list(rotations(["a", "b"]))


@given(st.dictionaries(st.from_regex(r"[^\s#][^\s]{0,6}", fullmatch=True), st.sampled_from("123"), min_size=1))
def test_folds_survive_their_file(folds: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "folds.tsv")
        write_folds(folds, path, "a remark")
        assert read_folds(path) == folds


def test_faulty_files_of_folds(tmp_path: Path) -> None:
    path = tmp_path / "folds.tsv"
    path.write_text("# remark\n1\ta\n\n2 b\n1\tc\n")
    with pytest.raises(InputError, match=r"line 5"):
        read_folds(str(path))
    path.write_text("1\ta\n2\n")
    with pytest.raises(InputError, match=r"line 2"):
        read_folds(str(path))
    with pytest.raises(InputError, match=r"none\.tsv"):
        read_folds(str(tmp_path / "none.tsv"))


@pytest.mark.spark
def test_means_by_fold_pooled_and_over_the_folds(spark: SparkSession) -> None:
    judged = [(query, "a", 1, "all") for query in "123"]
    qrels = spark.createDataFrame(judged, TABLES["qrels"].struct)
    runs = spark.createDataFrame(
        [("s", "1", "a", 1, 1.0, "all"), ("s", "3", "a", 1, 1.0, "all")], TABLES["runs"].struct
    )
    folded = with_folds(qrels, {"1": "x", "2": "x", "3": "y", "9": "y"})
    metrics = evaluate(runs, folded, EvaluateParams(("RR",))).metrics
    found = {row["split"]: row["mean"] for row in metrics.unionByName(mean_of_folds(metrics)).collect()}
    assert found == {"x": 0.5, "y": 1.0, "all": pytest.approx(2 / 3), "mean_of_folds": 0.75}
    with pytest.raises(InputError, match="folds: query '2' has no fold, nor have 1 others"):
        with_folds(qrels, {"1": "x"})
