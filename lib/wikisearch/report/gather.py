"""What the published tables say, aggregated in Spark and collected as `Facts`.

Only results of a few rows come to the driver: counts by a column of few values, histograms of at most some
dozen bins, and the first rows of an ordered table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.comparisons import sorted_differences
from wikisearch.report.facts import (
    CollectionFacts,
    Comparison,
    Count,
    Differences,
    Facts,
    GradeCount,
    GraphFacts,
    IndexFacts,
    MeasureFact,
    PageFacts,
    RunFacts,
    SourceFile,
    SplitFacts,
    TopArticle,
    WikiFacts,
    main_measure,
    measure_order,
    split_order,
)
from wikisearch.report.histograms import graph_histograms
from wikisearch.report.licence import licence_notice

TABLES_READ = (
    "sites",
    "pages",
    "page_rejects",
    "articles",
    "redirects",
    "links",
    "missing_links",
    "pagerank",
    "documents",
    "queries",
    "qrels",
    "corpus_stats",
    "query_metrics",
    "metrics",
    "comparisons",
)
_MAX_DIFFERENCES = 1000


@dataclass(frozen=True)
class ReportParams:
    """Where the report goes, and how much of the long lists it shows."""

    output: str | None = field(
        default=None, metadata={"help": "folder of report.html, .md and .json; default: ROOT/report"}
    )
    num_top_articles: int = field(default=20, metadata={"help": "articles of highest PageRank to list"})
    num_missing_links: int = field(default=10, metadata={"help": "most wanted missing articles to list"})

    def __post_init__(self) -> None:
        """Checks the ranges."""
        for name in ("num_top_articles", "num_missing_links"):
            value = getattr(self, name)
            if not 0 <= value <= 1000:
                raise UsageError(f"{name} is {value}; it must be between 0 and 1000")


def gather_facts(tables: Mapping[str, DataFrame], run: RunFacts, params: ReportParams) -> Facts:
    """Everything the report says (acts: a dozen small aggregations).

    Args:
        tables: a DataFrame for each name in TABLES_READ.
        run: what the caller knows of how the tables were made.
        params: lengths of the lists.

    Raises:
        InputError: if `sites` has no row, so that nobody knows which wiki this is.
    """
    site = _site(tables["sites"])
    comparisons = comparison_facts(tables["comparisons"])
    return Facts(
        run=run,
        wiki=wiki_facts(site),
        pages=page_facts(
            site.namespaces,
            tables["pages"],
            tables["page_rejects"],
            tables["articles"],
            tables["redirects"],
        ),
        graph=graph_facts(
            tables["articles"], tables["links"], tables["missing_links"], tables["pagerank"], params
        ),
        collection=collection_facts(tables["documents"], tables["queries"], tables["qrels"]),
        index=index_facts(tables["corpus_stats"]),
        measures=measure_facts(tables["metrics"]),
        comparisons=comparisons,
        differences=difference_facts(tables["query_metrics"], comparisons),
    )


def _site(sites: DataFrame) -> Row:
    """The one row of `sites`, with `modified_at`: the time of each of its files as text."""
    # Spark formats the times, in its session's time zone (UTC): Python would apply the machine's own.
    modified_at = F.transform(
        "source_files", lambda file: F.date_format(file["modified_at"], "yyyy-MM-dd'T'HH:mm:ss'Z'")
    )
    site = sites.withColumn("modified_at", modified_at).first()
    if site is None:
        raise InputError("table 'sites': it has no row; make it again with jobs/parse_dump.py")
    return site


def wiki_facts(site: Row) -> WikiFacts:
    """What the row of `sites` says, with the licence that follows from it."""
    files = [
        SourceFile(file.path, file.num_bytes, time)
        for file, time in zip(site.source_files, site.modified_at, strict=True)
    ]
    return WikiFacts(
        wiki=site.wiki,
        language=site.language,
        dump_date=site.dump_date,
        generator=site.generator,
        schema_version=site.schema_version,
        case_rule=site.case_rule,
        base_url=site.base_url,
        source_files=tuple(sorted(files, key=lambda file: file.path)),
        licence=licence_notice(site.base_url, site.dump_date),
    )


def _counts(df: DataFrame, column: str) -> tuple[Count, ...]:
    """How many rows have each value of a column of few values, most frequent first, then by name."""
    rows = df.groupBy(column).agg(F.count("*").alias("num_rows")).collect()
    counts = [Count(str(row[column]), row.num_rows) for row in rows]
    return tuple(sorted(counts, key=lambda count: (-count.count, count.name)))


def page_facts(
    names: Mapping[int, str],
    pages: DataFrame,
    page_rejects: DataFrame,
    articles: DataFrame,
    redirects: DataFrame,
) -> PageFacts:
    """Counts of pages by namespace (ascending by its number), of rejects, articles and redirects.

    Args:
        names: of the namespaces (`sites.namespaces`).
        pages: table `pages`; reads namespace.
        page_rejects: table `page_rejects`; reads reason.
        articles: table `articles`; reads is_disambiguation.
        redirects: table `redirects`; reads status.
    """
    by_namespace = pages.groupBy("namespace").agg(F.count("*").alias("num_pages")).orderBy("namespace")
    kinds = articles.select(
        F.count("*").alias("num_articles"), F.count_if("is_disambiguation").alias("num_disambiguations")
    ).collect()[0]
    return PageFacts(
        namespaces=tuple(
            Count(_namespace_name(row.namespace, names), row.num_pages) for row in by_namespace.collect()
        ),
        rejects=_counts(page_rejects, "reason"),
        num_articles=kinds.num_articles,
        num_disambiguations=kinds.num_disambiguations,
        redirects=_counts(redirects, "status"),
    )


def _namespace_name(number: int, names: Mapping[int, str]) -> str:
    """`0 (main)`, `14 Category`; the number alone where siteinfo does not name it."""
    if number == 0:
        return "0 (main)"
    return f"{number} {names.get(number, '')}".strip()


def graph_facts(
    articles: DataFrame, links: DataFrame, missing_links: DataFrame, pagerank: DataFrame, params: ReportParams
) -> GraphFacts:
    """Sizes of the graph of links, its histograms, and the first rows of its two rankings."""
    linked = links.select(
        F.count("*").alias("num_links"), F.sum("num_mentions").alias("num_mentions")
    ).collect()[0]
    missing = missing_links.select(
        F.count("*").alias("num_targets"), F.sum("num_mentions").alias("num_mentions")
    ).collect()[0]
    histograms = graph_histograms(pagerank)
    wanted = missing_links.orderBy(F.desc("num_mentions"), "target_title").limit(params.num_missing_links)
    return GraphFacts(
        num_links=linked.num_links,
        num_link_mentions=linked.num_mentions or 0,
        num_missing_targets=missing.num_targets,
        num_missing_mentions=missing.num_mentions or 0,
        most_wanted=tuple(Count(row.target_title, row.num_mentions) for row in wanted.collect()),
        top_articles=_top_articles(articles, pagerank, params.num_top_articles),
        in_degrees=histograms["in_degree"],
        out_degrees=histograms["out_degree"],
        pageranks=histograms["pagerank"],
    )


def _top_articles(articles: DataFrame, pagerank: DataFrame, length: int) -> tuple[TopArticle, ...]:
    """The articles of highest PageRank, ties by page_id ascending."""
    top = pagerank.orderBy(F.desc("pagerank"), "page_id").limit(length)
    titled = articles.select("page_id", "title").join(F.broadcast(top), on="page_id", how="inner")
    rows = titled.orderBy(F.desc("pagerank"), "page_id").collect()
    return tuple(
        TopArticle(rank, row.title, row.pagerank, row.in_degree, row.out_degree)
        for rank, row in enumerate(rows, start=1)
    )


def collection_facts(documents: DataFrame, queries: DataFrame, qrels: DataFrame) -> CollectionFacts:
    """Sizes of the test collection; splits in the order training, validation, test, then others by name."""
    words = documents.select(
        F.count("*").alias("num_documents"), F.sum("num_words").alias("num_words")
    ).collect()[0]
    num_words = F.size(F.filter(F.split("text", r"\s+"), lambda word: word != ""))
    splits = queries.groupBy("split").agg(
        F.count("*").alias("num_queries"),
        F.sum(num_words).alias("num_words"),
        F.min("num_relevant").alias("min_relevant"),
        F.sum("num_relevant").alias("num_relevant"),
        F.max("num_relevant").alias("max_relevant"),
    )
    grades = qrels.groupBy("split", "relevance").agg(F.count("*").alias("num_qrels"))
    return CollectionFacts(
        num_documents=words.num_documents,
        mean_document_words=words.num_words / words.num_documents if words.num_documents else None,
        query_forms=_counts(queries, "form"),
        splits=tuple(
            SplitFacts(
                split=row.split,
                num_queries=row.num_queries,
                mean_words=row.num_words / row.num_queries,
                min_relevant=row.min_relevant,
                mean_relevant=row.num_relevant / row.num_queries,
                max_relevant=row.max_relevant,
            )
            for row in sorted(splits.collect(), key=lambda row: split_order(row.split))
        ),
        grades=tuple(
            GradeCount(row.split, row.relevance, row.num_qrels)
            for row in sorted(grades.collect(), key=lambda row: (split_order(row.split), -row.relevance))
        ),
    )


def index_facts(corpus_stats: DataFrame) -> IndexFacts | None:
    """What the one row of `corpus_stats` says; None where there is none."""
    stats = corpus_stats.first()
    if stats is None:
        return None
    return IndexFacts(stats.num_docs, stats.num_terms, stats.avg_doc_len, stats.analyzer)


def measure_facts(metrics: DataFrame) -> tuple[MeasureFact, ...]:
    """All rows of `metrics`, by split, query set, system and measure."""
    facts = [MeasureFact(**row.asDict()) for row in metrics.select(*MeasureFact.__match_args__).collect()]
    return tuple(sorted(facts, key=_order))


def _order(fact: MeasureFact) -> tuple[object, ...]:
    return (split_order(fact.split), fact.query_set, fact.system, measure_order(fact))


def comparison_facts(comparisons: DataFrame) -> tuple[Comparison, ...]:
    """All rows of `comparisons`, by baseline, test, system and measure."""
    rows = comparisons.select(*Comparison.__match_args__).collect()
    facts = [Comparison(**row.asDict()) for row in rows]
    return tuple(sorted(facts, key=lambda fact: (fact.baseline, fact.test, fact.system, measure_order(fact))))


def difference_facts(
    query_metrics: DataFrame, comparisons: Sequence[Comparison], measure: tuple[str, str] | None = None
) -> tuple[Differences, ...]:
    """Differences by query of each system and baseline in one measure (acts).

    Args:
        query_metrics: table that was compared.
        comparisons: of which systems.
        measure: its family and spelling; None: that of `main_measure`.
    """
    main = measure or main_measure(comparisons)
    found = []
    seen = set()
    for each in comparisons:
        pair = (each.baseline, each.system)
        if (each.family, each.measure) != main or pair in seen:
            continue
        seen.add(pair)
        names = ("baseline", "system", "family", "measure", "split")
        num_queries, values = sorted_differences(
            query_metrics, {name: getattr(each, name) for name in names}, _MAX_DIFFERENCES
        )
        if values:
            found.append(
                Differences(each.baseline, each.system, each.family, each.measure, num_queries, tuple(values))
            )
    return tuple(found)
