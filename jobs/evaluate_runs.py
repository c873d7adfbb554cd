"""Compute the measures of every system's ranked lists, for each query and as means.

With --root and --snapshot it reads and writes tables; rows of other systems stay as they are. Without a root it
evaluates files:

    evaluate_runs.py --qrels qrels.txt --run a.run b.run --measures "nDCG@10 AP ERR@20 gdeval:nDCG@20"

The order of a list is that of its scores (ties: document id descending, by bytes); rank columns are ignored. A
measure has the definition of its family: trec_eval, gdeval, letor (ties: order of lines) or ir_measures. Means
are taken over a query set, by default all queries of the qrels, where one that a run does not answer counts 0.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.app.measure_outputs import (
    EvaluateRunsParams,
    check_measure_outputs,
    give_out_measures,
    measure_files,
)
from wikisearch.app.measured_files import check_no_files
from wikisearch.evaluation.evaluate import evaluate


def body(context: JobContext[EvaluateRunsParams]) -> None:
    """Evaluates, and replaces the systems' slices of both tables."""
    params = context.params
    check_no_files(params)
    check_measure_outputs(params)
    runs, qrels = context.read("runs"), context.read("qrels")
    with evaluate(runs, qrels, params, context.slices("runs")) as evaluation:
        for each in evaluation.by_system():
            context.write_slice("query_metrics", each.system, each.query_metrics)
            context.write_slice("metrics", each.system, each.metrics, facts=each.means)
        give_out_measures(evaluation, params)


JOB = Job(
    name="evaluate_runs",
    description=__doc__,
    reads=("runs", "qrels"),
    writes=("query_metrics", "metrics"),
    params=EvaluateRunsParams,
    body=body,
    without_root=measure_files,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
