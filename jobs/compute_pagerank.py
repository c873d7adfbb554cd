"""Compute the PageRank of every article with GraphFrames.

The ranks sum to 1. Give a number of iterations or a tolerance, not both. How far the result is from the fixed
point is measured by one more iteration, logged as the residual, and an error above --max-residual.
Needs GraphFrames' JAR; in local mode the driver's heap holds the graph (10 M links: about 6 GB).
"""

import dataclasses
import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.graph.pagerank import PageRankParams, pagerank_from_links


def body(context: JobContext[PageRankParams]) -> None:
    """Write pagerank."""
    pagerank, report = pagerank_from_links(context.read("articles"), context.read("links"), context.params)
    context.write("pagerank", pagerank, facts=dataclasses.asdict(report))


JOB = Job(
    name="compute_pagerank",
    description=__doc__,
    reads=("articles", "links"),
    writes=("pagerank",),
    params=PageRankParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
