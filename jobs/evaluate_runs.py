"""Compute the measures of every system's ranked lists, for each query and as means.

Definitions are those of trec_eval: the order of a list is that of its scores (ties: document id descending),
the queries of a mean are all queries of the qrels, and one that a run does not answer counts 0. Rows of other
systems stay as they are.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.evaluation.evaluate import EvaluateParams, evaluate


def body(context: JobContext[EvaluateParams]) -> None:
    """Evaluates, and replaces the systems' slices of both tables."""
    runs, qrels = context.read("runs"), context.read("qrels")
    with evaluate(runs, qrels, context.params, context.slices("runs")) as evaluation:
        for each in evaluation.by_system():
            context.write_slice("query_metrics", each.system, each.query_metrics)
            context.write_slice("metrics", each.system, each.metrics, facts=each.means)


JOB = Job(
    name="evaluate_runs",
    description=__doc__,
    reads=("runs", "qrels"),
    writes=("query_metrics", "metrics"),
    params=EvaluateParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
