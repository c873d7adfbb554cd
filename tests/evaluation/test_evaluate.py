"""Values, means and faults on small lists that a reader can check by hand."""

import logging
import math
from collections.abc import Sequence

import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.evaluate import QUERY_SETS, EvaluateParams, Evaluation, evaluate
from wikisearch.schemas import TABLES

pytestmark = pytest.mark.spark

Judgement = tuple[str, str, int, str]
Scored = tuple[str, str, str, float | None]


def qrels_of(spark: SparkSession, rows: Sequence[Judgement]) -> DataFrame:
    return spark.createDataFrame(list(rows), TABLES["qrels"].struct)


def runs_of(spark: SparkSession, rows: Sequence[Scored], split: str = "test") -> DataFrame:
    """Ranks are all 1: nothing may read them."""
    schema = "system string, query_id string, doc_id string, rank int, score double, split string"
    return spark.createDataFrame([(s, q, d, 1, score, split) for s, q, d, score in rows], schema)


def values_of(evaluation: Evaluation) -> dict[tuple[str, str, str], float]:
    return {(r["system"], r["query_id"], r["measure"]): r["value"] for r in evaluation.query_metrics.collect()}


def test_every_measure_on_one_worked_list(spark: SparkSession) -> None:
    # Grades 2, 1, 1 are relevant (R = 3), c and e are not; x is not judged; d is not retrieved.
    judgements = [("a", 2), ("b", 1), ("c", 0), ("d", 1), ("e", -1)]
    qrels = qrels_of(spark, [("q", doc, grade, "test") for doc, grade in judgements])
    # Ranks: c 1, a 2, x 3, b 4, e 5.
    runs = runs_of(spark, [("s", "q", doc, 9.0 - i) for i, doc in enumerate("caxbe")])
    expected = {
        "P@5": 2 / 5,  # a and b
        "P@10": 2 / 10,  # five documents are listed; it divides by ten all the same
        "R@3": 1 / 3,  # a of a, b, d
        "AP": (1 / 2 + 2 / 4) / 3,
        "AP@3": (1 / 2) / 3,
        "RR": 1 / 2,
        "RR@1": 0.0,
        "Rprec": 1 / 3,  # of the first R = 3 documents, a
        "Success@1": 0.0,
        "Success@2": 1.0,
        "nDCG@5": (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / math.log2(4)),
        "nDCG@2": (2 / math.log2(3)) / (2 + 1 / math.log2(3)),
        "nDCG": (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / math.log2(4)),
        "P(rel=2)@5": 1 / 5,
        "AP(rel=2)": 1 / 2,
        "R(rel=2)@5": 1.0,
        "R(rel=3)@5": 0.0,  # nothing is that relevant
        "Bpref": 0.0,  # c, the one document judged not relevant, stands above all
        "Bpref(rel=2)": 1 - 1 / 1,  # b is not relevant now, but stands below a: c alone counts
    }
    evaluation = evaluate(runs, qrels, EvaluateParams(measures=tuple(expected)))
    found = {measure: value for (_, _, measure), value in values_of(evaluation).items()}
    assert found == pytest.approx(expected, abs=1e-12)


