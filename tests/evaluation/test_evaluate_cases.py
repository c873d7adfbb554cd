"""Values that trec_eval gave for the field cases of the reference collections."""

import json
from functools import reduce
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from references import NOT_COMPARED, merged, our_name

from wikisearch.errors import InputError
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate
from wikisearch.exchange.trec import read_qrels, read_run

pytestmark = [pytest.mark.spark, pytest.mark.shared]

MEASURES = (
    *("AP", "AP@10", "RR", "Rprec", "Bpref", "nDCG", "Success@1", "Success@10"),
    *(f"P@{cutoff}" for cutoff in (1, 3, 5, 10, 20, 30)),
    *(f"R@{cutoff}" for cutoff in (10, 100)),
    *(f"nDCG@{cutoff}" for cutoff in (3, 5, 10, 20)),
)
CASES = {
    # name: (run, qrels, keys of the values by query in expected.json)
    "E01-run1": ("E01/run1.txt", "E01/qrels.txt", ("run1",)),
    "E01-run2": ("E01/run2.txt", "E01/qrels.txt", ("run2",)),
    "E01-run3": ("E01/run3.txt", "E01/qrels.txt", ("run3",)),
    "E02": ("E02/run.txt", "E02/qrels.txt", ("per_query",)),
    "E06": ("E06/run.txt", "E06/qrels.txt", ("per_query",)),
    "E08": ("E08/run.txt", "E08/qrels.txt", ("per_query",)),
    "E10": ("E10/run.txt", "E10/qrels.txt", ("with_self",)),
}
OWN_QRELS = "cases-real/trec/trec_eval-qrels.test"
OWN_AVERAGES = {
    # ending of the run file of trec_eval's own tests: key in E11's expected.json
    "test": "results.test (averages)",
    "trunc": "results.trunc with -c (2 of 3 queries retrieved)",
}
ELSEWHERE = {
    "E05": "a faulty input: test_duplicates_are_faults",
    "E11": "averages of a whole file: test_averages_of_trec_evals_own_files",
}

Values = dict[tuple[str, str], float]


def measures_in(values: dict[str, float]) -> dict[str, float]:
    """What is compared, by our name."""
    return {our_name(name): value for name, value in values.items() if name not in NOT_COMPARED}


@pytest.fixture(scope="module")
def evaluated(
    spark: SparkSession, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Values, Values, dict[str, int]]:
    """All files in one evaluation: values by (name|query, measure), means and num_queries by name."""
    files = {
        name: (shared / "cases/eval" / run, shared / "cases/eval" / qrels)
        for name, (run, qrels, _) in CASES.items()
    }
    files |= {
        f"E11-{name}": (shared / f"cases-real/trec/trec_eval-results.{name}", shared / OWN_QRELS)
        for name in OWN_AVERAGES
    }
    folder = tmp_path_factory.mktemp("merged")
    run = merged({name: run for name, (run, _) in files.items()}, folder / "run")
    qrels = merged({name: qrels for name, (_, qrels) in files.items()}, folder / "qrels")

    def split_by_name(df: DataFrame) -> DataFrame:
        return df.withColumn("split", F.substring_index("query_id", "|", 1))

    evaluation = evaluate(
        split_by_name(read_run(spark, run, split="", system="s")),
        split_by_name(read_qrels(spark, qrels, split="")),
        EvaluateParams(MEASURES),
    )
    values = {(row["query_id"], row["measure"]): row["value"] for row in evaluation.query_metrics.collect()}
    rows = evaluation.metrics.collect()
    means = {(row["split"], row["measure"]): row["mean"] for row in rows}
    return values, means, {row["split"]: row["num_queries"] for row in rows}


def test_every_case_is_used(shared: Path) -> None:
    folders = {folder.name for folder in (shared / "cases" / "eval").iterdir()}
    assert folders == {name[:3] for name in CASES} | set(ELSEWHERE)


def test_cases(evaluated: tuple[Values, Values, dict[str, int]], shared: Path) -> None:
    values, means, num_queries = evaluated
    folder = shared / "cases/eval"
    for name, (run, _, keys) in CASES.items():
        document = json.loads((folder / run).with_name("expected.json").read_text(encoding="utf-8"))
        for query, expected in reduce(lambda part, key: part[key], keys, document).items():
            for measure, value in measures_in(expected).items():
                ours = values[f"{name}|{query}", measure]
                assert ours == pytest.approx(value, abs=document["tol"]), (name, query, measure)
    # E02: query 2 is not answered and counts 0, query 9 is not judged and does not count.
    document = json.loads((folder / "E02" / "expected.json").read_text(encoding="utf-8"))
    for measure, value in measures_in(document["mean_complete (trec_eval -c)"]).items():
        assert means["E02", measure] == pytest.approx(value, abs=document["tol"])
    assert num_queries["E02"] == document["num_q"]["complete"]
    assert values["E02|2", "AP"] == 0.0
    assert ("E02|9", "AP") not in values


def test_duplicates_are_faults(spark: SparkSession, shared: Path) -> None:
    folder = shared / "cases" / "eval" / "E05"
    runs = read_run(spark, str(folder / "run.txt"), split="test")
    qrels = read_qrels(spark, str(folder / "qrels.txt"), split="test")
    with pytest.raises(InputError, match="query '1': document 'a' stands 2 times"):
        evaluate(runs, qrels, EvaluateParams())
    doubled = read_qrels(spark, str(folder / "qrels_dup.txt"), split="test")
    with pytest.raises(InputError, match="query '1' judges document 'a' 2 times"):
        evaluate(runs, doubled, EvaluateParams())


def test_averages_of_trec_evals_own_files(evaluated: tuple[Values, Values, dict[str, int]], shared: Path) -> None:
    _, means, num_queries = evaluated
    document = json.loads((shared / "cases/eval/E11/expected.json").read_text(encoding="utf-8"))
    for name, key in OWN_AVERAGES.items():
        assert num_queries[f"E11-{name}"] == document[key]["num_q"]
        for measure, value in measures_in(document[key]).items():
            assert means[f"E11-{name}", measure] == pytest.approx(value, abs=document["tol"]), (name, measure)
