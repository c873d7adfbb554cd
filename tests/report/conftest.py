"""Facts of a small invented wiki whose words try to break out of every format, and facts of nothing."""

import pytest

from wikisearch.report.facts import (
    Bin,
    CollectionFacts,
    Comparison,
    Count,
    Differences,
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
    StepFact,
    TopArticle,
    WikiFacts,
)

HOSTILE = """<script src="//x">alert('1')</script> | a*b_c` & 'q'"""


@pytest.fixture
def hostile() -> str:
    return HOSTILE


def _measures() -> tuple[MeasureFact, ...]:
    means = {
        "bm25": {"AP": 0.3121, "nDCG@10": 0.4512, "P@5": 0.25, "P@10": 0.1875},
        "tfidf": {"AP": 0.2817, "nDCG@10": 0.4601, "P@5": 0.25, "P@10": 0.1512},
    }
    return tuple(
        MeasureFact(system, "trec_eval", measure, split, "all_qrels", mean, 40, 39, 40, 0)
        for split in ("validation", "test")
        for system, values in means.items()
        for measure, mean in values.items()
    )


def _comparison(measure: str, difference: float, p_value: float | None) -> Comparison:
    return Comparison(
        baseline="bm25",
        system="tfidf",
        family="trec_eval",
        measure=measure,
        split="all",
        num_queries=40,
        mean=0.4601,
        baseline_mean=0.4512,
        difference=difference,
        confidence=0.95,
        interval_low=-0.01,
        interval_high=0.03,
        effect_size=0.21,
        num_wins=20,
        num_ties=15,
        num_losses=5,
        test="t-test",
        p_value=p_value,
        p_bonferroni=0.04,
        p_holm=0.03,
        correction_family="all",
        num_comparisons=2,
    )


@pytest.fixture
def facts() -> Facts:
    return Facts(
        run=RunFacts(
            snapshot="20260201",
            versions={"wikisearch": "abc123", "spark": "3.5.9", "java": "17.0.1"},
            steps=(
                StepFact("parse_dump", "published", 63.4, {"sites": 1, "pages": 1234}),
                StepFact("compute_pagerank", "published", 754.0, {"pagerank": 900}),
            ),
            commits={"pagerank": {"residual": 1.5e-8, "num_iterations": 40}},
            peak_heap_bytes=2_345_678_901,
            peak_worker_bytes=None,
        ),
        wiki=WikiFacts(
            wiki="testwiki",
            language="en",
            dump_date="2026-02-01",
            generator="MediaWiki 1.46",
            schema_version="0.11",
            case_rule="first-letter",
            base_url="https://test.wikipedia.org/wiki/Main_Page",
            source_files=(SourceFile("dumps/testwiki.xml.bz2", 36_548_940, "2026-02-01T03:04:05Z"),),
            licence="A licence.",
        ),
        pages=PageFacts(
            namespaces=(Count("0 (main)", 1200), Count("14 Category", 34)),
            rejects=(Count("truncated", 1),),
            num_articles=900,
            num_disambiguations=12,
            redirects=(Count("resolved", 290), Count("missing", 10)),
        ),
        graph=GraphFacts(
            num_links=5000,
            num_link_mentions=7000,
            num_missing_targets=800,
            num_missing_mentions=1000,
            most_wanted=(Count(HOSTILE, 17), Count("Second", 3)),
            top_articles=(TopArticle(1, HOSTILE, 0.0123, 321, 45), TopArticle(2, "Zwei", 0.0100, 21, 5)),
            in_degrees=Histogram(100, (Bin(1, 2, 400), Bin(2, 4, 250), Bin(4, 8, 100), Bin(256, 512, 50))),
            out_degrees=Histogram(50, (Bin(1, 2, 300), Bin(2, 4, 350), Bin(8, 16, 200))),
            pageranks=Histogram(
                0, (Bin(1e-4, 1.6e-4, 500), Bin(1.6e-4, 2.5e-4, 380), Bin(0.0100, 0.0158, 20))
            ),
        ),
        collection=CollectionFacts(
            num_documents=900,
            mean_document_words=123.46,
            query_forms=(Count("title", 80),),
            splits=(SplitFacts("validation", 40, 2.25, 2, 5.5, 21), SplitFacts("test", 40, 2.5, 1, 4.5, 30)),
            grades=(GradeCount("test", 2, 40), GradeCount("test", 1, 140)),
        ),
        index=IndexFacts(num_docs=900, num_terms=12345, avg_doc_len=77.125, analyzer='{"stemmer": "porter"}'),
        measures=_measures(),
        comparisons=(_comparison("AP", -0.0304, None), _comparison("nDCG@10", 0.0089, 0.0123)),
        differences=(Differences("bm25", "tfidf", "trec_eval", "nDCG@10", 4, (-0.2, 0.0, 0.1, 0.3)),),
    )


@pytest.fixture
def empty_facts() -> Facts:
    nothing = Histogram(0, ())
    return Facts(
        run=RunFacts(snapshot="first"),
        wiki=WikiFacts("emptywiki", "xx", None, None, "0.3", "case-sensitive", None, (), "A licence."),
        pages=PageFacts((), (), 0, 0, ()),
        graph=GraphFacts(0, 0, 0, 0, (), (), nothing, nothing, nothing),
        collection=CollectionFacts(0, None, (), (), ()),
        index=None,
        measures=(),
        comparisons=(),
        differences=(),
    )
