"""Comparisons of systems, against scipy and the vectors of the reference collections."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from references import our_name, unpacked
from scipy import stats

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.comparisons import CompareParams, compare
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate
from wikisearch.exchange.trec import read_qrels, read_run
from wikisearch.report.comparison_tables import ComparisonTableParams, latex_table
from wikisearch.report.gather import comparison_facts

pytestmark = pytest.mark.spark

COLUMNS = "system string, family string, measure string, query_id string, value double, split string"


def random_values() -> dict[tuple[str, str, str], float]:
    """Values by system, measure and query."""
    source = random.Random(5)
    return {
        (system, measure, f"q{number}"): round(source.random(), 2) * scale
        for system, scale in (("base", 0.9), ("x", 1.0), ("y", 0.8))
        for measure in ("AP", "nDCG@10")
        for number in range(30)
    }


def table(spark: SparkSession, values: dict[tuple[str, str, str], float], num_partitions: int = 3) -> DataFrame:
    rows = [
        (system, "trec_eval", measure, query, value, "test" if query > "q2" else "training")
        for (system, measure, query), value in values.items()
    ]
    random.Random(num_partitions).shuffle(rows)
    return spark.createDataFrame(rows, COLUMNS).repartition(num_partitions)


def by_key(rows: list[Row]) -> dict[tuple[str, str, str], Row]:
    return {(row["system"], row["measure"], row["test"]): row for row in rows}


def test_every_test_is_scipys_on_the_same_pairs(spark: SparkSession) -> None:
    values = random_values()
    params = CompareParams("base", tests=("t-test", "wilcoxon"))
    rows = by_key(compare(table(spark, values), params).collect())
    assert len(rows) == 2 * 2 * 2
    for (system, measure, test), row in rows.items():
        ours, theirs = ([values[s, measure, f"q{n}"] for n in range(30)] for s in (system, "base"))
        expected = {"t-test": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test](ours, theirs)
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-10)
        assert row["mean"] == pytest.approx(sum(ours) / 30, rel=1e-12)
        assert row["difference"] == pytest.approx(row["mean"] - row["baseline_mean"], abs=1e-12)
        assert row["num_wins"] == sum(a > b for a, b in zip(ours, theirs, strict=True))
        assert row["num_ties"] + row["num_wins"] + row["num_losses"] == row["num_queries"] == 30
        assert row["num_comparisons"] == 4  # of one test: two systems, two measures
        assert row["p_bonferroni"] == pytest.approx(min(1, 4 * row["p_value"]))
        assert row["interval_low"] < row["difference"] < row["interval_high"]


@pytest.mark.parametrize("num_partitions", [1, 7])
def test_rows_are_equal_bit_by_bit_for_any_partitioning(spark: SparkSession, num_partitions: int) -> None:
    params = CompareParams("base", tests=("t-test", "randomisation"), num_rounds=200)

    def rows(parts: int) -> list[Row]:
        return sorted(compare(table(spark, random_values(), parts), params).collect())

    assert rows(num_partitions) == rows(3)


def test_a_query_without_a_partner_is_counted_and_left_out(spark: SparkSession) -> None:
    values = random_values()
    del values["x", "AP", "q4"], values["base", "AP", "q5"]
    rows = by_key(compare(table(spark, values), CompareParams("base", systems=("x",))).collect())
    assert (rows["x", "AP", "t-test"]["num_queries"], rows["x", "AP", "t-test"]["num_queries_unpaired"]) == (28, 2)
    assert rows["x", "nDCG@10", "t-test"]["num_queries_unpaired"] == 0


def test_a_split_and_a_family_of_corrections(spark: SparkSession) -> None:
    params = CompareParams("base", split="training", correction_family="system")
    rows = compare(table(spark, random_values()), params).collect()
    assert {row["num_queries"] for row in rows} == {13}  # q0 to q2, and q10 to q19
    assert {(row["num_comparisons"], row["split"]) for row in rows} == {(2, "training")}


def test_a_measure_of_one_system_only_is_left_out(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    values = {key: value for key, value in random_values().items() if key[:2] != ("x", "AP")}
    rows = by_key(compare(table(spark, values), CompareParams("base")).collect())
    assert sorted(key[:2] for key in rows) == [("x", "nDCG@10"), ("y", "AP"), ("y", "nDCG@10")]
    assert "AP of trec_eval is left out for x: it or the baseline has no values" in caplog.text


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (CompareParams("nobody"), "no values of nobody; there are: base, x, y"),
        (CompareParams("base", systems=("z",)), "no values of z"),
        (CompareParams("base", split="validation"), "no values of base on split 'validation'; there are: none"),
    ],
)
def test_systems_that_are_not_there(spark: SparkSession, params: CompareParams, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(table(spark, random_values()), params)


@pytest.mark.parametrize("systems", [{"base"}, set()])
def test_without_another_system_the_table_is_empty(
    spark: SparkSession, caplog: pytest.LogCaptureFixture, systems: set[str]
) -> None:
    values = {key: value for key, value in random_values().items() if key[0] in systems}
    frame = table(spark, values) if values else spark.createDataFrame([], COLUMNS)
    assert compare(frame, CompareParams("base")).count() == 0
    assert "nothing to compare with base" in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"tests": ()},
        {"tests": ("t-test", "t-test")},
        {"tests": ("z-test",)},
        {"correction_family": "world"},
        {"confidence": 1.0},
        {"num_rounds": 0},
        {"systems": ("base",)},
    ],
)
def test_parameters_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        CompareParams("base", **wrong)


# --- reference collections ------------------------------------------------------------------------------


def plain(path: Path, folder: Path) -> str:
    """The file, unpacked."""
    if path.exists():
        return str(path)
    target = folder / path.name
    target.write_bytes(unpacked(path))
    return str(target)


def query_metrics(
    spark: SparkSession, runs: dict[str, Path], qrels: Path, measures: list[str], folder: Path
) -> DataFrame:
    """The values of TREC run files by query."""
    frames = [read_run(spark, plain(path, folder), split="all", system=name) for name, path in runs.items()]
    union = frames[0]
    for frame in frames[1:]:
        union = union.unionByName(frame)
    judgements = read_qrels(spark, plain(qrels, folder), split="all")
    return evaluate(union, judgements, EvaluateParams(tuple(measures))).query_metrics


@pytest.mark.shared
@pytest.mark.parametrize("name", ["web2012_indri", "web2011_synth", "zero_variance"])
def test_reference_values(spark: SparkSession, shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / f"eval-vectors/significance_{name}"
    expected = json.loads((folder / "expected.json").read_text())
    names = [expected["baseline"], *dict.fromkeys(test["system"] for test in expected["tests"])]
    measures = [our_name(each) for each in dict.fromkeys(test["metric"] for test in expected["tests"])]
    values = query_metrics(
        spark, {each: folder / f"run.{each}" for each in names}, folder / "qrels", measures, tmp_path
    ).persist()
    by_all = by_key(compare(values, CompareParams(expected["baseline"])).collect())
    params = CompareParams(expected["baseline"], correction_family="system")
    by_system = by_key(compare(values, params).collect())
    assert len(by_all) == len(expected["tests"])
    for test in expected["tests"]:
        key = test["system"], our_name(test["metric"]), "t-test"
        row = by_all[key]
        assert row["num_queries"] == test["n"]
        assert [row["num_wins"], row["num_ties"], row["num_losses"]] == test["W/T/L"]
        for column, wanted in (
            ("mean", test["mean"]),
            ("baseline_mean", test["baseline_mean"]),
            ("difference", test["diff"]),
            ("statistic", test["t"]),
            ("p_value", test["p_two_sided"]),
            ("p_bonferroni", next(test[each] for each in test if each.startswith("p_bonferroni_family"))),
            ("p_holm", test["p_holm_family"]),
        ):
            number = math.nan if row[column] is None else row[column]
            assert number == pytest.approx(float(wanted), rel=1e-8, abs=1e-9, nan_ok=True), (key, column)
        by_wikir = next(test[each] for each in test if each.startswith("p_bonferroni_metrics"))
        assert by_system[key]["p_bonferroni"] == pytest.approx(by_wikir, rel=1e-8)
    values.unpersist()


@pytest.mark.shared
def test_wikirs_table_of_its_own_sample(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    peer = shared / "wikir-peer"
    sample, collection = peer / "display_res_sample/test", peer / "enwik8-ufscb/test"
    printed = json.loads((sample.parent / "cfg.json").read_text())["print_measures"]
    # The epoch whose nDCG@100 on the validation queries is best, as display_res.py chooses.
    runs = {"BM25": collection / "BM25.res"} | {
        model: max(
            (sample / model).glob("*.res"),
            key=lambda path: json.loads(
                (sample.parent / "validation" / path.parent.name / f"{path.stem}.metrics.json").read_text()
            )["ndcg_cut_100"],
        )
        for model in ("ArcI", "DRMM")
    }
    measures = [our_name(name) for name in printed]
    values = query_metrics(spark, runs, collection / "qrels", measures, tmp_path)
    rows = compare(values, CompareParams("BM25", correction_family="system"))
    shown = sorted(
        comparison_facts(rows), key=lambda row: (row.system, measures.index(row.measure))
    )
    params = ComparisonTableParams(style="wikir", correction="bonferroni")
    comment, *ours = latex_table(shown, params)
    assert "m = 8 comparisons (the measures of one system)" in comment
    theirs = (sample.parent / "latex.txt").read_text().splitlines()
    assert len(ours) == len(theirs) == 3
    for our_row, their_row in zip(ours, theirs, strict=True):
        for our_cell, their_cell in zip(our_row.split(" & "), their_row.split(" & "), strict=True):
            our_value, *our_mark = our_cell.removesuffix(r" \\").split("\\", 1)
            their_value, *their_mark = their_cell.removesuffix(r" \\").split("\\", 1)
            assert our_mark == their_mark
            if our_value[0].isdigit():  # theirs is cut off, ours is rounded
                assert 0 <= float(our_value) - float(their_value) < 1.01e-4
            else:
                assert our_value == their_value
