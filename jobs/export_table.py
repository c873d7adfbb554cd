"""Write a table as TSV, CSV, JSON lines or Parquet, for programs that do not read Delta tables.

TSV, CSV and JSON lines become one file, ordered by the table's key; with --as-directory, and always for
Parquet, a folder of part files. Nested columns are JSON in TSV and CSV.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.exchange.tables import EXPORTABLE, ExportTableParams, export_table


def body(context: JobContext[ExportTableParams]) -> None:
    """Exports the table."""
    export_table(context.read(context.params.table), context.params)
    context.log.info("%s: table %s", context.params.output, context.params.table)


JOB = Job(
    name="export_table",
    description=__doc__,
    reads=EXPORTABLE,
    writes=(),
    params=ExportTableParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
