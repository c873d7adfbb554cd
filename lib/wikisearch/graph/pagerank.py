"""PageRank of every article, by GraphFrames, with a check of how far it is from the fixed point.

    p(v) = r / N + (1 - r) * (sum over links u -> v of p(u) / out(u)  +  D / N)

where r is the reset probability, N the number of articles and D the rank of the articles without links
(dangling), spread evenly over all. Brin & Page 1998, "The Anatomy of a Large-Scale Hypertextual Web Search
Engine", section 2.1; Langville & Meyer 2004, "Deeper Inside PageRank", section 3, for D.

GraphFrames drops D in each iteration and scales the result to a sum of N at the end. For an even reset this
has the same fixed point; dividing by the sum gives ranks that sum to 1. It takes a number of iterations or a
tolerance, and says of neither how close it came. So one more step of the formula is made here with
DataFrames, and its L1 change (the residual) reported: the L1 distance to the fixed point is at most
residual / r, since a step shrinks distances by 1 - r.
"""

import logging
from dataclasses import dataclass, field

from graphframes import GraphFrame
from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import SetupError, UsageError, WikisearchError
from wikisearch.frames import conform
from wikisearch.schemas import TABLES

# 8,589 articles and 85,989 links: L1 distance to the fixed point 1.5e-4 after 20 iterations, 3.5e-7 after 60.
# Two articles that link to each other and to little else are slower: 7e-6 each after 60, 3e-7 after 80.
DEFAULT_ITERATIONS = 60
GRAPHFRAMES_CLASS = "org.graphframes.GraphFramePythonAPI"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PageRankParams:
    """How PageRank iterates, and what is asked of its result. Iterations or a tolerance, not both."""

    max_iterations: int | None = field(
        default=None,
        metadata={"help": f"iterations to make (default: {DEFAULT_ITERATIONS} where no tolerance is given)"},
    )
    tolerance: float | None = field(
        default=None,
        metadata={
            "help": "instead of a number of iterations: go on until no article's rank, in units of the mean "
            "rank, changes by more than this"
        },
    )
    reset_probability: float = field(
        default=0.15,  # Brin & Page 1998
        metadata={"help": "probability of going to any article instead of following a link"},
    )
    max_residual: float = field(
        default=1e-3,  # 50 iterations cannot leave more on any graph: 2 * (1 + 0.85) * 0.85^50 = 1.1e-3
        metadata={"help": "fail if one more iteration would change the ranks by more than this in sum"},
    )

    def __post_init__(self) -> None:
        if self.max_iterations is not None and self.tolerance is not None:
            raise UsageError(
                f"max_iterations ({self.max_iterations}) and tolerance ({self.tolerance}): give one of them; "
                "a tolerance decides the number of iterations itself"
            )
        if self.max_iterations is not None and self.max_iterations < 1:
            raise UsageError(f"max_iterations must be at least 1, found {self.max_iterations}")
        for name in ("tolerance", "max_residual"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise UsageError(f"{name} must be above 0, found {value}")
        if not 0 < self.reset_probability < 1:
            raise UsageError(f"reset_probability must be between 0 and 1, found {self.reset_probability}")

    @property
    def num_iterations(self) -> int | None:
        """The number of iterations to make; None where the tolerance decides."""
        return None if self.tolerance is not None else self.max_iterations or DEFAULT_ITERATIONS


@dataclass(frozen=True)
class PageRankReport:
    """What a run measured: numbers of articles, links and dangling articles, and the residual (L1, >= 0)."""

    num_articles: int
    num_links: int
    num_dangling: int
    residual: float


def pagerank_from_links(
    articles: DataFrame, links: DataFrame, params: PageRankParams
) -> tuple[DataFrame, PageRankReport]:
    """The PageRank of every article, isolated ones too, and how well it is converged.

    Acts: it runs GraphFrames, and cuts the lineage of what it returns (a local checkpoint, freed when the
    DataFrame is). The links are held while it runs; nothing stays cached after it.

    Args:
        articles: `articles`; page_id is read.
        links: `links`; src_id, dst_id are read, one row an edge (parallel edges would count twice). Links
            with an end that is no article are left out, with a warning.
        params: number of iterations or tolerance, reset probability, bound of the residual.

    Returns:
        `pagerank`, unique by page_id, and the report. The ranks are in (0, 1] and sum to 1 within 1e-9. Sums
        of doubles in GraphFrames make their last digits differ from run to run: compare within 1e-10.

    Raises:
        SetupError: GraphFrames' JAR is missing.
        WikisearchError: the residual is above its bound.
    """
    spark = articles.sparkSession
    vertices = articles.select(F.col("page_id").alias("id"))
    num_articles = vertices.count()
    if num_articles == 0:
        _log.warning("there is no article: pagerank is empty")
        empty = spark.createDataFrame([], TABLES["pagerank"].struct)
        return empty, PageRankReport(0, 0, 0, 0.0)
    edges = _edges(vertices, links).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        num_links = edges.count()
        _warn_of_strays(links.count() - num_links)
        if num_links == 0:
            _log.warning("there is no link between articles: each of %d has the same rank", num_articles)
            ranks = vertices.withColumn("pagerank", F.lit(1.0 / num_articles))
        else:
            ranks = _graphframes_ranks(vertices, edges, params)
        pagerank = _with_degrees_and_inflow(ranks, edges).localCheckpoint(eager=True)
    finally:
        edges.unpersist()
    report = _report(pagerank, num_articles, num_links, params.reset_probability)
    if report.residual > params.max_residual:
        remedy = (
            f"raise max_iterations above {params.num_iterations}"
            if params.tolerance is None
            else f"lower tolerance below {params.tolerance:g}"
        )
        raise WikisearchError(
            f"PageRank has not converged: one more iteration would change the ranks by {report.residual:.2e} "
            f"in sum, more than max_residual {params.max_residual:g}; {remedy}"
        )
    return conform(pagerank.drop("inflow"), "pagerank"), report


def require_graphframes(spark: SparkSession) -> None:
    """Raises unless the session's JVM has GraphFrames.

    Raises:
        SetupError: saying which JAR is missing and the ways to add it.
    """
    assert spark._jvm is not None
    try:
        # The loader that sees --jars and --packages too; GraphFrames' Python side uses the same.
        spark._jvm.Thread.currentThread().getContextClassLoader().loadClass(GRAPHFRAMES_CLASS)
    except Py4JJavaError as error:
        raise SetupError(
            "GraphFrames' JAR (graphframes-0.8.2-spark3.1-s_2.12.jar or newer, for Scala 2.12) is missing: "
            "`make setup` puts it into pyspark/jars; or give spark-submit --jars PATH, or, where a Maven "
            "repository has it, --packages graphframes:graphframes:0.8.2-spark3.1-s_2.12"
        ) from error


def _edges(vertices: DataFrame, links: DataFrame) -> DataFrame:
    """src, dst of the links whose both ends are vertices: GraphFrames would take other ends as vertices."""
    edges = links.select(F.col("src_id").alias("src"), F.col("dst_id").alias("dst"))
    for end in ("src", "dst"):
        edges = edges.join(vertices.select(F.col("id").alias(end)), on=end, how="left_semi")
    return edges.select("src", "dst")


def _warn_of_strays(num_strays: int) -> None:
    if num_strays:
        _log.warning("%d links have an end that is no article and are left out: rebuild links", num_strays)


def _graphframes_ranks(vertices: DataFrame, edges: DataFrame, params: PageRankParams) -> DataFrame:
    """id, pagerank of each vertex, summing to 1; what GraphFrames leaves cached is freed."""
    spark = vertices.sparkSession
    require_graphframes(spark)
    if params.tolerance is None:
        _log.info("PageRank: %d iterations", params.num_iterations)
    else:
        _log.info("PageRank: iterations until no rank changes by more than %g", params.tolerance)
    cached = spark.sparkContext._jsc.getPersistentRDDs
    before = set(cached().keySet())
    graph = GraphFrame(vertices, edges).pageRank(
        resetProbability=params.reset_probability, maxIter=params.num_iterations, tol=params.tolerance
    )
    left_behind = [rdd for rdd_id, rdd in cached().items() if rdd_id not in before]
    # Only .vertices: the result's .edges are joined anew, slowly, from what may be gone (graphframes#298).
    ranks: DataFrame = graph.vertices.select("id", "pagerank").localCheckpoint(eager=True)
    for rdd in left_behind:
        rdd.unpersist()
    total = ranks.agg(F.sum("pagerank")).collect()[0][0]
    return ranks.select("id", (F.col("pagerank") / F.lit(total)).alias("pagerank"))


def _with_degrees_and_inflow(ranks: DataFrame, edges: DataFrame) -> DataFrame:
    """page_id, pagerank, in_degree, out_degree and inflow: the sum over links u -> v of p(u) / out(u)."""
    out_degrees = edges.groupBy(F.col("src").alias("id")).agg(F.count("*").alias("out_degree"))
    senders = ranks.join(out_degrees, on="id", how="left").select(
        "id", "pagerank", F.coalesce("out_degree", F.lit(0)).alias("out_degree")
    )
    share = F.col("pagerank") / F.col("out_degree")
    shares = senders.select(F.col("id").alias("src"), share.alias("share"))
    received = (
        edges.join(shares, on="src", how="inner")
        .groupBy(F.col("dst").alias("id"))
        .agg(F.count("*").alias("in_degree"), F.sum("share").alias("inflow"))
    )
    return senders.join(received, on="id", how="left").select(
        F.col("id").alias("page_id"),
        "pagerank",
        F.coalesce("in_degree", F.lit(0)).alias("in_degree"),
        "out_degree",
        F.coalesce("inflow", F.lit(0.0)).alias("inflow"),
    )


def _report(pagerank: DataFrame, num_articles: int, num_links: int, reset: float) -> PageRankReport:
    """The residual: L1 change of one more step of the formula at the head of this file."""
    is_dangling = F.col("out_degree") == 0
    dangling = pagerank.agg(
        F.coalesce(F.sum(F.when(is_dangling, F.col("pagerank"))), F.lit(0.0)).alias("rank"),
        F.count_if(is_dangling).alias("n"),
    ).collect()[0]
    even = (reset + (1 - reset) * dangling["rank"]) / num_articles
    step = F.lit(even) + (1 - reset) * F.col("inflow")
    residual = pagerank.agg(F.sum(F.abs(step - F.col("pagerank")))).collect()[0][0]
    return PageRankReport(num_articles, num_links, dangling["n"], residual)
