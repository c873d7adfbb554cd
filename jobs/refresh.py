"""Make a snapshot of a dump: run every step whose result is not there yet, publish at the end, report.

The steps are parse_dump, extract_articles, resolve_links, compute_pagerank, build_collection, build_index,
retrieve (BM25, then TF-IDF), evaluate_runs and compare_systems. A step is skipped where its result was made
before from the same inputs, parameters and code. Readers see the snapshot when all of it is there, and not
before; a refresh that was killed goes on where it stood. --print shows each step's spark-submit command without
running it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from wikisearch.app import refresh


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the refresh; returns its exit code."""
    return refresh.main(argv, Path(__file__).parent, __doc__)


if __name__ == "__main__":
    sys.exit(main())
