"""Where each redirect of the article namespace leads, through as many redirects as a bound allows.

Rules:
1. A title that several pages bear (bad dumps have such) belongs to the page with the newest revision: the
   largest revision id, then the largest page id. A redirect page that does not own its title is left out.
2. A chain of redirects is followed until it reaches a title that is no redirect. MediaWiki itself follows one
   redirect only; double redirects are links that its readers lose until a bot repairs them.
3. `resolved`: the end is an article. `missing`: it is not (no page, deleted, another namespace or model).
4. `cycle`: within `max_hops` redirects the chain comes back to a title that it passed. `too_long`: after
   `max_hops` redirects it stands at yet another redirect, be it of a longer cycle.
"""

from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import UsageError
from wikisearch.frames import conform

ARTICLE_NAMESPACE = 0


@dataclass(frozen=True)
class RedirectParams:
    """How far redirects are followed."""

    max_hops: int = field(
        default=5, metadata={"help": "redirects followed from one to the next before a chain is given up"}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.max_hops <= 20:
            raise UsageError(f"max_hops must be between 1 and 20, found {self.max_hops}")


def redirects_from_pages(pages: DataFrame, articles: DataFrame, params: RedirectParams) -> DataFrame:
    """Each redirect of the article namespace with the article that it leads to.

    Args:
        pages: `pages`; page_id, namespace, title, revision_id, redirect_title are read.
        articles: `articles`; page_id, revision_id, title are read.
        params: the bound of a chain.

    Returns:
        `redirects`, unique by page_id and by from_title. No action: the plan has one join for each hop, whose
        right side is the same shuffle each time.
    """
    owners = _title_owners(pages, articles)
    steps = owners.where(F.col("redirect_title").isNotNull()).select(
        F.col("title").alias("step_title"), F.col("redirect_title").alias("next_title")
    )
    chains = owners.where(F.col("redirect_title").isNotNull()).select(
        "page_id",
        F.col("title").alias("from_title"),
        F.col("redirect_title").alias("first_target"),
        F.col("redirect_title").alias("end_title"),
        F.array("title", "redirect_title").alias("passed"),
        (F.col("title") == F.col("redirect_title")).alias("is_cycle"),
        F.lit(1).alias("num_hops"),
        F.lit(False).alias("is_open"),
    )
    # One more join than hops: it tells a chain that ends at the bound from one that would go on.
    for hop in range(2, params.max_hops + 2):
        chains = _one_hop_further(chains, steps, is_beyond_bound=hop > params.max_hops)
    titles = owners.where(F.col("redirect_title").isNull()).select(
        F.col("title").alias("end_title"), F.col("page_id").alias("article_id")
    )
    is_lost = F.col("is_cycle") | F.col("is_open")
    status = (
        F.when(F.col("is_cycle"), "cycle")
        .when(F.col("is_open"), "too_long")
        .when(F.col("article_id").isNull(), "missing")
        .otherwise("resolved")
    )
    redirects = chains.join(titles, on="end_title", how="left").select(
        "page_id",
        "from_title",
        F.when(is_lost, F.col("first_target")).otherwise(F.col("end_title")).alias("target_title"),
        F.when(~is_lost, F.col("article_id")).alias("target_id"),
        "num_hops",
        status.alias("status"),
    )
    return conform(redirects, "redirects")


def _title_owners(pages: DataFrame, articles: DataFrame) -> DataFrame:
    """The page that owns each title (rule 1): title, page_id, redirect_title (NULL: an article)."""
    no_target = F.lit(None).cast("string").alias("redirect_title")
    bearers = articles.select("title", "page_id", "revision_id", no_target)
    is_redirect = (F.col("namespace") == ARTICLE_NAMESPACE) & F.col("redirect_title").isNotNull()
    bearers = bearers.unionByName(
        pages.where(is_redirect).select("title", "page_id", "revision_id", "redirect_title")
    )
    newest = F.max(F.struct(F.coalesce("revision_id", F.lit(-1)), "page_id", "redirect_title"))
    owners = bearers.groupBy("title").agg(newest.alias("owner"))
    return owners.select("title", "owner.page_id", "owner.redirect_title")


def _one_hop_further(chains: DataFrame, steps: DataFrame, *, is_beyond_bound: bool) -> DataFrame:
    """The chains, those that stand at a redirect moved on by one; ended ones find no step and stay."""
    moved = chains.join(steps, on=chains["end_title"] == steps["step_title"], how="left")
    moves = F.col("next_title").isNotNull() & ~F.col("is_cycle")
    if is_beyond_bound:
        return moved.select(*[name for name in chains.columns if name != "is_open"], moves.alias("is_open"))
    return moved.select(
        "page_id",
        "from_title",
        "first_target",
        F.when(moves, F.col("next_title")).otherwise(F.col("end_title")).alias("end_title"),
        F.when(moves, F.concat("passed", F.array("next_title"))).otherwise(F.col("passed")).alias("passed"),
        (F.col("is_cycle") | (moves & F.array_contains("passed", F.col("next_title")))).alias("is_cycle"),
        F.when(moves, F.col("num_hops") + 1).otherwise(F.col("num_hops")).alias("num_hops"),
        "is_open",
    )
