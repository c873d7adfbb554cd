"""Draw folds of queries for cross-validation, and write the fold of each to a file.

Queries are those of the qrels, of a root or of files:

    make_folds.py --qrels qrels.web.2010 qrels.web.2011 qrels.web.2012 --num-folds 10 --output folds.tsv

The same queries and seed give the same folds. Name the file to evaluate_runs with --folds.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.fold_files import MakeFoldsParams, folds_of_files, make_folds
from wikisearch.app.job import Job, JobContext


def body(context: JobContext[MakeFoldsParams]) -> None:
    """Draws folds of the queries of the table qrels."""
    make_folds(context.read("qrels"), context.params)


JOB = Job(
    name="make_folds",
    description=__doc__,
    reads=("qrels",),
    writes=(),
    params=MakeFoldsParams,
    body=body,
    without_root=folds_of_files,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
