"""Values that trec_eval, pytrec_eval, gdeval, ir_measures and LETOR's script gave for the reference vectors.

All files of one kind are evaluated together: each query's id gets the name of its vector before it.
"""

import json
import math
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from references import NOT_COMPARED, merged, our_name

from wikisearch.errors import InputError
from wikisearch.evaluation.evaluate import QUERY_SETS, EvaluateParams, evaluate
from wikisearch.evaluation.measures import parse_measure
from wikisearch.exchange.letor import letor_qrels, read_letor, read_predictions
from wikisearch.exchange.trec import read_qrels, read_run, read_run_lines

pytestmark = [pytest.mark.spark, pytest.mark.shared]

# --- which file is of which kind ------------------------------------------------------------------------

LETOR = (
    "mq2008_fold1_test_f25",
    "mq2008_fold2_test_f40_full",
    "mq2008_fold3_test_f25",
    "mq2008_fold3_test_f40_tied",
    "mq2008_fold5_test_f25",
)
# What strict reading or evaluating says of these runs, which are read leniently afterwards.
FAULTY = {
    "edge_5_columns": r"line 1: .*5 columns",
    "edge_bad_score": r"line 1: .*'abc'.* \(and 1 more faulty line\)",
    "edge_duplicate_doc_gdeval_gt1": r"query '1': document 'a' stands 2 times in the list",
    "edge_duplicate_doc_run": r"query '1': document 'a' stands 2 times in the list",
}
# No tool that we follow has a value for these: trec_eval fails, gdeval counts a document as often as it stands.
WITHOUT_VALUE = ("edge_duplicate_doc_gdeval_gt1", "edge_duplicate_doc_run")
DEPTHS = {"web2011_over1000": 1000}  # trec_eval's option -M
SKIPPED = {
    ("edge_grade5", "gdeval:ERR"): "leaves [0, 1]: the grade is above max_grade, which is an error here",
}
# Tools that give another value somewhere in a vector, and why; whoever is named here must do so.
OTHERWISE = {("edge_exponent_scores", "gdeval"): "Perl reads the score 0x10 as 0, C and we as 16"}

# --- what is compared -----------------------------------------------------------------------------------

TREC_EVAL_SETS = {"mean": "intersection", "mean_c": "all_qrels"}
REFERENCE_SETS = {
    "mean_over_run∩qrels": "intersection",
    "mean_over_run∩qrels_with_relevant (gdeval default)": "answered_with_relevant",
    "mean_over_qrels_with_relevant (gdeval -c)": "with_relevant",
    "mean_over_all_qrels_queries (trec_eval -c)": "all_qrels",
    "mean_all_queries": "all_qrels",
    "mean_queries_with_relevant_only (what DeepTileBars-release evaluates)": "with_relevant",
}
NO_MEASURES = {"has_rel", "ideal_err"}  # of reference_float64
# A value that lies in the middle of two printed ones may be rounded either way.
EXACT, FOUR_DECIMALS, FIVE_DECIMALS = 1e-9, 5.0001e-5, 5.0001e-6

Key = tuple[str, str, str]
Expected = Iterator[tuple[str, str, str, float, float]]  # query or query set, measure, where, value, tolerance


def gdeval_name(name: str) -> str | None:
    """Our measure of a name in gdeval's output or in the float64 reference."""
    stem, _, cutoff = name.partition("@")
    if stem in NO_MEASURES:
        return None
    at = f"@{cutoff}"
    return {
        "err": f"gdeval:ERR{at}",
        "ndcg": f"gdeval:nDCG{at}",
        "ndcg_exp": f"gdeval:nDCG{at}",
        "ndcg_lin": f"trec_eval:nDCG{at}",
    }[stem]


def letor_name(name: str) -> str | None:
    """Our measure of a name in the output of LETOR's script or in its float64 reference."""
    stem, _, cutoff = name.partition("@")
    at = f"@{cutoff}" if cutoff else ""
    return {
        "P": f"letor:P{at}",
        "NDCG": f"letor:nDCG{at}",
        "MAP": "letor:AP",
        "MeanNDCG": "letor:MeanNDCG",
        "NDCG_log2(i+1)": None,  # gdeval's discount with LETOR's ties: no tool's measure
    }[stem]


