"""Write one system's ranked lists as a TREC run file, and the judgements as a TREC qrels file.

trec_eval, ir_measures and ranx read both. A line of a run is `query Q0 document rank score tag`, by query and
rank; a line of qrels is `query 0 document grade`.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.exchange.export_run import ExportRunParams, export_run


def body(context: JobContext[ExportRunParams]) -> None:
    """Writes the files and logs how many lines each has."""
    for path, num_lines in export_run(context.read("runs"), context.read("qrels"), context.params).items():
        context.log.info("%s: %s lines", path, f"{num_lines:,}")


JOB = Job(
    name="export_run",
    description=__doc__,
    reads=("runs", "qrels"),
    writes=(),
    params=ExportRunParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
