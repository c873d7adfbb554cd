"""Write a report on a snapshot: sizes, PageRank, collection, index, measures, and how they were made.

Writes report.html (one page that needs no other file), report.md and report.json to --output, each whole or
not at all, and shows the table of measures.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.code_version import code_version
from wikisearch.app.files import output_folder, write_text_atomically
from wikisearch.app.job import Job, JobContext
from wikisearch.app.session import versions
from wikisearch.report.gather import TABLES_READ, ReportParams, gather_facts
from wikisearch.report.provenance import run_facts
from wikisearch.report.render import render_files
from wikisearch.report.summary import render_summary
from wikisearch.schemas import TABLES


def body(context: JobContext[ReportParams]) -> None:
    """Gathers the facts, renders them, writes the files."""
    folder = output_folder(context.params.output, context.root, "report")
    run = run_facts(
        snapshot=context.snapshot,
        versions={"wikisearch": code_version()[:12], **versions(context.spark)},
        steps=context.step_facts(),
        commits={table: context.commit_facts(table) for table in TABLES},
    )
    facts = gather_facts({table: context.read(table) for table in TABLES_READ}, run, context.params)
    for name, text in render_files(facts).items():
        write_text_atomically(folder / name, text)
    sys.stdout.write(f"{render_summary(facts)}\nreport: {folder / 'report.html'}\n")


JOB = Job(
    name="write_report",
    description=__doc__,
    reads=TABLES_READ,
    writes=(),
    params=ReportParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns the exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
