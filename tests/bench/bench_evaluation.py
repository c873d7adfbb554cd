"""What spark-submit runs in the bench of evaluation; see run_evaluation.py.

usage: bench_evaluation.py RUN QRELS REPORT STARTED

Writes JSON to REPORT: the seconds of each measurement. STARTED is the time at which spark-submit was started.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.app.measured_files import MeasuredFilesParams, evaluate_files
from wikisearch.app.session import open_session, peak_heap_bytes
from wikisearch.evaluation.evaluate import EvaluateParams, Evaluation, evaluate
from wikisearch.exchange.trec import read_qrels, read_run

_NUM_SYSTEMS = 10


def used(evaluation: Evaluation) -> dict[str, float]:
    """Computes all values and means; returns the means of AP."""
    with evaluation:
        evaluation.query_metrics.write.format("noop").mode("overwrite").save()
        rows = evaluation.metrics.where("measure = 'AP' AND split = 'all'").collect()
    return {row["system"]: row["mean"] for row in rows}


def seconds(work: Callable[[], object]) -> float:
    """Wall time of a call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def saved(spark: SparkSession, run: Path, qrels: Path) -> tuple[DataFrame, DataFrame, DataFrame]:
    """The run, the run of ten systems with other scores each, and the qrels, as Parquet tables."""
    one, many, judged = (str(run.with_suffix(f".{name}.parquet")) for name in ("one", "many", "qrels"))
    if not Path(many, "_SUCCESS").exists():
        read_run(spark, str(run), split="all").write.mode("overwrite").parquet(one)
        read_qrels(spark, str(qrels), split="all").write.mode("overwrite").parquet(judged)
        numbers = F.explode(F.sequence(F.lit(1), F.lit(_NUM_SYSTEMS)))
        systems = spark.read.parquet(one).withColumn("number", numbers)
        noise = F.abs(F.xxhash64("number", "doc_id")) % 1000 / 1000
        systems.select(
            F.concat(F.lit("s"), "number").alias("system"),
            "query_id",
            "doc_id",
            "rank",
            (F.col("score") + noise * (F.col("number") - 1)).alias("score"),
            "split",
        ).write.mode("overwrite").parquet(many)
    return spark.read.parquet(one), spark.read.parquet(many), spark.read.parquet(judged)


def main(run: Path, qrels: Path, report: Path, started: float) -> None:
    found: dict[str, object] = {}
    with open_session("bench", needs_delta=False) as spark:
        found["session start"] = time.time() - started
        files, params = MeasuredFilesParams(qrels=(str(qrels),), run=(str(run),)), EvaluateParams()

        def from_text() -> None:
            found["means"] = used(evaluate_files(spark, files, params))

        found["text, first"] = seconds(from_text)
        found["text, warm"] = seconds(from_text)
        found["text, peak heap MiB"] = peak_heap_bytes(spark) / 2**20
        one, many, judged = saved(spark, run, qrels)
        found["table, warm"] = min(seconds(lambda: used(evaluate(one, judged, params))) for _ in range(2))
        found["table of ten, warm"] = seconds(lambda: used(evaluate(many, judged, params)))
        found["peak heap MiB"] = peak_heap_bytes(spark) / 2**20
    report.write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))
