"""Build the inverted index of the documents: postings, lexicon, document lengths and the corpus's figures.

Stop list and stemmer follow the wiki's language unless given; what was used is kept in corpus_stats, and
queries are analysed by the same. The number of shards changes no score and no ranking.
"""

import sys
from collections.abc import Sequence

from wikisearch.app.job import Job, JobContext
from wikisearch.index.postings import (
    IndexParams,
    corpus_stats_from_tables,
    doc_stats_from_postings,
    lexicon_from_postings,
    postings_from_documents,
)
from wikisearch.text.stemming import analyzer_for_language


def body(context: JobContext[IndexParams]) -> None:
    """Write postings from the texts, and the rest from what was written."""
    params, documents = context.params, context.read("documents")
    analyzer = analyzer_for_language(
        context.site().language, params.stemmer, params.stop_words, params.token_rule
    )
    context.log.info("analyzer %s", analyzer.to_json())
    context.write("postings", postings_from_documents(documents, analyzer, params.num_shards))
    postings = context.read("postings")
    context.write("lexicon", lexicon_from_postings(postings))
    context.write("doc_stats", doc_stats_from_postings(documents, postings, params.num_shards))
    context.write(
        "corpus_stats",
        corpus_stats_from_tables(context.read("doc_stats"), context.read("lexicon"), analyzer),
    )


JOB = Job(
    name="build_index",
    description=__doc__,
    reads=("sites", "documents"),
    writes=("postings", "lexicon", "doc_stats", "corpus_stats"),
    params=IndexParams,
    body=body,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit code."""
    return JOB.main(argv)


if __name__ == "__main__":
    sys.exit(main())
