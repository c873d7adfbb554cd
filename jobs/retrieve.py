"""Rank documents for all queries, by BM25 or by the cosine of TF-IDF vectors.

Writes one system's lists into runs and keeps the others'. A query's own article, if it is a document, stays
in its list. Queries without a word that the collection has get no list.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.retrieval.lexical import RetrieveParams, retrieve


def body(context: JobContext[RetrieveParams]) -> None:
    """Write the system's slice of runs."""
    tables = ("queries", "postings", "lexicon", "doc_stats", "corpus_stats")
    runs = retrieve(*(context.read(table) for table in tables), context.params)
    context.write_slice("runs", context.params.run_name, runs)


JOB = Job(
    name="retrieve",
    description=__doc__,
    reads=("queries", "postings", "lexicon", "doc_stats", "corpus_stats"),
    writes=("runs",),
    params=RetrieveParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
