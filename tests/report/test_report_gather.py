from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.report.facts import (
    Bin,
    CollectionFacts,
    Count,
    Facts,
    GradeCount,
    GraphFacts,
    Histogram,
    IndexFacts,
    MeasureFact,
    PageFacts,
    RunFacts,
    SourceFile,
    SplitFacts,
    TopArticle,
    measure_order,
)
from wikisearch.report.gather import (
    TABLES_READ,
    ReportParams,
    gather_facts,
)
from wikisearch.report.histograms import graph_histograms
from wikisearch.report.render import render_json
from wikisearch.schemas import TABLES

NOW = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
FILES = [("b.xml", 20, NOW), ("a.xml", 10, NOW)]
SITE = ("tinywiki", "en", "2026-02-01", "MediaWiki 1.46", "0.11", "first-letter",
        "https://en.wikipedia.org/wiki/Main_Page", {0: "", 14: "Category"}, FILES)  # fmt: skip


def _page(page_id: int, namespace: int) -> tuple[object, ...]:
    return (page_id, namespace, f"T{page_id}", 1, NOW, None, "wikitext", None, "text", "a.xml")


def _article(page_id: int, title: str, is_disambiguation: bool = False) -> tuple[object, ...]:
    return (page_id, 1, title, "text", "text", is_disambiguation, "article", [], [], "a.xml")


def _metric(system: str, measure: str, split: str, query_set: str, mean: float) -> tuple[object, ...]:
    return (system, "trec_eval", measure, split, query_set, mean, 2, 1, 2, 0)


ROWS: Mapping[str, list[tuple[object, ...]]] = {
    "sites": [SITE],
    # namespace 99 is not named by siteinfo
    "pages": [_page(1, 0), _page(2, 0), _page(3, 14), _page(4, 99), _page(5, 0)],
    "page_rejects": [
        ("a.xml", None, None, "truncated", "<page"),
        ("a.xml", 7, None, "no_title", "<page"),
        ("a.xml", 8, None, "no_title", "<page"),
    ],
    "articles": [_article(1, "One"), _article(2, "Two"), _article(3, "Three", is_disambiguation=True)],
    "redirects": [
        (11, "A", "One", 1, 1, "resolved"),
        (12, "B", "Two", 2, 1, "resolved"),
        (13, "C", "Gone", None, 1, "missing"),
    ],
    "links": [(1, 2, 3, 0, True), (2, 1, 1, -1, False), (3, 1, 1, 5, False)],
    # two tie: the title decides
    "missing_links": [("Zed", 4), ("Alpha", 4), ("Rare", 1), ("Most", 9)],
    # 2 and 3 tie: the page id decides
    "pagerank": [(1, 0.5, 2, 1), (3, 0.25, 0, 1), (2, 0.25, 1, 1)],
    "documents": [("1", 1, 1, "One", "a b", 2), ("2", 2, 1, "Two", "a b c", 3)],
    "queries": [
        ("1", 1, " one  two ", "title", "test", 1),
        ("2", 2, "three\tfour five six", "title", "test", 4),
        ("3", 3, "seven", "first_sentence", "training", 2),
    ],
    "qrels": [("1", "1", 2, "test"), ("2", "2", 2, "test"), ("2", "1", 1, "test"), ("3", "1", 0, "training")],
    "corpus_stats": [(2, 2.5, 3, '{"stemmer": "porter"}')],
    "metrics": [
        _metric("tfidf", "P@10", "test", "all_qrels", 0.1),
        _metric("tfidf", "P@5", "test", "all_qrels", 0.2),
        _metric("bm25", "P@10", "test", "all_qrels", 0.3),
        _metric("bm25", "P@10", "training", "all_qrels", 0.4),
    ],
}  # fmt: skip


def _tables(spark: SparkSession, rows: Mapping[str, list[tuple[object, ...]]]) -> dict[str, DataFrame]:
    return {
        name: spark.createDataFrame(rows.get(name, []), TABLES[name].struct).coalesce(1) for name in TABLES_READ
    }


def _gathered(tables: Mapping[str, DataFrame]) -> Facts:
    return gather_facts(tables, RunFacts("s1"), ReportParams(num_missing_links=3))


@pytest.fixture(scope="module")
def gathered(spark: SparkSession) -> Facts:
    return _gathered(_tables(spark, ROWS))


@pytest.mark.spark
def test_wiki(gathered: Facts) -> None:
    wiki = gathered.wiki
    assert (wiki.wiki, wiki.language, wiki.dump_date) == ("tinywiki", "en", "2026-02-01")
    assert (wiki.generator, wiki.schema_version, wiki.case_rule) == ("MediaWiki 1.46", "0.11", "first-letter")
    assert wiki.source_files == (
        SourceFile("a.xml", 10, "2026-02-03T04:05:06Z"),
        SourceFile("b.xml", 20, "2026-02-03T04:05:06Z"),
    )
    assert "CC BY-SA 4.0" in wiki.licence