def test_known_lists(spark: SparkSession) -> None:
    grades = {"a": 2, "b": 1, "c": 0}
    lists = {
        "perfect": [("a", 3.0), ("b", 2.0), ("c", 1.0)],
        "reversed": [("a", 1.0), ("b", 2.0), ("c", 3.0)],
        "tied": [("a", 1.0), ("b", 1.0), ("c", 1.0)],  # order c, b, a
        "tied zeros": [("a", -0.0), ("b", 0.0), ("c", -0.0)],  # zeros are equal: c, b, a
        "unjudged": [("x", 1.0), ("y", 2.0)],
        "infinite": [("a", math.inf), ("b", 1e308), ("c", -math.inf)],
        "unanswered": [],
    }
    judged = [(name, doc, grade, "test") for name in lists for doc, grade in grades.items()]
    # UTF-16 would put the emoji (a surrogate, D83D) before U+FF5A; UTF-8 bytes put it after.
    lists["bytes"] = [("\uff5a", 1.0), ("\N{GRINNING FACE}", 1.0)]
    judged += [("bytes", "\uff5a", 0, "test"), ("bytes", "\N{GRINNING FACE}", 1, "test")]
    qrels = qrels_of(spark, judged)
    runs = runs_of(spark, [("s", name, doc, score) for name, docs in lists.items() for doc, score in docs])
    last = (1 / math.log2(3) + 2 / math.log2(4)) / (2 + 1 / math.log2(3))
    expected = {
        "perfect": (1.0, 1.0, 1.0),
        "reversed": (last, (1 / 2 + 2 / 3) / 2, 1 / 2),
        "tied": (last, (1 / 2 + 2 / 3) / 2, 1 / 2),
        "tied zeros": (last, (1 / 2 + 2 / 3) / 2, 1 / 2),
        "unjudged": (0.0, 0.0, 0.0),
        "infinite": (1.0, 1.0, 1.0),
        "unanswered": (0.0, 0.0, 0.0),
        "bytes": (1.0, 1.0, 1.0),
    }
    found = values_of(evaluate(runs, qrels, EvaluateParams(measures=("nDCG", "AP", "RR"))))
    for name, values in expected.items():
        assert [found["s", name, measure] for measure in ("nDCG", "AP", "RR")] == pytest.approx(values), name


def test_means_and_counts_by_split(spark: SparkSession) -> None:
    qrels = qrels_of(
        spark,
        [
            ("1", "a", 1, "test"),  # found first
            ("2", "a", 1, "test"),  # found second
            ("3", "a", 1, "test"),  # not answered
            ("4", "a", 0, "test"),  # has no relevant document
            ("5", "a", 1, "training"),
            ("01", "a", 1, "training"),  # another query than 1: ids are text
        ],
    )
    runs = runs_of(
        spark,
        [
            ("s", "1", "a", 2.0),
            ("s", "2", "b", 2.0),
            ("s", "2", "a", 1.0),
            ("s", "4", "a", 1.0),
            ("s", "5", "a", 1.0),
            ("s", "9", "a", 1.0),  # has no judgements: counted, and in no mean
            ("other", "3", "a", 1.0),
        ],
    )
    metrics = evaluate(runs, qrels, EvaluateParams(measures=("RR",))).metrics
    assert metrics.columns == TABLES["metrics"].column_names
    found = {(r["system"], r["split"]): tuple(r)[5:] for r in metrics.collect()}
    assert found == {
        # mean, num_queries, in_run, in_qrels, without_relevant
        ("s", "test"): (1.5 / 4, 4, 4, 4, 1),
        ("s", "training"): (1 / 2, 2, 1, 2, 0),
        ("s", "all"): (2.5 / 6, 6, 5, 6, 1),
        ("other", "test"): (1 / 4, 4, 1, 4, 1),
        ("other", "training"): (0.0, 2, 0, 2, 0),
        ("other", "all"): (1 / 6, 6, 1, 6, 1),
    }


