"""Compare systems with a baseline: differences by query, paired tests, corrections, and tables for a paper.

Values are paired by query; where a system does not answer a query of the qrels its value is 0. Prints a Markdown
table of means with marks (+ better, - worse) and writes it, or LaTeX, to a file. p-values are two-sided; how many
comparisons a correction spans (m) stands in the table and below it.

With --root and --snapshot it reads and writes tables. Without a root it evaluates and compares files:

    compare_systems.py --qrels qrels.txt --run bm25.run mine.run --baseline bm25 --measures "nDCG@10 AP"
"""

import sys
from collections.abc import Sequence

from wikisearch.app.comparison_outputs import (
    CompareSystemsParams,
    check_comparison_outputs,
    compare_files,
    show_comparisons,
)
from wikisearch.app.job import Job, JobContext
from wikisearch.app.measured_files import check_no_files
from wikisearch.evaluation.comparisons import compare


def body(context: JobContext[CompareSystemsParams]) -> None:
    """Replaces the baseline's slice of comparisons, and shows it."""
    check_no_files(context.params)
    check_comparison_outputs(context.params)
    comparisons = compare(context.read("query_metrics"), context.params)
    context.write_slice("comparisons", context.params.baseline, comparisons)
    show_comparisons(context.read("comparisons"), context.read("query_metrics"), context.params)


JOB = Job(
    name="compare_systems",
    description=__doc__,
    reads=("query_metrics",),
    writes=("comparisons",),
    params=CompareSystemsParams,
    body=body,
    without_root=compare_files,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
