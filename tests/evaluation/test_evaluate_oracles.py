"""Random lists, with trec_eval itself (pytrec_eval), ir_measures and plain loops as oracles; equal bits always."""

import random
from collections import defaultdict
from collections.abc import Callable

import ir_measures
import pytest
import pytrec_eval
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from evaluation import formulas
from evaluation.formulas import Grades, Ranked
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate

pytestmark = pytest.mark.spark

# trec_eval's name of each measure.
TREC_EVAL_NAMES = {
    "P@1": "P_1",
    "P@5": "P_5",
    "P@10": "P_10",
    "R@3": "recall_3",
    "R@100": "recall_100",
    "AP": "map",
    "AP@4": "map_cut_4",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "nDCG": "ndcg",
    "nDCG@3": "ndcg_cut_3",
    "nDCG@10": "ndcg_cut_10",
    "Bpref": "bpref",
    "infAP": "infAP",
    **{f"IPrec@{tenths / 10}": f"iprec_at_recall_{tenths / 10:.2f}" for tenths in range(11)},
}
LEVEL_2_NAMES = {
    "P(rel=2)@5": "P_5",
    "R(rel=2)@3": "recall_3",
    "AP(rel=2)": "map",
    "RR(rel=2)": "recip_rank",
    "Rprec(rel=2)": "Rprec",
    "Success(rel=2)@5": "success_5",
    "Bpref(rel=2)": "bpref",
    "infAP(rel=2)": "infAP",
}
REQUESTED = {
    "P.1,5,10",
    "recall.3,100",
    "map",
    "map_cut.4",
    "recip_rank",
    "Rprec",
    "success.1,5",
    "ndcg",
    "ndcg_cut.3,10",
    "bpref",
    "infAP",
    "iprec_at_recall",
}
FORMULAS: dict[str, Callable[[Ranked, Grades], float]] = {
    "gdeval:nDCG@3": lambda ranked, grades: formulas.ndcg_exp(ranked, grades, 3),
    "gdeval:nDCG@20": lambda ranked, grades: formulas.ndcg_exp(ranked, grades, 20),
    "gdeval:ERR@3": lambda ranked, grades: formulas.err(ranked, grades, 3),
    "gdeval:ERR(max_grade=6)@20": lambda ranked, grades: formulas.err(ranked, grades, 20, max_grade=6),
    "ir_measures:RBP": lambda ranked, grades: formulas.rbp(ranked, grades, 0.8, 1),
    "ir_measures:RBP(p=0.5,rel=2)@3": lambda ranked, grades: formulas.rbp(ranked, grades, 0.5, 2, 3),
    "ir_measures:Judged@5": lambda ranked, grades: formulas.judged(ranked, grades, 5),
}
FORMULAS_BY_LINE: dict[str, Callable[[Ranked, Grades], float]] = {
    "letor:nDCG@2": lambda ranked, grades: formulas.letor_ndcg(ranked, grades, 2, padded=False),
    "letor:nDCG@10": lambda ranked, grades: formulas.letor_ndcg(ranked, grades, 10, padded=False),
    "letor:nDCG(padded=True)@10": lambda ranked, grades: formulas.letor_ndcg(ranked, grades, 10, padded=True),
    "letor:MeanNDCG": formulas.letor_mean_ndcg,
    "letor:P@5": lambda ranked, grades: formulas.precision(ranked, grades, 5),
    "letor:AP": formulas.average_precision,
}
GDEVAL = {"ERR@20": "ERR@20", "nDCG@20": "nDCG(dcg='exp-log2')@20"}  # our spelling: that of ir_measures
NUM_CASES = 1000
TOLERANCE = 1e-6
GDEVAL_TOLERANCE = 5e-6 + 1e-12  # it prints five decimals


