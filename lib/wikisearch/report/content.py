"""The report as a list of sections: what is said, in which order, in which words."""

from collections.abc import Sequence

from wikisearch.report import plots
from wikisearch.report.blocks import (
    NUMBER,
    WIKI_TEXT,
    Block,
    Column,
    Figure,
    Prose,
    Section,
    Table,
    properties,
    table,
)
from wikisearch.report.comparisons import comparisons_section
from wikisearch.report.facts import (
    CollectionFacts,
    Count,
    Facts,
    GraphFacts,
    Histogram,
    IndexFacts,
    PageFacts,
    WikiFacts,
)
from wikisearch.report.measures import measures_section
from wikisearch.report.provenance import run_section
from wikisearch.report.words import decimal, integer, share, size, small


def key_numbers(facts: Facts) -> list[tuple[str, str]]:
    """The numbers that tell the size of everything, each with the word for what it counts."""
    collection = facts.collection
    numbers = (
        ("pages", facts.pages.num_pages),
        ("articles", facts.pages.num_articles),
        ("links", facts.graph.num_links),
        ("missing articles", facts.graph.num_missing_targets),
        ("documents", collection.num_documents),
        ("queries", sum(split.num_queries for split in collection.splits)),
        ("judgements", sum(grade.count for grade in collection.grades)),
        ("terms", facts.index.num_terms if facts.index else 0),
        ("systems", len({fact.system for fact in facts.measures})),
    )
    return [(label, integer(number)) for label, number in numbers]


def sections(facts: Facts) -> list[Section]:
    """Everything the report says, in order."""
    return [
        measures_section(facts.measures),
        comparisons_section(facts.comparisons, facts.differences),
        Section("source", "Source and licence", _source(facts.wiki)),
        Section("pages", "Pages", _pages(facts.pages)),
        Section("graph", "Links and PageRank", _graph(facts.graph)),
        Section("collection", "Test collection", _collection(facts.collection)),
        Section("index", "Index", (_index(facts.index),)),
        run_section(facts.run),
    ]


def _source(wiki: WikiFacts) -> tuple[Block, ...]:
    return (
        Prose(wiki.licence),
        properties(
            "What the dump says of itself",
            (
                ("wiki", wiki.wiki),
                ("language", wiki.language),
                ("date of the dump", wiki.dump_date or "unknown"),
                ("generator", wiki.generator or "unknown"),
                ("schema version", wiki.schema_version),
                ("case of titles", wiki.case_rule),
                ("main page", wiki.base_url or "unknown"),
            ),
        ),
        table(
            "Files that were read",
            (Column("file"), Column("size", NUMBER), Column("changed at (UTC)", NUMBER)),
            ((file.path, size(file.num_bytes), file.modified_at) for file in wiki.source_files),
        ),
    )


def _shares(caption: str, heading: str, counts: Sequence[Count], unit: str) -> Block:
    """A table of counts with their shares."""
    total = sum(count.count for count in counts)
    return table(
        caption,
        (Column(heading), Column(unit, NUMBER), Column("share", NUMBER)),
        ((count.name, integer(count.count), share(count.count, total)) for count in counts),
    )


def _pages(pages: PageFacts) -> tuple[Block, ...]:
    return (
        Prose(
            f"{integer(pages.num_articles)} of {integer(pages.num_pages)} pages are articles; "
            f"{integer(pages.num_disambiguations)} of these only list the meanings of their title."
        ),
        _shares("Pages by namespace", "namespace", pages.namespaces, "pages"),
        _shares("Redirects by what became of them", "status", pages.redirects, "redirects"),
        _shares("Pages that could not be read", "reason", pages.rejects, "rejects"),
    )


def _graph(graph: GraphFacts) -> tuple[Block, ...]:
    all_mentions = graph.num_link_mentions + graph.num_missing_mentions
    return (
        Prose(
            f"Articles link {integer(all_mentions)} times: {integer(graph.num_link_mentions)} times to an "
            f"article ({integer(graph.num_links)} distinct links, redirects resolved) and "
            f"{integer(graph.num_missing_mentions)} times "
            f"({share(graph.num_missing_mentions, all_mentions)}) to one of "
            f"{integer(graph.num_missing_targets)} titles without an article."
        ),
        table(
            "Articles of highest PageRank",
            (
                Column("rank", NUMBER),
                Column("title", WIKI_TEXT),
                Column("PageRank", NUMBER),
                Column("links to it", NUMBER),
                Column("links from it", NUMBER),
            ),
            (
                (
                    integer(top.rank),
                    top.title,
                    small(top.pagerank),
                    integer(top.in_degree),
                    integer(top.out_degree),
                )
                for top in graph.top_articles
            ),
        ),
        table(
            "Most wanted missing articles",
            (Column("title", WIKI_TEXT), Column("mentions", NUMBER)),
            ((wanted.name, integer(wanted.count)) for wanted in graph.most_wanted),
        ),
        _degree_figure(graph),
        _pagerank_figure(graph.pageranks),
    )


