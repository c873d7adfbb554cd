"""Mentions become links: by title or redirect, merged, without self-links; red links are counted."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wikisearch.graph.links import resolved_links
from wikisearch.graph.redirects import RedirectParams, redirects_from_pages
from wikisearch.text.titles import Site, normalize_title

pytestmark = pytest.mark.spark

MENTIONS = "array<struct<target_title: string, anchor: string, position: int, is_in_first_sentence: boolean>>"
ARTICLES = f"page_id long, revision_id long, title string, mentions {MENTIONS}"
REDIRECTS = "page_id long, from_title string, target_title string, target_id long, num_hops int, status string"


def mention(target: str, position: int = -1, is_first: bool = False) -> tuple[str, str, int, bool]:
    return target, target.lower(), position, is_first


@pytest.mark.parametrize("num_partitions", [1, 7])
def test_links_and_missing_links(spark: SparkSession, num_partitions: int) -> None:
    articles = spark.createDataFrame(
        [
            (
                1,
                11,
                "Tarn",
                [
                    mention("Weir", 90),  # three mentions of one article: one edge,
                    mention("Weir", 40),  # its smallest position,
                    mention("Dam", 7, True),  # also by redirect, once in the first sentence
                    mention("Tarn", 3, True),  # itself
                    mention("Pond", 5),  # itself by redirect
                    mention("Nowhere", 60),  # no page
                    mention("Broken", 70),  # a redirect to no page
                    mention("Round", 80),  # a redirect in a cycle
                    mention("Far", 85),  # a redirect too far away
                ],
            ),
            (2, 12, "Weir", [mention("Tarn"), mention("Tarn", 0)]),  # once outside the text: position 0
            (3, 13, "Mill", [mention("Weir"), mention("Nowhere")]),  # only outside the text: position -1
            (4, 14, "Ford", []),  # no mentions
            (5, 15, "Ford", [mention("Ford", 1)]),  # a newer page of that title: linked to, a self-link here
            (6, 16, "Dam", [mention("Dam", 2)]),  # bears the title of a redirect that is newer: Weir
            (7, 17, "Лес", [mention("Ford", 4)]),
        ],
        ARTICLES,
    ).repartition(num_partitions)
    redirects = spark.createDataFrame(
        [
            (20, "Dam", "Weir", 2, 1, "resolved"),
            (21, "Pond", "Tarn", 1, 2, "resolved"),
            (22, "Broken", "Nowhere", None, 1, "missing"),
            (23, "Round", "Round", None, 1, "cycle"),
            (24, "Far", "Further", None, 5, "too_long"),
        ],
        REDIRECTS,
    )
    cached = set(spark.sparkContext._jsc.getPersistentRDDs().keySet())
    with resolved_links(articles, redirects) as resolved:
        assert sorted(map(tuple, resolved.links.collect())) == [
            (1, 2, 3, 7, True),
            (2, 1, 2, 0, False),
            (3, 2, 1, -1, False),
            (6, 2, 1, 2, False),
            (7, 5, 1, 4, False),
        ]
        assert {row.target_title: row.num_mentions for row in resolved.missing_links.collect()} == {
            "Nowhere": 2,
            "Broken": 1,
            "Round": 1,
            "Far": 1,
        }
        assert resolved.num_mentions == {
            "direct": 6,
            "redirect": 2,
            "self": 3,
            "missing": 3,  # Nowhere twice, and the redirect to it
            "cycle": 1,
            "too_long": 1,
        }
    # Spark may clean up after other tests meanwhile: nothing new is what counts.
    assert set(spark.sparkContext._jsc.getPersistentRDDs().keySet()) <= cached


@pytest.mark.shared
def test_reported_redirect_shapes(spark: SparkSession, shared: Path) -> None:
    folder = shared / "cases/graph/G05"
    given = json.loads((folder / "pages.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())
    site = Site("en", False, {0: ""})

    def title(raw: str) -> str:
        normal = normalize_title(raw, site)
        assert normal is not None
        return normal.full

    is_article = {page["id"]: "redirect" not in page for page in given}
    pages = spark.createDataFrame(
        [
            (page["id"], 0, page["title"], page["id"], title(page["redirect"]) if "redirect" in page else None)
            for page in given
        ],
        "page_id long, namespace int, title string, revision_id long, redirect_title string",
    )
    articles = spark.createDataFrame(
        [
            (page["id"], page["id"], page["title"], [mention(title(raw)) for raw in page["links"]])
            for page in given
            if is_article[page["id"]]
        ],
        ARTICLES,
    )
    titles = {page["id"]: page["title"] for page in given}
    redirects = redirects_from_pages(pages, articles, RedirectParams())
    with resolved_links(articles, redirects) as resolved:
        edges = [[titles[row.src_id], titles[row.dst_id]] for row in resolved.links.collect()]
        counts = resolved.num_mentions
    assert sorted(edges) == sorted(expected["edges"])
    dropped = expected["dropped"]
    assert counts["cycle"] == dropped["redirect_loop"]
    assert counts["missing"] == dropped["missing_target"]
    assert counts["self"] == dropped["self_after_resolution"]
