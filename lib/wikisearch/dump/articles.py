"""pages → articles: which pages are articles, and what the rules of wikitext make of them."""

from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.dump.fields import WIKITEXT
from wikisearch.dump.reader import Row, sliced
from wikisearch.errors import WikisearchError
from wikisearch.schemas import TABLES
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams, scan

ARTICLE, REDIRECT, OTHER_NAMESPACE, OTHER_MODEL, DELETED = (
    "articles",
    "redirects",
    "other_namespaces",
    "other_models",
    "deleted",
)

_MENTION = pa.struct(
    [
        pa.field("target_title", pa.string(), False),
        pa.field("anchor", pa.string(), False),
        pa.field("position", pa.int32(), False),
        pa.field("is_in_first_sentence", pa.bool_(), False),
    ]
)
_ARROW = pa.schema(
    [
        ("page_id", pa.int64()),
        ("revision_id", pa.int64()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("first_sentence", pa.string()),
        ("is_disambiguation", pa.bool_()),
        ("kind", pa.string()),
        ("categories", pa.list_(pa.field("element", pa.string(), False))),
        ("mentions", pa.list_(pa.field("element", _MENTION, False))),
        ("source", pa.string()),
    ]
)


def page_class() -> Column:
    """What a row of `pages` counts as: exactly one of articles, redirects, other namespaces or models, deleted."""
    return (
        F.when(F.col("namespace") != 0, OTHER_NAMESPACE)
        .when(F.col("redirect_title").isNotNull(), REDIRECT)
        .when(F.col("model") != WIKITEXT, OTHER_MODEL)
        .when(F.col("wikitext").isNull(), DELETED)
        .otherwise(ARTICLE)
    )


def articles_from_pages(pages: DataFrame, site: Site, params: WikitextParams) -> DataFrame:
    """The table `articles`: pages of namespace 0 that are wikitext, no redirect and not deleted.

    Args:
        pages: `page_id`, `revision_id`, `namespace`, `title`, `model`, `redirect_title`, `wikitext`, `source`
            are read.
        site: of the dump.
        params: what of a page is text.

    Returns:
        Columns of `articles`, unique by `page_id`.
    """

    def scanned(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (_article(row, site, params) for batch in batches for row in _rows(batch))
        return sliced(rows, _ARROW, lambda row: 2 * len(str(row["text"])))

    return (
        pages.where(page_class() == ARTICLE)
        .select("page_id", "revision_id", "title", "wikitext", "source")
        .mapInArrow(scanned, TABLES["articles"].struct)
    )


def _rows(batch: pa.RecordBatch) -> Iterator[Row]:
    """The rows of a batch, a few in memory at a time: their texts may be large."""
    for start in range(0, batch.num_rows, 20):
        yield from batch.slice(start, 20).to_pylist()


def _article(row: Row, site: Site, params: WikitextParams) -> Row:
    """One article."""
    title = str(row["title"])
    found = scan(str(row["wikitext"]), title, site, params)
    return {
        "page_id": row["page_id"],
        "revision_id": row["revision_id"],
        "title": title,
        "text": found.text,
        "first_sentence": found.first_sentence,
        "is_disambiguation": found.is_disambiguation,
        "kind": found.kind,
        "categories": list(found.categories),
        "mentions": found.mentions,  # tuples in the struct's order: a quarter of what dictionaries cost
        "source": row["source"],
    }


def count_classes(pages: DataFrame) -> dict[str, int]:
    """How many pages are articles, redirects, in other namespaces, of other models, deleted (acts).

    Args:
        pages: `namespace`, `redirect_title`, `model` and `wikitext` are read.
    """
    counts = dict.fromkeys((ARTICLE, REDIRECT, OTHER_NAMESPACE, OTHER_MODEL, DELETED), 0)
    for row in pages.groupBy(page_class().alias("class")).count().collect():
        counts[row["class"]] = row["count"]
    return counts


def check_classes(counts: Mapping[str, int], num_pages: int, num_articles: int) -> None:
    """Raises unless all pages are accounted for, and the articles that were written are those counted.

    Raises:
        WikisearchError: with both numbers.
    """
    if sum(counts.values()) != num_pages or counts[ARTICLE] != num_articles:
        shown = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise WikisearchError(
            f"{num_pages} pages are {shown}, but {num_articles} articles were written; build the snapshot again"
        )
