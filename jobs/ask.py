"""Ask the index a question by hand.

Prints the best documents with title, BM25 score, PageRank and the part of the text that matches best. Without
--query it takes questions from standard input, one a line, until an empty line or the end of input.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job
from wikisearch.app.search import AskParams, ask

JOB = Job(
    name="ask",
    description=__doc__,
    reads=("documents", "postings", "lexicon", "doc_stats", "corpus_stats", "pagerank"),
    writes=(),
    params=AskParams,
    body=ask,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
