"""Values that trec_eval and pytrec_eval gave for real and hand-made files of the reference collections."""

import gzip
import json
import re
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate
from wikisearch.exchange.trec import read_qrels, read_run

pytestmark = [pytest.mark.spark, pytest.mark.shared]

# Of what the references hold, the measures: trec_eval's name and ours.
MEASURES = {
    "P_1": "P@1",
    "P_3": "P@3",
    "P_5": "P@5",
    "P_10": "P@10",
    "P_20": "P@20",
    "P_30": "P@30",
    "recall_10": "R@10",
    "recall_20": "R@20",
    "recall_100": "R@100",
    "recall_1000": "R@1000",
    "success_1": "Success@1",
    "success_10": "Success@10",
    "map": "AP",
    "map_cut_10": "AP@10",
    "map_cut_100": "AP@100",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "ndcg": "nDCG",
    "ndcg_cut_3": "nDCG@3",
    "ndcg_cut_5": "nDCG@5",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_20": "nDCG@20",
}
NOT_COMPARED = {
    "num_q": "a count; compared by itself where it matters",
    "num_ret": "a count of documents, no measure",
    "num_rel": "a count of documents, no measure",
    "num_rel_ret": "a count of documents, no measure",
    "gm_map": "a geometric mean: means are arithmetic here",
    "iprec_at_recall_0.00": "interpolated precision is not among the measures",
}
# Well-formed files, in each of which no two doubles tie as floats; values stored with ten digits. (Not
# web2011_over1000: its values are of the first 1000 documents only.)
VECTORS = (
    "edge_base",
    "edge_string_qids",
    "edge_utf8_ties",
    "edge_tabs_spaces",
    "edge_crlf",
    "cacm_bm25",
    "trec_eval_test_trunc",
    "web2010_synth_intties",
    "web2011_synth_short",
    "web2012_synth_missing",
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


def merged(paths: dict[str, Path], target: Path) -> str:
    """One file of several: each line's query gets the name of its file before it."""
    with target.open("wb") as file:
        for name, path in paths.items():
            plain = path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes())
            file.write(re.sub(rb"(?m)^([ \t]*)(?=\S)", rb"\1" + name.encode() + b"|", plain).rstrip() + b"\n")
    return str(target)


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
    files |= {
        name: (shared / "eval-vectors" / name / "run", shared / "eval-vectors" / name / "qrels")
        for name in VECTORS
    }
    folder = tmp_path_factory.mktemp("merged")
    run = merged({name: run for name, (run, _) in files.items()}, folder / "run")
    qrels = merged({name: qrels for name, (_, qrels) in files.items()}, folder / "qrels")

    def split_by_name(df: DataFrame) -> DataFrame:
        return df.withColumn("split", F.substring_index("query_id", "|", 1))

    evaluation = evaluate(
        split_by_name(read_run(spark, run, split="", system="s")),
        split_by_name(read_qrels(spark, qrels, split="")),
        EvaluateParams(tuple(MEASURES.values())),
    )
    values = {(row["query_id"], row["measure"]): row["value"] for row in evaluation.query_metrics.collect()}
    rows = evaluation.metrics.collect()
    means = {(row["split"], row["measure"]): row["mean"] for row in rows}
    return values, means, {row["split"]: row["num_queries"] for row in rows}


def expected_values(found: dict[str, Any], name: str) -> dict[str, dict[str, float]]:
    """The values by query and trec_eval's name; all names are known, here or as not compared."""
    for values in found.values():
        assert not set(values) - set(MEASURES) - set(NOT_COMPARED), name
    return found


def test_every_case_is_used(shared: Path) -> None:
    folders = {folder.name for folder in (shared / "cases" / "eval").iterdir()}
    assert folders == {name[:3] for name in CASES} | set(ELSEWHERE)


def test_cases(evaluated: tuple[Values, Values, dict[str, int]], shared: Path) -> None:
    values, means, num_queries = evaluated
    folder = shared / "cases/eval"
    for name, (run, _, keys) in CASES.items():
        document = json.loads((folder / run).with_name("expected.json").read_text(encoding="utf-8"))
        found = expected_values(reduce(lambda part, key: part[key], keys, document), name)
        for query, expected in found.items():
            for measure, value in expected.items():
                if measure in MEASURES:
                    ours = values[f"{name}|{query}", MEASURES[measure]]
                    assert ours == pytest.approx(value, abs=document["tol"]), (name, query, measure)
    # E02: query 2 is not answered and counts 0, query 9 is not judged and does not count.
    document = json.loads((folder / "E02" / "expected.json").read_text(encoding="utf-8"))
    for measure, value in document["mean_complete (trec_eval -c)"].items():
        assert means["E02", MEASURES[measure]] == pytest.approx(value, abs=document["tol"])
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
        for measure, value in expected_values({name: document[key]}, name)[name].items():
            if measure in MEASURES:
                ours = means[f"E11-{name}", MEASURES[measure]]
                assert ours == pytest.approx(value, abs=document["tol"]), (name, measure)


def test_vectors(evaluated: tuple[Values, Values, dict[str, int]], shared: Path) -> None:
    values, means, _ = evaluated
    folder = shared / "eval-vectors"
    num_compared = 0
    for name in VECTORS:
        results = json.loads((folder / name / "expected.json").read_text(encoding="utf-8"))["results"]
        result = results["pytrec_eval"]
        for query, expected in expected_values(result["per_query"], name).items():
            for measure in set(expected) & set(MEASURES):
                ours = values[f"{name}|{query}", MEASURES[measure]]
                assert ours == pytest.approx(expected[measure], abs=1e-9), (name, query, measure)
                num_compared += 1
        for measure in set(result["mean_c"]) & set(MEASURES):
            assert means[name, MEASURES[measure]] == pytest.approx(result["mean_c"][measure], abs=1e-9)
    assert num_compared > 4000
