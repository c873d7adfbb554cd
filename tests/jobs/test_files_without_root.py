"""evaluate_runs, compare_systems and make_folds on files, as commands without a root."""

import csv
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from job_commands import run_job
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# Query 1: a found first by both; query 2: found second by `one`, not answered by `two`.
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n"
RUNS = {
    "one.run": "1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n2 Q0 x 1 9 tag\n2 Q0 a 2 8 tag\n",
    "two.run": "1 Q0 a 7 1 tag\n1 Q0 b 8 0.5 tag\n",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with qrels, one.run and two.run."""
    (tmp_path / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def named(folder: Path) -> tuple[object, ...]:
    return ("--qrels", folder / "qrels", "--run", folder / "one.run", folder / "two.run")


def test_means_are_printed_by_family_with_their_queries(spark: SparkSession, files: Path) -> None:
    ended = run_job("evaluate_runs", *named(files), "--measures", "RR P@1 gdeval:nDCG@20")
    assert (ended.code, ended.err) == (0, "")
    assert [line.rstrip() for line in ended.out.splitlines()] == [
        "Means on split all, by gdeval, over all_qrels",
        "system  nDCG@20  queries  in the run  in the qrels  without relevant",
        "one      0.7606        2           2             2                 0",
        "two      0.5000        2           1             2                 0",
        "",
        "Means on split all, by trec_eval, over all_qrels",
        "system     P@1      RR  queries  in the run  in the qrels  without relevant",
        "one     0.5000  0.7500        2           2             2                 0",
        "two     0.5000  0.5000        2           1             2                 0",
        "",
    ]


def test_values_of_queries_as_text_and_files(spark: SparkSession, files: Path) -> None:
    words = (*named(files), "--measures", "RR", "--per-query", "--no-show")
    ended = run_job("evaluate_runs", *words)
    assert ended.out.splitlines() == [
        "system\tfamily\tmeasure\tquery_id\tvalue",
        "one\ttrec_eval\tRR\t1\t1.0",
        "one\ttrec_eval\tRR\t2\t0.5",
        "two\ttrec_eval\tRR\t1\t1.0",
        "two\ttrec_eval\tRR\t2\t0.0",
    ]
    assert run_job("evaluate_runs", *words, "--output", files / "values.tsv").code == 0
    rows = list(csv.DictReader((files / "values.tsv").read_text().splitlines(), delimiter="\t"))
    assert [(row["system"], row["query_id"], float(row["value"])) for row in rows] == [
        ("one", "1", 1.0),
        ("one", "2", 0.5),
        ("two", "1", 1.0),
        ("two", "2", 0.0),
    ]


def test_means_as_files(spark: SparkSession, files: Path) -> None:
    words = (*named(files), "--measures", "RR", "--query-sets", "intersection", "--no-show")
    expected = {("one", "intersection", 0.75, 2), ("two", "intersection", 1.0, 1)}
    for ending in ("json", "parquet"):
        output = files / f"means.{ending}"
        assert run_job("evaluate_runs", *words, "--output", output).code == 0
        rows = (
            pq.read_table(output).to_pylist()
            if ending == "parquet"
            else [json.loads(line) for line in output.read_text().splitlines()]
        )
        names = ("system", "query_set", "mean", "num_queries")
        assert {tuple(row[name] for name in names) for row in rows} == expected
    ended = run_job("evaluate_runs", *words, "--output", files / "means.json")
    assert ended.code == 1
    assert "means.json" in ended.err
    assert run_job("evaluate_runs", *words, "--output", files / "means.json", "--overwrite").code == 0


def test_faulty_lines_stop_it_or_are_counted(
    spark: SparkSession, files: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (files / "two.run").write_text("1 Q0 a 1 1 tag\n1 Q0 b 2 high tag\n2 Q0 a 1 nan tag\n")
    words = (*named(files), "--measures", "RR")
    ended = run_job("evaluate_runs", *words)
    assert ended.code == 1
    assert f"run '{files / 'two.run'}', line 2: " in ended.err
    assert "(and 1 more faulty line)" in ended.err
    ended = run_job("evaluate_runs", *words, "--lenient")
    assert ended.code == 0
    assert "two     0.5000" in ended.out
    assert "run: 1 lines have a score that is not a number" in caplog.text
    assert "run: 1 lines have the score NaN" in caplog.text


@pytest.mark.parametrize(
    ("job", "words", "part"),
    [
        ("evaluate_runs", (), "give --root and --snapshot, or files: --qrels FILE --run FILE"),
        ("evaluate_runs", ("--qrels", "q"), "give --root and --snapshot, or files"),
        ("evaluate_runs", ("--letor", "s", "--qrels", "q"), "leave out --qrels and --run"),
        ("evaluate_runs", ("--letor", "s"), "say what ranks its documents"),
        ("evaluate_runs", ("--features", "1"), "name them with --letor"),
        ("evaluate_runs", ("--qrels", "q", "--run", "r", "--output", "x.doc"), "its ending must be one of .tsv"),
        ("evaluate_runs", ("--qrels", "q", "--run", "r", "--depth", "0"), "depth 0: must be 1 or more"),
        ("evaluate_runs", ("--qrels", "q", "--run", "r", "--plot-format", "gif"), "must be svg or png"),
        ("compare_systems", ("--baseline", "b"), "give --root and --snapshot, or files"),
        ("make_folds", ("--output", "f"), "give --root, or files of one kind"),
        ("make_folds", ("--output", "f", "--qrels", "q", "--letor", "s"), "files of one kind"),
    ],
)
def test_what_does_not_go_together(spark: SparkSession, job: str, words: tuple[str, ...], part: str) -> None:
    ended = run_job(job, *words)
    assert ended.code == 2
    assert part in ended.err


def test_files_beside_a_root_are_refused(spark: SparkSession, sample_root: Path, files: Path) -> None:
    for job, more in (("evaluate_runs", ()), ("compare_systems", ("--baseline", "one"))):
        ended = run_job(job, "--root", sample_root, "--snapshot", "20260101", *named(files), *more)
        assert ended.code == 2
        assert "files are evaluated without a root" in ended.err


def test_systems_of_files_are_compared(spark: SparkSession, files: Path) -> None:
    words = (*named(files), "--baseline", "two", "--measures", "RR AP", "--latex", files / "t.tex")
    ended = run_job("compare_systems", *words, "--plots", files / "plots")
    assert (ended.code, ended.err) == (0, "")
    assert "| two | 0.5000 | " in ended.out
    assert "| one | 0.7500 | " in ended.out
    assert "Means over 2 queries" in ended.out
    assert "m = 2 comparisons" in ended.out
    assert r"\begin{tabular}" in (files / "t.tex").read_text()
    (plot,) = (files / "plots").iterdir()
    assert plot.name == "trec_eval-RR-one-less-two.svg"
    assert plot.read_text().lstrip().startswith(("<?xml", "<svg"))


@pytest.mark.parametrize(("form", "head"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_curves(spark: SparkSession, files: Path, form: str, head: bytes) -> None:
    words = ("--measures", "RR", "--no-show", "--plots", files / form, "--plot-format", form)
    assert run_job("evaluate_runs", *named(files), *words).code == 0
    names = sorted(path.name for path in (files / form).iterdir())
    assert names == [f"trec_eval-{name}.{form}" for name in ("IPrec", "P", "R", "nDCG")]
    assert all(head in path.read_bytes()[:200] for path in (files / form).iterdir())


def test_folds_of_a_file(spark: SparkSession, files: Path) -> None:
    folds = files / "folds.tsv"
    made = run_job("make_folds", "--qrels", files / "qrels", "--num-folds", "2", "--output", folds)
    assert made.code == 0
    assert sorted(line.split("\t")[0] for line in folds.read_text().splitlines()[1:]) == ["1", "2"]
    assert run_job("make_folds", "--qrels", files / "qrels", "--num-folds", "2", "--output", folds).code == 1
    words = ("--measures", "RR", "--folds", folds, "--output", files / "m.json", "--no-show")
    assert run_job("evaluate_runs", *named(files), *words).code == 0
    rows = [json.loads(line) for line in (files / "m.json").read_text().splitlines()]
    found = {(row["system"], row["split"]): row["mean"] for row in rows}
    assert {split for _, split in found} == {"1", "2", "all", "mean_of_folds"}
    assert found["one", "all"] == found["one", "mean_of_folds"] == 0.75


def test_folds_of_a_root_are_those_of_its_qrels(spark: SparkSession, sample_root: Path, tmp_path: Path) -> None:
    folds = tmp_path / "folds.tsv"
    words = ("--root", sample_root, "--num-folds", "3", "--seed", "5", "--output", folds)
    assert run_job("make_folds", *words).code == 0
    assert {line.split("\t")[1] for line in folds.read_text().splitlines()[1:]} == {"1", "2", "3"}


# The protocol of MQ2008: the mean of five folds by LETOR's definitions, over all 784 queries and over the 564
# with a relevant document; values that LETOR's own script gives for feature 25 (BM25).
MQ2008 = {
    "all_qrels": {"P@5": 0.2590, "P@10": 0.2078, "nDCG@5": 0.3400, "nDCG@10": 0.1623, "AP": 0.3588},
    "with_relevant": {"P@5": 0.3605, "P@10": 0.2888, "nDCG@5": 0.4737, "nDCG@10": 0.2252, "AP": 0.4996},
}


@pytest.mark.shared
def test_the_protocol_of_mq2008(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(shared / "data/mq2008/mq2008-S1-S5.tar.xz", tmp_path)
    letor = sorted(tmp_path.rglob("S[1-5].txt*"))
    assert len(letor) == 5
    folds = tmp_path / "folds.tsv"
    assert run_job("make_folds", "--letor", *letor, "--output", folds).code == 0
    measures = [f"letor:{name}" for name in MQ2008["all_qrels"]] + ["letor:nDCG(padded=True)@10"]
    words = ("--features", "25", "--folds", folds, "--measures", *measures, "--query-sets", *MQ2008)
    output = tmp_path / "m.json"
    ended = run_job("evaluate_runs", "--letor", *letor, *words, "--output", output, "--no-show")
    assert (ended.code, ended.err) == (0, "")
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    by_set = {
        query_set: {
            row["measure"]: row["mean"]
            for row in rows
            if row["split"] == "mean_of_folds" and row["query_set"] == query_set
        }
        for query_set in MQ2008
    }
    for query_set, expected in MQ2008.items():
        for measure, value in expected.items():
            assert by_set[query_set][measure] == pytest.approx(value, abs=5.0001e-5), (query_set, measure)
    # Short lists are a half of the queries, whose nDCG@10 the script takes for 0.
    assert by_set["all_qrels"]["nDCG(padded=True)@10"] > 2 * by_set["all_qrels"]["nDCG@10"]
    pooled = {row["query_set"]: row["num_queries"] for row in rows if row["split"] == "all"}
    assert pooled == {"all_qrels": 784, "with_relevant": 564}
    assert {row["split"] for row in rows} == {*(f"S{n}" for n in range(1, 6)), "all", "mean_of_folds"}