def _degree_figure(graph: GraphFacts) -> Figure | Table:
    """Both degree distributions, with their bins side by side; only the table where there is no link."""
    ins, outs = ({(one.lower, one.upper): one.count for one in histogram.bins}
                 for histogram in (graph.in_degrees, graph.out_degrees))
    rows = [("0", integer(graph.in_degrees.num_zero), integer(graph.out_degrees.num_zero))]
    for lower, upper in sorted(ins.keys() | outs.keys()):
        first, last = integer(int(lower)), integer(int(upper) - 1)
        rows.append(
            (
                first if first == last else f"{first} to {last}",
                integer(ins.get((lower, upper), 0)),
                integer(outs.get((lower, upper), 0)),
            )
        )
    data = table(
        "Articles by degree",
        (
            Column("degree", NUMBER),
            Column("articles by links to them", NUMBER),
            Column("articles by links from them", NUMBER),
        ),
        rows if graph.in_degrees.total else (),
    )
    if not ins and not outs:
        return data
    return Figure(
        caption="Degrees: how many links lead to and from an article",
        alt=(
            "Line plot on two logarithmic axes of the share of articles by number of links to and from them. "
            f"{integer(graph.in_degrees.num_zero)} articles have no link to them and "
            f"{integer(graph.out_degrees.num_zero)} none from them; they are not drawn."
        ),
        svg=plots.degree_plot(graph.in_degrees, graph.out_degrees).svg(),
        data=data,
    )


def _pagerank_figure(pageranks: Histogram) -> Figure | Table:
    """The distribution of PageRank; only the table where there is no article."""
    data = table(
        "Articles by PageRank",
        (Column("from", NUMBER), Column("to below", NUMBER), Column("articles", NUMBER)),
        ((small(one.lower), small(one.upper), integer(one.count)) for one in pageranks.bins),
    )
    if not pageranks.bins:
        return data
    return Figure(
        caption="PageRank: how it is spread over the articles",
        alt=(
            "Histogram on two logarithmic axes of the PageRank of "
            f"{integer(pageranks.total)} articles, with a line at its mean, 1 divided by their number."
        ),
        svg=plots.pagerank_plot(pageranks).svg(),
        data=data,
    )


def _collection(collection: CollectionFacts) -> tuple[Block, ...]:
    return (
        Prose(
            f"{integer(collection.num_documents)} documents; "
            f"mean number of words: {decimal(collection.mean_document_words, 1)}."
        ),
        table(
            "Queries by split",
            (
                Column("split"),
                Column("queries", NUMBER),
                Column("mean words", NUMBER),
                Column("fewest relevant", NUMBER),
                Column("mean relevant", NUMBER),
                Column("most relevant", NUMBER),
            ),
            (
                (
                    split.split,
                    integer(split.num_queries),
                    decimal(split.mean_words, 1),
                    integer(split.min_relevant),
                    decimal(split.mean_relevant, 1),
                    integer(split.max_relevant),
                )
                for split in collection.splits
            ),
        ),
        _shares("Queries by form", "form", collection.query_forms, "queries"),
        table(
            "Judgements by split and grade",
            (Column("split"), Column("relevance", NUMBER), Column("judgements", NUMBER)),
            ((grade.split, str(grade.relevance), integer(grade.count)) for grade in collection.grades),
        ),
    )


def _index(index: IndexFacts | None) -> Block:
    pairs = (
        ()
        if index is None
        else (
            ("documents", integer(index.num_docs)),
            ("distinct terms", integer(index.num_terms)),
            ("mean length of a document in terms", decimal(index.avg_doc_len, 2)),
            ("analyzer", index.analyzer),
        )
    )
    return properties("Inverted index", pairs)