def random_case(case: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The qrels and the run of one case: up to four queries over twelve documents and twelve strangers."""
    chance = random.Random(case)
    documents = [f"d{number}" for number in range(12)]
    strangers = [f"u{number}" for number in range(12)]
    grades = chance.choice([(0, 1, 2), (-2, -1, 0, 1, 2), (0, 1, 2, 3, 4), (0, 0, 0, 0, 2)])
    # Few distinct scores make ties; all are exact in the 32 bits that pytrec_eval keeps.
    scores = [number / 4 for number in range(-3, chance.choice([2, 6, 60]))]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(chance.randint(1, 4)):
        query = f"{case:03}-{number}"
        judged = chance.sample(documents, chance.randint(1, len(documents)))
        # trec_eval cannot evaluate a query without any judgement from 0.
        qrels[query] = {judged[0]: chance.choice([0, 1])} | {doc: chance.choice(grades) for doc in judged[1:]}
        listed = chance.sample(documents + strangers, chance.randint(0, 24))
        if listed:
            run[query] = {doc: chance.choice(scores) for doc in listed}
    run[f"{case:03}-x"] = {"d1": 1.0}  # has no judgements
    return qrels, run


@pytest.fixture(scope="module")
def cases() -> list[tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]]:
    return [random_case(case) for case in range(NUM_CASES)]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, cases) -> tuple[DataFrame, DataFrame]:
    """All cases in one pair of tables: a case is a split."""
    judgements, scored = [], []
    for case, (qrels, run) in enumerate(cases):
        judgements += [(q, d, g, f"case{case}") for q, docs in qrels.items() for d, g in docs.items()]
        scored += [("s", q, d, 1, s, f"case{case}") for q, docs in run.items() for d, s in docs.items()]
    # A file is read in blocks, in each of which lines have places.
    scored = [(*row, (number // 1000, number % 1000)) for number, row in enumerate(scored)]
    random.Random(1).shuffle(scored)
    random.Random(2).shuffle(judgements)
    runs = spark.createDataFrame(
        scored,
        "system string, query_id string, doc_id string, rank int, score double, split string, "
        "position struct<block: bigint, place: bigint>",
    )
    qrels_table = spark.createDataFrame(judgements, "query_id string, doc_id string, relevance int, split string")
    return runs.localCheckpoint(), qrels_table.localCheckpoint()


@pytest.fixture(scope="module")
def evaluated(tables) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], Row]]:
    """Values by query and measure; rows of metrics by split and measure; measures of trec_eval without family."""
    measures = (*TREC_EVAL_NAMES, *LEVEL_2_NAMES, "RR@2", *FORMULAS, "ERR@20", *FORMULAS_BY_LINE)
    evaluation = evaluate(*tables, EvaluateParams(measures=measures))

    def name(row: Row) -> str:
        return row["measure"] if row["family"] == "trec_eval" else f"{row['family']}:{row['measure']}"

    values = {(row["query_id"], name(row)): row["value"] for row in evaluation.query_metrics.collect()}
    return values, {(row["split"], name(row)): row for row in evaluation.metrics.collect()}


@pytest.mark.parametrize(("level", "names"), [(1, TREC_EVAL_NAMES), (2, LEVEL_2_NAMES)])
def test_values_are_those_of_trec_eval(cases, evaluated, level: int, names: dict[str, str]) -> None:
    values, _ = evaluated
    num_compared = num_positive = 0
    for qrels, run in cases:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, REQUESTED, relevance_level=level)
        results = evaluator.evaluate({query: docs for query, docs in run.items() if query in qrels})
        for query in qrels:
            for measure, name in names.items():
                expected = results[query][name] if query in results else 0.0
                assert values[query, measure] == pytest.approx(expected, abs=TOLERANCE), (query, measure)
                num_compared += 1
                num_positive += expected > 0
    assert num_compared == len(names) * sum(len(qrels) for qrels, _ in cases)
    assert num_positive > num_compared / 4  # or the cases would show nothing


def test_reciprocal_rank_with_a_cutoff(cases, evaluated) -> None:
    values, _ = evaluated
    for qrels, _ in cases:
        for query in qrels:
            full = values[query, "RR"]
            assert values[query, "RR@2"] == (full if full >= 1 / 2 else 0.0)


def test_values_and_means_are_those_of_ir_measures(cases, evaluated) -> None:
    values, means = evaluated
    measures = [ir_measures.parse_measure(name) for name in (*TREC_EVAL_NAMES, *LEVEL_2_NAMES)]
    qrels, run = {}, {}
    for case_qrels, case_run in cases:
        qrels |= case_qrels
        run |= case_run
    found: dict[tuple[str, str], float] = {}
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for metric in ir_measures.iter_calc(measures, qrels, run):
        found[metric.query_id, str(metric.measure)] = metric.value
        sums[f"case{int(metric.query_id[:3])}", str(metric.measure)] += metric.value
        sums["all", str(metric.measure)] += metric.value
    ours = {key: value for key, value in values.items() if key[1] in TREC_EVAL_NAMES or key[1] in LEVEL_2_NAMES}
    assert found == pytest.approx(ours, abs=TOLERANCE)
    for (split, measure), total in sums.items():
        row = means[split, measure]
        assert row["mean"] == pytest.approx(total / row["num_queries"], abs=TOLERANCE), (split, measure)


def test_values_are_those_of_plain_loops(cases, evaluated) -> None:
    values, _ = evaluated
    num_positive = 0
    for qrels, run in cases:
        for query, grades in qrels.items():
            docs = run.get(query, {})
            by_doc = sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True)
            by_line = sorted(docs, key=docs.__getitem__, reverse=True)  # stable
            for measures, ranked in ((FORMULAS, by_doc), (FORMULAS_BY_LINE, by_line)):
                for measure, formula in measures.items():
                    expected = formula(ranked, grades)
                    assert values[query, measure] == pytest.approx(expected, abs=1e-12), (query, measure)
                    num_positive += expected > 0
    assert num_positive > 10 * NUM_CASES


def test_values_are_those_of_gdeval(cases, evaluated) -> None:
    values, _ = evaluated
    names = {}  # gdeval takes numbers for queries only
    qrels, run = {}, {}
    for case_qrels, case_run in cases:
        for query in case_qrels:
            names[str(len(names) + 1)] = query
            # It dies of queries without a positive judgement when all are so; ir_measures adds their zeros.
            qrels[str(len(names))] = case_qrels[query]
            run |= {str(len(names)): case_run[query]} if query in case_run else {}
    for measure, name in GDEVAL.items():
        found = list(ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run))
        assert len(found) == len(names)
        for metric in found:
            ours = values[names[metric.query_id], f"gdeval:{measure}"]
            assert ours == pytest.approx(metric.value, abs=GDEVAL_TOLERANCE), (names[metric.query_id], measure)


def test_counts_of_queries(cases, evaluated) -> None:
    _, means = evaluated
    for case, (qrels, run) in enumerate(cases):
        row = means[f"case{case}", "AP"]
        assert row["num_queries"] == row["num_queries_in_qrels"] == len(qrels)
        assert row["num_queries_in_run"] == len(run)
        without = sum(max(docs.values()) <= 0 for docs in qrels.values())
        assert row["num_queries_without_relevant"] == without


def test_every_value_is_in_range(evaluated) -> None:
    values, means = evaluated
    assert all(0.0 <= value <= 1.0 for value in values.values())
    assert all(0.0 <= row["mean"] <= 1.0 for row in means.values())


def test_bits_do_not_depend_on_partitions(spark: SparkSession, tables) -> None:
    runs, qrels = (table.where(F.col("query_id") < "060") for table in tables)
    measures = (
        *("nDCG@10", "AP", "Bpref", "infAP", "gdeval:nDCG@10", "ERR@20"),
        *("letor:nDCG@3", "letor:AP", "letor:MeanNDCG", "RBP", "Judged@10"),
    )
    seen = []
    for num_partitions in (1, 7, 50):
        evaluation = evaluate(
            runs.repartition(num_partitions),
            qrels.repartition(num_partitions),
            EvaluateParams(measures=measures),
        )
        seen.append(
            (
                sorted(tuple(row) for row in evaluation.query_metrics.collect()),
                sorted(tuple(row) for row in evaluation.metrics.collect()),
            )
        )
    assert seen[0] == seen[1] == seen[2]
    assert len({row[4] for row in seen[0][0]}) > 50  # many different values
