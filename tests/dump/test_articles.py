import pytest
from pyspark.sql import SparkSession

from wikisearch.dump.articles import articles_from_pages, check_classes, count_classes
from wikisearch.errors import WikisearchError
from wikisearch.frames import conform
from wikisearch.schemas import TABLES
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams, scan

SITE = Site("en", False, {0: "", 1: "Talk", 14: "Category"})
TEXT = "'''Lamp''' is a [[light source|light]] of the [[guild]]. It burns [[oil]].\n[[Category:Lamps]]"


def _row(page_id: int, **changed: object) -> tuple:
    values = {
        "page_id": page_id,
        "namespace": 0,
        "title": f"Lamp {page_id}",
        "revision_id": 2**60 + page_id,
        "model": "wikitext",
        "wikitext": TEXT,
        "source": "x",
    } | changed
    return tuple(values.get(name) for name in TABLES["pages"].column_names)


@pytest.mark.spark
def test_articles_are_what_the_rules_say(spark: SparkSession) -> None:
    rows = [
        _row(1),
        _row(2, wikitext="", source="other.xml"),  # an empty text is an article
        _row(3, wikitext=None),  # deleted
        _row(4, redirect_title="Lamp 1"),
        _row(5, namespace=1),
        _row(6, model="javascript"),
        _row(7, revision_id=None),
        _row(8, namespace=14, redirect_title="Lamp 1"),
    ]
    pages = spark.createDataFrame(rows, TABLES["pages"].struct)
    for num_partitions in (1, 7):
        parts = pages.repartition(num_partitions)
        articles = conform(articles_from_pages(parts, SITE, WikitextParams()), "articles")
        found = {row["page_id"]: row for row in articles.collect()}
        assert sorted(found) == [1, 2, 7]
        wanted = scan(TEXT, "Lamp 1", SITE)
        assert (found[1]["text"], found[1]["first_sentence"]) == (wanted.text, wanted.first_sentence)
        assert [tuple(mention) for mention in found[1]["mentions"]] == [tuple(each) for each in wanted.mentions]
        assert found[1]["categories"] == list(wanted.categories)
        assert found[1]["revision_id"] == 2**60 + 1  # more than a double holds
        assert (found[1]["source"], found[2]["source"]) == ("x", "other.xml")
        assert found[7]["revision_id"] is None
        assert found[2]["text"] == ""
    counts = count_classes(pages)
    assert counts == {"articles": 3, "redirects": 1, "other_namespaces": 2, "other_models": 1, "deleted": 1}
    check_classes(counts, 8, 3)


@pytest.mark.parametrize(("num_pages", "num_articles"), [(9, 3), (8, 2)])
def test_what_is_not_accounted_for_is_told(num_pages: int, num_articles: int) -> None:
    counts = {"articles": 3, "redirects": 1, "other_namespaces": 2, "other_models": 1, "deleted": 1}
    with pytest.raises(WikisearchError, match="pages are 3 articles"):
        check_classes(counts, num_pages, num_articles)
