"""Read the dump files of one wiki into pages.

Files are pages-articles dumps (XML, bz2 of one or many streams, gz), given as paths, quoted patterns or URIs.
Every page comes in its newest revision; what cannot be read goes to page_rejects, with the reason. A dump that
is cut off or damaged is refused, unless --allow-truncated says to use what is whole.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.dump.files import file_states
from wikisearch.dump.pages import parsed_dump
from wikisearch.dump.params import DumpParams


def body(context: JobContext[DumpParams]) -> None:
    """Write sites, pages and page_rejects."""
    with parsed_dump(context.spark, context.params, context.root_wiki()) as dump:
        context.write("sites", dump.sites)
        context.write("pages", dump.pages, facts=dump.facts)
        context.write("page_rejects", dump.page_rejects)


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
