"""Redirects are followed as a plain-Python walk would."""

import random
from collections.abc import Mapping

import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import UsageError
from wikisearch.graph.redirects import RedirectParams, redirects_from_pages

pytestmark = pytest.mark.spark

PAGES = "page_id long, namespace int, title string, revision_id long, redirect_title string"
ARTICLES = "page_id long, title string, revision_id long"


def resolved(redirects: DataFrame) -> dict[str, tuple]:
    return {
        row.from_title: (row.page_id, row.target_title, row.target_id, row.num_hops, row.status)
        for row in redirects.collect()
    }


def test_chains_cycles_and_dead_ends(spark: SparkSession) -> None:
    articles = spark.createDataFrame([(1, "Tarn", 11), (2, "Weir", 12)], ARTICLES)
    pages = spark.createDataFrame(
        [
            (1, 0, "Tarn", 11, None),  # an article
            (3, 0, "Pond", 13, "Tarn"),  # one hop
            (4, 0, "Pool", 14, "Pond"),  # two
            (5, 0, "Puddle", 15, "Pool"),  # three: the bound
            (6, 0, "Splash", 16, "Puddle"),  # four: beyond it
            (7, 0, "Dam", 17, "Never written"),
            (8, 0, "Dyke", 18, "Dam"),  # to one that leads nowhere
            (9, 0, "Self", 19, "Self"),
            (10, 0, "Left", 20, "Right"),
            (11, 0, "Right", 21, "Left"),
            (12, 0, "Before left", 22, "Left"),  # leads into a cycle
            (13, 0, "Rules", 23, "Project:Rules"),  # another namespace
            (14, 4, "Project:Rules", 24, "Tarn"),  # which is no redirect of the article namespace
        ],
        PAGES,
    )
    assert resolved(redirects_from_pages(pages, articles, RedirectParams(max_hops=3))) == {
        "Pond": (3, "Tarn", 1, 1, "resolved"),
        "Pool": (4, "Tarn", 1, 2, "resolved"),
        "Puddle": (5, "Tarn", 1, 3, "resolved"),
        "Splash": (6, "Puddle", None, 3, "too_long"),
        "Dam": (7, "Never written", None, 1, "missing"),
        "Dyke": (8, "Never written", None, 2, "missing"),
        "Self": (9, "Self", None, 1, "cycle"),
        "Left": (10, "Right", None, 2, "cycle"),
        "Right": (11, "Left", None, 2, "cycle"),
        "Before left": (12, "Left", None, 3, "cycle"),
        "Rules": (13, "Project:Rules", None, 1, "missing"),
    }


def test_a_title_belongs_to_the_page_with_the_newest_revision(spark: SparkSession) -> None:
    articles = spark.createDataFrame(
        [
            (1, "Tarn", 11),
            (2, "Weir", 12),
            (3, "Weir", 12),  # the same revision: the larger page id
            (4, "Mill", 30),  # newer than the redirect of that title
            (5, "Ford", 14),  # older than the redirect of that title
            (6, "Lost", None),  # no revision is older than any
        ],
        ARTICLES,
    )
    pages = spark.createDataFrame(
        [
            (7, 0, "Dam", 20, "Weir"),
            (8, 0, "Mill", 21, "Tarn"),  # left out: the article is newer
            (9, 0, "Ford", 22, "Tarn"),
            (10, 0, "To ford", 23, "Ford"),
            (11, 0, "Pond", 24, "Weir"),  # left out: older than page 12
            (12, 0, "Pond", 25, "Tarn"),
            (13, 0, "Lost", 26, "Tarn"),
        ],
        PAGES,
    )
    assert resolved(redirects_from_pages(pages, articles, RedirectParams())) == {
        "Dam": (7, "Weir", 3, 1, "resolved"),
        "Ford": (9, "Tarn", 1, 1, "resolved"),
        "To ford": (10, "Tarn", 1, 2, "resolved"),
        "Pond": (12, "Tarn", 1, 1, "resolved"),
        "Lost": (13, "Tarn", 1, 1, "resolved"),
    }


def walk(
    title: str, targets: Mapping[str, str], articles: Mapping[str, int], max_hops: int
) -> tuple[str, int | None, int, str]:
    """The oracle: target_title, target_id, num_hops, status of one redirect."""
    passed, at = [title], title
    for hops in range(1, max_hops + 1):
        at = targets[at]
        if at in passed:
            return targets[title], None, hops, "cycle"
        if at not in targets:
            return at, articles.get(at), hops, "resolved" if at in articles else "missing"
        passed.append(at)
    return targets[title], None, max_hops, "too_long"


@pytest.mark.parametrize("num_partitions", [1, 7])
def test_random_wikis_equal_a_walk(spark: SparkSession, num_partitions: int) -> None:
    # 200 wikis in one, their titles tagged; each has 8 titles that are articles, redirects or not there.
    rng = random.Random(1704)
    max_hops = 4
    targets: dict[str, str] = {}
    articles: dict[str, int] = {}
    ids: dict[str, int] = {}
    for wiki in range(200):
        titles = [f"{wiki}:{name}" for name in "ABCDEFGH"]
        for number, title in enumerate(titles):
            ids[title] = 100 * wiki + number
            kind = rng.choices(["article", "redirect", "absent"], [1, 6, 1])[0]
            if kind == "article":
                articles[title] = ids[title]
            elif kind == "redirect":
                targets[title] = rng.choice(titles)
    pages = [(ids[title], 0, title, 1, target) for title, target in targets.items()]
    found = redirects_from_pages(
        spark.createDataFrame(pages, PAGES).repartition(num_partitions),
        spark.createDataFrame([(i, t, 1) for t, i in articles.items()], ARTICLES).repartition(num_partitions),
        RedirectParams(max_hops=max_hops),
    )
    wanted = {title: (ids[title], *walk(title, targets, articles, max_hops)) for title in targets}
    assert {outcome[-1] for outcome in wanted.values()} == {"resolved", "missing", "cycle", "too_long"}
    assert resolved(found) == wanted


@pytest.mark.parametrize("max_hops", [0, 21])
def test_bound_out_of_range(max_hops: int) -> None:
    with pytest.raises(UsageError, match=f"between 1 and 20, found {max_hops}"):
        RedirectParams(max_hops=max_hops)
