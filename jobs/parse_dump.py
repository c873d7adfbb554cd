"""Read the dump files of one wiki into pages.

Files are pages-articles dumps (XML, plain or as bz2 of one or many streams, gz, xz or zst, whatever their names
say), given as paths, quoted patterns or URIs; XML and bz2 are read in parts, the others by one task a file.
Every page comes in its newest revision, of history dumps (pages-meta-history) too; what cannot be read goes to
page_rejects, with the reason. A dump that is cut off or damaged is refused, unless --allow-truncated says to use
what is whole. Page starts in the files must be pages + duplicates + rejects.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.dump.files import file_states
from wikisearch.dump.pages import check_written, parsed_dump
from wikisearch.dump.params import DumpParams


def body(context: JobContext[DumpParams]) -> None:
    """Write sites, pages and page_rejects."""
    with parsed_dump(context.spark, context.params, context.root_wiki()) as dump:
        context.write("sites", dump.sites)
        context.write("pages", dump.pages, facts=dump.facts)
        context.write("page_rejects", dump.page_rejects)
        check_written(dump.facts, context.rows("pages"), context.rows("page_rejects"))


JOB = Job(
    name="parse_dump",
    description=__doc__,
    reads=(),
    writes=("sites", "pages", "page_rejects"),
    params=DumpParams,
    body=body,
    external=lambda params: file_states(params.dump),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