def test_each_system_apart(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    qrels = qrels_of(spark, [("1", "a", 1, "test"), ("1", "b", 1, "test"), ("2", "a", 1, "validation")])
    scored = [
        ("t", "01", "a", 1.0),  # answers no judged query
        ("s", "1", "a", 1.0),
        ("u", "1", "a", math.nan),  # a fault of a system that is not evaluated does not matter
    ]
    # The split of a run's rows does not matter where the query has qrels.
    runs = runs_of(spark, scored, split="training")
    with caplog.at_level(logging.WARNING):
        evaluation = evaluate(runs, qrels, EvaluateParams(measures=("RR", "MAP"), systems=("t", "s")))
    assert caplog.messages == ["system t answers no query of the qrels: every value is 0"]
    assert evaluation.systems == ("s", "t")
    assert evaluation.query_metrics.columns == TABLES["query_metrics"].column_names
    s, t = evaluation.by_system()
    assert (s.system, dict(s.means)) == ("s", {"trec_eval:AP (all_qrels)": 0.25, "trec_eval:RR (all_qrels)": 0.5})
    assert (t.system, dict(t.means)) == ("t", {"trec_eval:AP (all_qrels)": 0.0, "trec_eval:RR (all_qrels)": 0.0})
    assert sorted(tuple(row) for row in s.query_metrics.collect()) == [
        ("s", "trec_eval", "AP", "1", 0.5, "test"),
        ("s", "trec_eval", "AP", "2", 0.0, "validation"),
        ("s", "trec_eval", "RR", "1", 1.0, "test"),
        ("s", "trec_eval", "RR", "2", 0.0, "validation"),
    ]
    assert {row["system"] for row in t.metrics.collect()} == {"t"}
    with evaluation as entered:
        assert entered.lists.storageLevel.useMemory
    assert not evaluation.lists.storageLevel.useMemory


@pytest.mark.parametrize(
    ("scored", "judged", "message"),
    [
        (  # of several, and in a query that has no judgements too
            [("s", "2", "b", 1.0), ("s", "2", "b", 2.0), ("s", "3", "a", 1.0), ("s", "3", "a", 1.0)],
            [("9", "b", 1, "test")],
            "runs: system 's', query '2': document 'b' stands 2 times in the list; list it once",
        ),
        (
            [("s", "1", "b", 1.0), ("s", "1", "c", math.nan)],
            [("1", "b", 1, "test")],
            "runs: system 's', query '1': document 'c' has the score nan; it must be a number",
        ),
        (
            [("s", "1", "b", None)],
            [("1", "b", 1, "test")],
            "runs: system 's', query '1': document 'b' has the score None; it must be a number",
        ),
        (
            [("s", "1", "a", 1.0)],
            [("2", "x", 1, "test"), ("2", "x", 1, "test"), ("1", "y", 1, "test"), ("1", "y", 0, "test")],
            "qrels: query '1' judges document 'y' 2 times; keep one judgement",
        ),
        (
            [("s", "1", "a", 1.0)],
            [("1", "x", 1, "test"), ("1", "y", 1, "training")],
            "qrels: query '1' stands in the splits 'test' and 'training'; put all its judgements into one",
        ),
        (
            [],
            [("1", "x", 1, "test")],
            "runs: no rows of system (any); the table has: none; make them with jobs/retrieve.py",
        ),
    ],
)
def test_faults_name_the_first_offender(
    spark: SparkSession, scored: list[Scored], judged: list[Judgement], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(runs_of(spark, scored), qrels_of(spark, judged), EvaluateParams())
    assert str(caught.value) == message


def test_a_collection_without_queries_has_no_values(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    with evaluate(runs_of(spark, []), qrels_of(spark, []), EvaluateParams(), ["bm25"]) as evaluation:
        (bm25,) = evaluation.by_system()
        assert (bm25.system, bm25.metrics.count(), bm25.query_metrics.count()) == ("bm25", 0, 0)
    assert "the qrels hold no judgement: no measure has a value" in caplog.text


def test_a_known_system_without_rows_counts_0(spark: SparkSession) -> None:
    params, qrels = EvaluateParams(measures=("AP",)), qrels_of(spark, [("1", "x", 1, "test")])
    with evaluate(runs_of(spark, []), qrels, params, ["bm25"]) as evaluation:
        (bm25,) = evaluation.by_system()
        assert dict(bm25.means) == {"trec_eval:AP (all_qrels)": 0.0}


def test_a_system_that_is_not_there(spark: SparkSession) -> None:
    runs = runs_of(spark, [("t", "1", "a", 1.0), ("s", "1", "a", 1.0)])
    qrels = qrels_of(spark, [("1", "a", 1, "test")])
    with pytest.raises(InputError, match=r"no rows of system bm52; the table has: s, t;"):
        evaluate(runs, qrels, EvaluateParams(systems=("s", "bm52")))


def test_parameters_out_of_range() -> None:
    with pytest.raises(UsageError, match="there is no measure 'PP'"):
        EvaluateParams(measures=("AP", "PP@3"))
    with pytest.raises(UsageError, match="one is named twice"):
        EvaluateParams(systems=("a", "b", "a"))
    with pytest.raises(UsageError, match="query_sets all_qrels some: name each of all_qrels, intersection, "):
        EvaluateParams(query_sets=("all_qrels", "some"))
    with pytest.raises(UsageError, match="once at most"):
        EvaluateParams(query_sets=("all_qrels", "all_qrels"))


def test_means_over_each_query_set(spark: SparkSession) -> None:
    judged = [("1", "a", 1, "test"), ("2", "a", 1, "test"), ("3", "a", 0, "test"), ("4", "a", -1, "test")]
    runs = runs_of(spark, [("s", "1", "a", 1.0), ("s", "3", "a", 1.0), ("s", "9", "a", 1.0)])
    params = EvaluateParams(measures=("RR",), query_sets=QUERY_SETS)
    metrics = evaluate(runs, qrels_of(spark, judged), params).metrics.where("split = 'all'")
    found = {row["query_set"]: (row["mean"], row["num_queries"]) for row in metrics.collect()}
    assert found == {
        "all_qrels": (0.25, 4),
        "intersection": (0.5, 2),
        "with_relevant": (0.5, 2),
        "answered_with_relevant": (1.0, 1),
    }
    counts = {tuple(row)[-3:] for row in metrics.collect()}
    assert counts == {(3, 4, 2)}  # in the run, in the qrels, without relevant


def test_a_grade_above_that_of_err(spark: SparkSession) -> None:
    qrels = qrels_of(spark, [("2", "a", 5, "test"), ("1", "b", 3, "test")])
    runs = runs_of(spark, [("s", "1", "b", 1.0), ("s", "2", "a", 1.0)])
    with pytest.raises(InputError, match=r"query '2' has the grade 5, and ERR takes 4 .*ERR\(max_grade=5\)@20"):
        evaluate(runs, qrels, EvaluateParams(measures=("ERR@20",)))
    evaluation = evaluate(runs, qrels, EvaluateParams(measures=("ERR(max_grade=5)@20", "gdeval:nDCG@20")))
    assert values_of(evaluation) == {
        ("s", "1", "ERR(max_grade=5)@20"): 7 / 32,
        ("s", "2", "ERR(max_grade=5)@20"): 31 / 32,
        ("s", "1", "nDCG@20"): 1.0,
        ("s", "2", "nDCG@20"): 1.0,
    }


def test_measures_of_letor_need_lines(spark: SparkSession) -> None:
    runs, qrels = runs_of(spark, [("s", "1", "a", 1.0)]), qrels_of(spark, [("1", "a", 1, "test")])
    with pytest.raises(InputError, match="the measures of letor need the order of lines"):
        evaluate(runs, qrels, EvaluateParams(measures=("letor:nDCG@10",)))


def test_look_alikes_are_other_measures(spark: SparkSession) -> None:
    """The worked examples of README.md: formulas that go around as ERR and nDCG beside the measures."""

    def alike_err(grades: Sequence[int]) -> float:
        return sum(g / (i + 1) * (1 - sum(grades[:i]) / 3) for i, g in enumerate(grades))

    assert alike_err([3, 3, 3]) == 2.0
    assert alike_err([4, 4, 4, 4]) == pytest.approx(-1.89, abs=0.005)
    judged = [("1", doc, 3, "test") for doc in "abc"] + [("2", "a", 1, "test"), ("2", "b", 2, "test")]
    runs = runs_of(spark, [*(("s", "1", doc, 1.0) for doc in "abc"), ("s", "2", "a", 1.0)])
    found = values_of(evaluate(runs, qrels_of(spark, judged), EvaluateParams(measures=("ERR@20", "nDCG@20"))))
    assert found["s", "1", "ERR@20"] == pytest.approx(0.607, abs=0.0005)
    assert found["s", "2", "nDCG@20"] == pytest.approx(0.380, abs=0.0005)
