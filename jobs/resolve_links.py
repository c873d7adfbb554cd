"""Resolve redirects, and make the link graph of the articles.

Reads what pages are redirects and what articles link to. Writes where each redirect leads (through chains of
up to --max-hops redirects), one row for each pair of articles of which the first links to the second, and the
titles that are linked to but lead to no article (red links). Links of an article to itself are dropped.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.graph.links import resolved_links
from wikisearch.graph.redirects import RedirectParams, redirects_from_pages


def body(context: JobContext[RedirectParams]) -> None:
    """Write redirects, links and missing_links."""
    articles = context.read("articles")
    context.write("redirects", redirects_from_pages(context.read("pages"), articles, context.params))
    with resolved_links(articles, context.read("redirects")) as resolved:
        context.write("links", resolved.links, facts={"num_mentions": resolved.num_mentions})
        context.write("missing_links", resolved.missing_links)


JOB = Job(
    name="resolve_links",
    description=__doc__,
    reads=("pages", "articles"),
    writes=("redirects", "links", "missing_links"),
    params=RedirectParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