@pytest.mark.spark
def test_pages(gathered: Facts) -> None:
    assert gathered.pages == PageFacts(
        namespaces=(Count("0 (main)", 3), Count("14 Category", 1), Count("99", 1)),
        rejects=(Count("no_title", 2), Count("truncated", 1)),
        num_articles=3,
        num_disambiguations=1,
        redirects=(Count("resolved", 2), Count("missing", 1)),
    )
    assert gathered.pages.num_pages == 5


@pytest.mark.spark
def test_graph(gathered: Facts) -> None:
    assert gathered.graph == GraphFacts(
        num_links=3,
        num_link_mentions=5,
        num_missing_targets=4,
        num_missing_mentions=18,
        most_wanted=(Count("Most", 9), Count("Alpha", 4), Count("Zed", 4)),
        top_articles=(
            TopArticle(1, "One", 0.5, 2, 1),
            TopArticle(2, "Two", 0.25, 1, 1),
            TopArticle(3, "Three", 0.25, 0, 1),
        ),
        in_degrees=Histogram(1, (Bin(1, 2, 1), Bin(2, 4, 1))),
        out_degrees=Histogram(0, (Bin(1, 2, 3),)),
        # log10(.25) * 5 = -3.01, log10(.5) * 5 = -1.51
        pageranks=Histogram(0, (Bin(10**-0.8, 10**-0.6, 2), Bin(10**-0.4, 10**-0.2, 1))),
    )
    assert gathered.graph.in_degrees.total == 3


@pytest.mark.spark
def test_collection(gathered: Facts) -> None:
    assert gathered.collection == CollectionFacts(
        num_documents=2,
        mean_document_words=2.5,
        query_forms=(Count("title", 2), Count("first_sentence", 1)),
        # (2 + 4) / 2 words, (1 + 4) / 2 relevant
        splits=(SplitFacts("training", 1, 1.0, 2, 2.0, 2), SplitFacts("test", 2, 3.0, 1, 2.5, 4)),
        grades=(GradeCount("training", 0, 1), GradeCount("test", 2, 2), GradeCount("test", 1, 1)),
    )


@pytest.mark.spark
def test_index_and_measures(gathered: Facts) -> None:
    assert gathered.index == IndexFacts(2, 3, 2.5, '{"stemmer": "porter"}')
    assert gathered.measures == (
        MeasureFact("bm25", "trec_eval", "P@10", "training", "all_qrels", 0.4, 2, 1, 2, 0),
        MeasureFact("bm25", "trec_eval", "P@10", "test", "all_qrels", 0.3, 2, 1, 2, 0),
        MeasureFact("tfidf", "trec_eval", "P@5", "test", "all_qrels", 0.2, 2, 1, 2, 0),
        MeasureFact("tfidf", "trec_eval", "P@10", "test", "all_qrels", 0.1, 2, 1, 2, 0),
    )


@pytest.mark.spark
def test_partitions_do_not_matter(spark: SparkSession, gathered: Facts) -> None:
    again = _gathered({name: table.repartition(7) for name, table in _tables(spark, ROWS).items()})
    assert again == gathered
    assert render_json(again) == render_json(gathered)


@pytest.mark.spark
def test_nothing_but_a_site(spark: SparkSession) -> None:
    facts = gather_facts(_tables(spark, {"sites": [SITE]}), RunFacts("s1"), ReportParams())
    assert facts.graph == GraphFacts(0, 0, 0, 0, (), (), *[Histogram(0, ())] * 3)
    assert facts.pages == PageFacts((), (), 0, 0, ())
    assert facts.collection == CollectionFacts(0, None, (), (), ())
    assert facts.index is None
    assert facts.measures == ()


@pytest.mark.spark
def test_no_site_is_an_error_that_names_the_job(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"table 'sites': it has no row; .*parse_dump"):
        gather_facts(_tables(spark, {}), RunFacts("s1"), ReportParams())


@pytest.mark.spark
def test_values_fall_into_the_bins_that_hold_them(spark: SparkSession) -> None:
    degrees = [0, 1, 2, 3, 4, 7, 8, 2**40 - 1, 2**40]
    shares = [0.0, 1.5e-7, 1.6e-7, 3e-4, 0.02, 0.02, 0.99, 1.0, 1.0]
    rows = [(row, shares[row], degree, degrees[-row]) for row, degree in enumerate(degrees)]
    histograms = graph_histograms(spark.createDataFrame(rows, TABLES["pagerank"].struct))
    for name, values in (("in_degree", degrees), ("out_degree", degrees), ("pagerank", shares)):
        histogram = histograms[name]
        assert histogram.num_zero == 1
        assert histogram.total == len(values)
        for one in histogram.bins:
            assert one.count == len([value for value in values if one.lower <= value < one.upper])


def test_params_out_of_range() -> None:
    with pytest.raises(UsageError, match="num_top_articles is -1"):
        ReportParams(num_top_articles=-1)


def test_measures_stand_by_name_then_cutoff() -> None:
    measures = ["R@5", "P@10", "AP", "P@5", "nDCG@10", "P@x"]
    facts = [MeasureFact("s", "f", measure, "test", "all_qrels", 0.5, 1, 1, 1, 0) for measure in measures]
    ordered = [fact.measure for fact in sorted(facts, key=measure_order)]
    assert ordered == ["AP", "nDCG@10", "P@x", "P@5", "P@10", "R@5"]
