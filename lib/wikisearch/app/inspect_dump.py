"""Look into dump files: what siteinfo says, the first pages, and what would be rejected.

Prints one JSON object: files with their formats (by content), site, namespaces with their numbers of pages,
counts, content models, the first pages, the first rejects and their number by reason, and faults: damaged places
and ends that are missing, for which parse_dump refuses a dump unless it is told --allow-truncated. The files are
read once, as a stream, by the rules of parse_dump and without Spark; --limit ends after some pages.
"""

import argparse
import json
import logging
import sys
from collections.abc import Sequence

from wikisearch.app.failures import run_and_report
from wikisearch.dump.inspection import inspect_dump
from wikisearch.dump.params import DumpParams
from wikisearch.errors import UsageError

_NAME = "inspect_dump"


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(
        prog=f"python -m wikisearch.app.{_NAME}",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "files", nargs="+", metavar="FILE", help="dump files of one wiki: paths, patterns (quoted) or URIs"
    )
    made.add_argument("--shown", type=int, default=5, metavar="N", help="pages and rejects listed (default: 5)")
    made.add_argument("--limit", type=int, metavar="N", help="read only the first N pages")
    made.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as end:
        return int(end.code or 0)
    logging.basicConfig(format="%(message)s", stream=sys.stderr)

    def work() -> None:
        if arguments.shown < 0:
            raise UsageError(f"--shown {arguments.shown}: must be at least 0")
        told = inspect_dump(DumpParams(dump=tuple(arguments.files), limit=arguments.limit), arguments.shown)
        sys.stdout.write(json.dumps(told, indent=1, ensure_ascii=False) + "\n")

    return run_and_report(_NAME, work, is_debug=arguments.debug)


if __name__ == "__main__":
    sys.exit(main())