def trec_eval_name(name: str, level: int) -> str | None:
    return None if name in NOT_COMPARED else f"trec_eval:{our_name(name, level)}"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def expected_of(tool: str, result: Mapping[str, Any]) -> Expected:
    """What one tool says of one vector."""
    if tool.startswith(("trec_eval", "pytrec_eval")):
        level = 2 if tool.endswith("_l2") else 1
        tolerance = EXACT if tool.startswith("py") else FOUR_DECIMALS
        sets = TREC_EVAL_SETS | ({"mean": "all_qrels"} if "-c" in (result.get("flags") or ()) else {})

        def name(each: str) -> str | None:
            return trec_eval_name(each, level)
    elif tool.startswith("gdeval"):
        name, tolerance = gdeval_name, FIVE_DECIMALS
        sets = {"mean": "with_relevant" if result.get("c") else "answered_with_relevant"}
    elif tool.startswith("reference"):
        is_letor = "mean_all_queries" in result
        name, tolerance, sets = (letor_name if is_letor else gdeval_name), EXACT, REFERENCE_SETS
    elif tool.startswith("Eval-Score"):
        name, tolerance, sets = letor_name, FOUR_DECIMALS, {"mean": "all_qrels"}
    elif tool == "ir_measures":
        sets = {"mean": "all_qrels"}
        tolerance = FIVE_DECIMALS  # some are gdeval's, with its five decimals

        def name(each: str) -> str | None:
            return str(parse_measure(each))
    else:
        raise KeyError(tool)
    for where, values in (result.get("per_query") or {}).items():
        for each, value in values.items():
            if (ours := name(each)) is not None and is_number(value):
                yield where, ours, "query", value, tolerance
    for part, query_set in sets.items():
        for each, value in (result.get(part) or {}).items():
            if (ours := name(each)) is not None and is_number(value):
                yield query_set, ours, "mean", value, tolerance


def results_of(folder: Path, vector: str) -> dict[str, dict[str, Any]]:
    """What the tools that took a vector's files say, each once."""
    results = json.loads((folder / vector / "expected.json").read_text(encoding="utf-8"))["results"]
    return {
        tool: result
        for tool, result in results.items()
        if not result.get("rc") and "error" not in result and "same_values_as" not in result
    }


def vectors_in(folder: Path) -> list[str]:
    """The vectors that are runs and qrels."""
    names = sorted(each.parent.name for each in folder.glob("*/expected.json"))
    return [name for name in names if name not in LETOR and not name.startswith("significance")]


def measures_of(folder: Path, vectors: list[str]) -> tuple[str, ...]:
    """Every measure that some tool has a value of."""
    found = {
        measure
        for vector in vectors
        for tool, result in results_of(folder, vector).items()
        for _, measure, _, _, _ in expected_of(tool, result)
    }
    return tuple(sorted(found))


class Found:
    """Our values, by vector and measure, of each query and for each query set."""

    def __init__(self, runs: DataFrame, qrels: DataFrame, params: EvaluateParams) -> None:
        self.values: dict[Key, float] = {}
        self.means: dict[Key, float] = {}
        with evaluate(runs, qrels, params) as evaluation:
            for row in evaluation.query_metrics.collect():
                vector, _, query = row["query_id"].partition("|")
                self.values[vector, query, f"{row['family']}:{row['measure']}"] = row["value"]
            for row in evaluation.metrics.collect():
                measure = f"{row['family']}:{row['measure']}"
                self.means[row["split"], row["query_set"], measure] = row["mean"]

    def differing(self, vector: str, tool: str, result: Mapping[str, Any]) -> tuple[int, list[str]]:
        """How many values of a tool were compared, and in words those that differ."""
        num, wrong = 0, []
        for where, measure, kind, value, tolerance in expected_of(tool, result):
            if (vector, measure.partition("@")[0]) in SKIPPED:
                continue
            num += 1
            ours = (self.values if kind == "query" else self.means).get((vector, where, measure))
            # A query set without a query has no mean here; tools print 0.
            if abs((0.0 if ours is None else ours) - value) > tolerance:
                wrong.append(f"{vector} {tool} {where} {measure}: {ours}, not {value}")
        return num, wrong


