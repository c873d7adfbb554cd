"""Everything a report says, as plain data: no Spark, no formatting.

`report.gather` fills these from the published tables, `report.render` shows them. Lists stand in the order in
which they are shown, so that two reports of the same tables are equal byte by byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class SourceFile:
    """A dump file that was read: path, size in bytes, and time of change (ISO 8601, UTC)."""

    path: str
    num_bytes: int
    modified_at: str


@dataclass(frozen=True)
class WikiFacts:
    """What the dump says of itself, and the licence that follows from it."""

    wiki: str
    language: str
    dump_date: str | None
    generator: str | None
    schema_version: str
    case_rule: str
    base_url: str | None
    source_files: tuple[SourceFile, ...]
    licence: str


@dataclass(frozen=True)
class Count:
    """How often something named occurs."""

    name: str
    count: int


@dataclass(frozen=True)
class PageFacts:
    """Pages of the dump: by namespace, rejected by reason; articles; redirects by status."""

    namespaces: tuple[Count, ...]
    rejects: tuple[Count, ...]
    num_articles: int
    num_disambiguations: int
    redirects: tuple[Count, ...]

    @property
    def num_pages(self) -> int:
        """Pages of all namespaces."""
        return sum(namespace.count for namespace in self.namespaces)


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram: how many values lie in [lower, upper)."""

    lower: float
    upper: float
    count: int


@dataclass(frozen=True)
class Histogram:
    """Bins of equal width on a logarithmic axis, ascending, none empty; zeros are counted apart."""

    num_zero: int
    bins: tuple[Bin, ...]

    @property
    def total(self) -> int:
        """How many values were counted, zeros too."""
        return self.num_zero + sum(one.count for one in self.bins)


@dataclass(frozen=True)
class TopArticle:
    """An article with its PageRank (in (0, 1]) and degrees; rank from 1."""

    rank: int
    title: str
    pagerank: float
    in_degree: int
    out_degree: int


@dataclass(frozen=True)
class GraphFacts:
    """The graph of links: what is in it, what is missing, who is central."""

    num_links: int
    num_link_mentions: int
    num_missing_targets: int
    num_missing_mentions: int
    most_wanted: tuple[Count, ...]
    top_articles: tuple[TopArticle, ...]
    in_degrees: Histogram
    out_degrees: Histogram
    pageranks: Histogram


@dataclass(frozen=True)
class SplitFacts:
    """Queries of one split: means and bounds are over its queries."""

    split: str
    num_queries: int
    mean_words: float
    min_relevant: int
    mean_relevant: float
    max_relevant: int


@dataclass(frozen=True)
class GradeCount:
    """How many judgements of a split have this grade of relevance."""

    split: str
    relevance: int
    count: int


@dataclass(frozen=True)
class CollectionFacts:
    """The test collection; `mean_document_words` is None where there is no document."""

    num_documents: int
    mean_document_words: float | None
    query_forms: tuple[Count, ...]
    splits: tuple[SplitFacts, ...]
    grades: tuple[GradeCount, ...]


@dataclass(frozen=True)
class IndexFacts:
    """The inverted index: documents, distinct terms, mean length in terms, the analyzer as JSON."""

    num_docs: int
    num_terms: int
    avg_doc_len: float
    analyzer: str


@dataclass(frozen=True)
class MeasureFact:
    """Mean of a measure for a system, split and query set, with the numbers of queries behind it."""

    system: str
    family: str
    measure: str
    split: str
    query_set: str
    mean: float
    num_queries: int
    num_queries_in_run: int
    num_queries_in_qrels: int
    num_queries_without_relevant: int


@dataclass(frozen=True)
class Comparison:
    """A row of the table `comparisons`: a system against a baseline, for one measure and test."""

    baseline: str
    system: str
    family: str
    measure: str
    split: str
    num_queries: int
    mean: float | None
    baseline_mean: float | None
    difference: float | None
    confidence: float
    interval_low: float | None
    interval_high: float | None
    effect_size: float | None
    num_wins: int
    num_ties: int
    num_losses: int
    test: str
    p_value: float | None
    p_bonferroni: float
    p_holm: float
    correction_family: str
    num_comparisons: int


@dataclass(frozen=True)
class Differences:
    """Differences of a measure by query, sorted, or as many quantiles of them; above 0 the system is better."""

    baseline: str
    system: str
    family: str
    measure: str
    num_queries: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Curve:
    """A system's points (x, y), ascending by x."""

    system: str
    points: tuple[tuple[float, float], ...]


def split_order(split: str) -> tuple[int, str]:
    """Sort key of splits: training, validation, test, all, then others by name."""
    known = ("training", "validation", "test", "all")
    return (known.index(split) if split in known else len(known), split)


class HasMeasure(Protocol):
    """What says a value of which measure it is."""

    @property
    def family(self) -> str:
        """The family of the measure."""

    @property
    def measure(self) -> str:
        """Its spelling."""


def measure_order(fact: HasMeasure) -> tuple[str, str, int, str]:
    """Sort key of measures: by family, name and cut-off, so that P@5 stands before P@10."""
    name, _, cutoff = fact.measure.partition("@")
    return (fact.family, name.casefold(), int(cutoff) if cutoff.isdecimal() else 0, fact.measure)


def main_measure(facts: Sequence[HasMeasure]) -> tuple[str, str] | None:
    """Family and spelling of the measure that is looked at most: trec_eval's nDCG@10, else the first one."""
    keys = [(fact.family, fact.measure) for fact in sorted(facts, key=measure_order)]
    return ("trec_eval", "nDCG@10") if ("trec_eval", "nDCG@10") in keys else next(iter(keys), None)


@dataclass(frozen=True)
class StepFact:
    """A step of the plan: state (done, skipped, ...), seconds, and the rows of each table that it wrote."""

    name: str
    state: str
    seconds: float
    rows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFacts:
    """How the tables were made: given by the caller, since no table says it.

    `versions` maps a part (wikisearch, spark, python, ...) to its version; `commits` maps a table to the
    facts its commit keeps (the residual of PageRank, say). Peaks are in bytes, of the driver's JVM heap and
    of the largest Python worker; None where nobody measured them.
    """

    snapshot: str
    versions: Mapping[str, str] = field(default_factory=dict)
    steps: Sequence[StepFact] = ()
    commits: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    peak_heap_bytes: int | None = None
    peak_worker_bytes: int | None = None


@dataclass(frozen=True)
class Facts:
    """Everything the report says; `index` is None where nothing is indexed."""

    run: RunFacts
    wiki: WikiFacts
    pages: PageFacts
    graph: GraphFacts
    collection: CollectionFacts
    index: IndexFacts | None
    measures: tuple[MeasureFact, ...]
    comparisons: tuple[Comparison, ...]
    differences: tuple[Differences, ...]
