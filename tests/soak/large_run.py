"""What spark-submit runs in the soak test of evaluation: makes a run of many rows on disk, and evaluates it.

usage: large_run.py FOLDER NUM_QUERIES

Each query lists 1,000 documents and has one relevant one, at rank `query % 1000 + 1`. Prints JSON: the mean
reciprocal rank, the rows on disk, the seconds of evaluating and the peak of the heap.
"""

import json
import sys
import time

from pyspark.sql import functions as F

from wikisearch.app.session import open_session, peak_heap_bytes
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate

DEPTH = 1000


def main(folder: str, num_queries: int) -> None:
    with open_session("soak", needs_delta=False) as spark:
        rows = spark.range(num_queries * DEPTH)
        # Multiplied by a prime and cut, ids come in an order that has nothing to do with queries.
        number = (F.col("id") * 1_000_003 + 7) % (num_queries * DEPTH)
        query, rank = F.floor(number / DEPTH), number % DEPTH + 1
        rows.select(
            F.lit("large").alias("system"),
            F.format_string("q%07d", query).alias("query_id"),
            F.format_string("d%010d", number).alias("doc_id"),
            (F.lit(DEPTH) - rank).cast("double").alias("score"),
            F.lit("all").alias("split"),
        ).write.mode("overwrite").parquet(f"{folder}/runs")
        query = F.col("id")
        qrels = spark.range(num_queries).select(
            F.format_string("q%07d", query).alias("query_id"),
            F.format_string("d%010d", query * DEPTH + query % DEPTH).alias("doc_id"),
            F.lit(1).alias("relevance"),
            F.lit("all").alias("split"),
        )
        started = time.monotonic()
        runs = spark.read.parquet(f"{folder}/runs")
        with evaluate(runs, qrels, EvaluateParams(("RR", "nDCG@10", "AP", "ERR@20"))) as evaluation:
            means = {row["measure"]: row["mean"] for row in evaluation.metrics.where("split = 'all'").collect()}
        found = {
            "rr": means["RR"],
            "ap": means["AP"],
            "num_rows": runs.count(),
            "seconds": time.monotonic() - started,
            "peak_heap_mib": peak_heap_bytes(spark) / 2**20,
        }
    sys.stdout.write(f"found {json.dumps(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