def by_vector(df: DataFrame) -> DataFrame:
    return df.withColumn("split", F.substring_index("query_id", "|", 1))


def found_in(
    spark: SparkSession, folder: Path, vectors: list[str], target: Path, *, lenient: bool, depth: int | None
) -> Found:
    """Evaluates vectors of one kind."""
    run = merged({name: folder / name / "run" for name in vectors}, target / "run")
    qrels = merged({name: folder / name / "qrels" for name in vectors}, target / "qrels")
    measures = measures_of(folder, vectors)
    if "edge_grade5" in vectors:
        measures = tuple(each for each in measures if ":ERR" not in each)
    return Found(
        by_vector(read_run_lines(spark, run, split="", system="s", lenient=lenient)),
        by_vector(read_qrels(spark, qrels, split="")),
        EvaluateParams(measures, query_sets=QUERY_SETS, depth=depth),
    )


def check(folder: Path, vectors: list[str], found: Found) -> int:
    """Compares every tool's values; returns how many."""
    num_compared, wrong, unused = 0, [], []
    for vector in vectors:
        for tool, result in results_of(folder, vector).items():
            num, differing = found.differing(vector, tool, result)
            num_compared += num
            if (vector, tool.partition("@")[0]) not in OTHERWISE:
                wrong += differing
            elif not differing:
                unused.append((vector, tool))
    assert not wrong, "\n".join(wrong[:40]) + f"\n... {len(wrong)} in all"
    assert not unused
    return num_compared


# --- tests ----------------------------------------------------------------------------------------------


def test_well_formed_vectors(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folder = shared / "eval-vectors"
    special = {*FAULTY, *DEPTHS, "edge_grade5"}
    vectors = [name for name in vectors_in(folder) if name not in special]
    found = found_in(spark, folder, vectors, tmp_path, lenient=False, depth=None)
    assert check(folder, vectors, found) > 20_000


def test_lists_that_are_cut(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folder = shared / "eval-vectors"
    for vector, depth in DEPTHS.items():
        found = found_in(spark, folder, [vector], tmp_path, lenient=False, depth=depth)
        assert check(folder, [vector], found) > 300


def test_a_grade_above_four(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folder = shared / "eval-vectors"
    found = found_in(spark, folder, ["edge_grade5"], tmp_path, lenient=False, depth=None)
    assert check(folder, ["edge_grade5"], found) > 10
    runs = read_run(spark, str(folder / "edge_grade5/run"), split="")
    qrels = read_qrels(spark, str(folder / "edge_grade5/qrels"), split="")
    with pytest.raises(InputError, match="query '1' has the grade 5, and ERR takes 4 for the highest"):
        evaluate(runs, qrels, EvaluateParams(("ERR@20",)))


def test_faulty_vectors(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folder = shared / "eval-vectors"
    for vector, message in FAULTY.items():
        qrels = read_qrels(spark, str(folder / vector / "qrels"), split="")
        with pytest.raises(InputError, match=message):
            evaluate(read_run(spark, str(folder / vector / "run"), split=""), qrels, EvaluateParams(("AP",)))
    vectors = [name for name in FAULTY if name not in WITHOUT_VALUE]
    found = found_in(spark, folder, vectors, tmp_path, lenient=True, depth=None)
    assert check(folder, vectors, found) > 100


def test_letor_vectors(spark: SparkSession, shared: Path) -> None:
    folder = shared / "eval-vectors"
    runs, qrels = [], []
    for vector in LETOR:
        letor = read_letor(spark, str(next(folder.glob(f"{vector}/letor.txt*"))))
        predictions = str(folder / vector / "predictions.txt")
        runs.append(read_predictions(spark, predictions, letor, split=vector, system="s"))
        qrels.append(letor_qrels(letor, split=vector))
    params = EvaluateParams(measures_of(folder, list(LETOR)), query_sets=QUERY_SETS)
    ids = F.concat_ws("|", "split", "query_id")
    run, judged = (reduce(DataFrame.unionByName, each).withColumn("query_id", ids) for each in (runs, qrels))
    assert check(folder, list(LETOR), Found(run, judged, params)) > 10_000
