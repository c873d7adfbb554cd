"""The link graph of articles: mentions looked up by title, redirects resolved, merged to one row an edge.

Rules:
1. A mention's title is looked up among articles and redirects. A title that both have belongs to the
   redirect: `redirects` holds only the pages that own their title. Of two articles with one title the one
   with the newest revision (largest revision id, then largest page id) is linked to.
2. A redirect stands for the article at its end; one that leads nowhere is a missing link.
3. A link of an article to itself, also through a redirect, is dropped.
4. Every article is a node, redirects are none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.frames import conform

# What became of a mention, beside the redirects' statuses missing, cycle and too_long.
DIRECT, REDIRECT, SELF, MISSING = "direct", "redirect", "self", "missing"
OUTCOMES = (DIRECT, REDIRECT, SELF, MISSING, "cycle", "too_long")


@dataclass(frozen=True)
class ResolvedLinks:
    """Both tables made from one pass over the mentions, and how many mentions had each outcome.

    `num_mentions` counts by `direct` (an article's own title), `redirect`, `self` (to itself, by either way),
    `missing`, `cycle` and `too_long` (redirects that lead nowhere).
    """

    links: DataFrame
    missing_links: DataFrame
    num_mentions: dict[str, int]


@contextmanager
def resolved_links(articles: DataFrame, redirects: DataFrame) -> Iterator[ResolvedLinks]:
    """The link tables, made from mentions that are looked up once and kept until the `with` block ends.

    Acts: one job looks up all mentions, persists them (spilling to disk) and counts them.

    Args:
        articles: `articles`; page_id, revision_id, title, mentions are read.
        redirects: `redirects` of the same pages.
    """
    mentions = resolve_mentions(articles, redirects).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        counted = {row["outcome"]: row["count"] for row in mentions.groupBy("outcome").count().collect()}
        yield ResolvedLinks(
            links_from_mentions(mentions),
            missing_links_from_mentions(mentions),
            {outcome: counted.get(outcome, 0) for outcome in OUTCOMES},
        )
    finally:
        mentions.unpersist()


def resolve_mentions(articles: DataFrame, redirects: DataFrame) -> DataFrame:
    """Each mention of each article with what it leads to.

    Args:
        articles: `articles`; page_id, revision_id, title, mentions are read.
        redirects: `redirects`; from_title, target_id, status are read.

    Returns:
        src_id BIGINT, dst_id BIGINT and missing_title STRING (one of both is NULL: the article that it leads
        to, or the title that leads to none), outcome (one of `OUTCOMES`), position INT, is_in_first_sentence.
    """
    mentions = articles.select(F.col("page_id").alias("src_id"), F.inline("mentions"))
    outcome = (
        F.when(F.col("dst_id") == F.col("src_id"), SELF)
        .when(F.col("dst_id").isNotNull(), F.when(F.col("is_redirect"), REDIRECT).otherwise(DIRECT))
        .otherwise(F.coalesce("status", F.lit(MISSING)))
    )
    # The right side is unique by title. Left to Spark: titles are too many to broadcast by hint.
    found = mentions.join(_targets(articles, redirects), on="target_title", how="left")
    return found.select(
        "src_id",
        "dst_id",
        # Kept only where it is needed: these rows are many, and they are held.
        F.when(F.col("dst_id").isNull(), F.col("target_title")).alias("missing_title"),
        outcome.alias("outcome"),
        "position",
        "is_in_first_sentence",
    )


def links_from_mentions(mentions: DataFrame) -> DataFrame:
    """One row for each pair of articles of which the first links to the second.

    Args:
        mentions: what `resolve_mentions` returns.

    Returns:
        `links`, unique by src_id and dst_id; no self-links.
    """
    is_in_text = F.col("position") >= 0
    links = (
        mentions.where(F.col("outcome").isin(DIRECT, REDIRECT))
        .groupBy("src_id", "dst_id")
        .agg(
            F.count("*").cast("int").alias("num_mentions"),
            F.coalesce(F.min(F.when(is_in_text, F.col("position"))), F.lit(-1)).alias("first_position"),
            F.bool_or("is_in_first_sentence").alias("is_in_first_sentence"),
        )
    )
    return conform(links, "links")


def missing_links_from_mentions(mentions: DataFrame) -> DataFrame:
    """Titles that articles link to and that lead to no article, also through a redirect (red links).

    Args:
        mentions: what `resolve_mentions` returns.

    Returns:
        `missing_links`, unique by target_title.
    """
    missing_links = (
        mentions.where(F.col("missing_title").isNotNull())
        .groupBy(F.col("missing_title").alias("target_title"))
        .agg(F.count("*").alias("num_mentions"))
    )
    return conform(missing_links, "missing_links")


def _targets(articles: DataFrame, redirects: DataFrame) -> DataFrame:
    """What each title stands for (rule 1): target_title, dst_id?, is_redirect, status?."""
    candidates = articles.select(
        F.col("title").alias("target_title"),
        F.lit(False).alias("is_redirect"),
        F.coalesce("revision_id", F.lit(-1)).alias("revision_id"),
        F.col("page_id").alias("dst_id"),
        F.lit(None).cast("string").alias("status"),
    ).unionByName(
        redirects.select(
            F.col("from_title").alias("target_title"),
            F.lit(True).alias("is_redirect"),
            F.lit(-1).cast("bigint").alias("revision_id"),
            F.col("target_id").alias("dst_id"),
            "status",
        )
    )
    # true > false: the redirect, if there is one.
    best = F.max(F.struct("is_redirect", "revision_id", "dst_id", "status")).alias("best")
    targets = candidates.groupBy("target_title").agg(best)
    return targets.select("target_title", "best.dst_id", "best.is_redirect", "best.status")
