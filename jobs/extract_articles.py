"""Turn the wikitext of every article into plain text, first sentence, categories and links.

Articles are the pages of namespace 0 that are wikitext, no redirect and not deleted. How many pages are
something else is logged, and all pages must be accounted for.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.dump.articles import articles_from_pages, check_classes, count_classes
from wikisearch.text.wikitext import WikitextParams


def body(context: JobContext[WikitextParams]) -> None:
    """Write articles."""
    pages = context.read("pages")
    counts = count_classes(pages)
    context.write("articles", articles_from_pages(pages, context.site(), context.params), facts=counts)
    check_classes(counts, context.rows("pages"), context.rows("articles"))


JOB = Job(
    name="extract_articles",
    description=__doc__,
    reads=("sites", "pages"),
    writes=("articles",),
    params=WikitextParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
