"""Build the test collection: documents, queries and relevance judgements from articles and their links.

A document is an article of at least --min-words words without its first sentence. A query is the title of a
document that the first sentences of at least --min-relevant other documents link to; these have relevance 1,
its own document has relevance 2. Queries are dealt to training, validation and test by a seeded hash of their
page id, so that a page stays in its split from one dump to the next.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.collection.documents import documents_from_articles
from wikisearch.collection.params import CollectionParams
from wikisearch.collection.qrels import qrels_from_links
from wikisearch.collection.queries import queries_from_qrels
from wikisearch.collection.statistics import collection_facts


def body(context: JobContext[CollectionParams]) -> None:
    """Write documents, qrels and queries."""
    context.write("documents", documents_from_articles(context.read("articles"), context.params))
    documents = context.read("documents")
    context.write("qrels", qrels_from_links(documents, context.read("links"), context.params))
    queries = queries_from_qrels(documents, context.read("qrels"))
    context.write("queries", queries, facts=collection_facts(documents, queries, context.read("qrels")))
    if context.rows("queries") == 0:
        context.log.warning(
            "no query: no document is linked from the first sentences of %d others; a larger dump has some, "
            "or lower --min-relevant or --min-words",
            context.params.min_relevant,
        )


JOB = Job(
    name="build_collection",
    description=__doc__,
    reads=("articles", "links"),
    writes=("documents", "queries", "qrels"),
    params=CollectionParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
