"""PageRank equals networkx on known graphs, says how well it converged, and leaves nothing cached.

A run of GraphFrames costs seconds, so several graphs make up one: ranks within a part of a graph that no link
leaves or enters are, divided by their sum, the ranks of that part alone.
"""

import json
import logging
import random
from collections.abc import Iterable, Mapping
from pathlib import Path

import networkx as nx
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from wikisearch.errors import SetupError, UsageError, WikisearchError
from wikisearch.graph import pagerank as module
from wikisearch.graph.pagerank import PageRankParams, PageRankReport, pagerank_from_links

Edges = list[tuple[int, int]]

ISOLATED, STRAY = 900, 999


def known_graphs() -> dict[str, nx.DiGraph]:
    """Small graphs by name; the nodes of each are numbers of its own."""
    rng = random.Random(85)
    star = [(leaf, 100) for leaf in range(101, 109)]
    chain = [(200 + i, 201 + i) for i in range(7)]
    # Each cycle has a way out: one without takes twice the iterations to converge.
    both_ways = [(301, 302), (302, 301), (302, 303)]
    diamond = [(401, 402), (401, 403), (402, 404), (403, 404), (404, 401), (404, 405)]
    pairs = [(a, b) for a in range(500, 525) for b in range(500, 525) if a != b]
    graphs = {
        "star": nx.DiGraph(star),
        "chain": nx.DiGraph(chain),
        "two components": nx.DiGraph(both_ways + diamond),
        "random": nx.DiGraph(rng.sample(pairs, 90)),
        "with isolated": nx.DiGraph([(601, 602)]),
        "all sinks": nx.DiGraph(),
    }
    graphs["random"].add_nodes_from(range(500, 525))
    graphs["with isolated"].add_node(ISOLATED)
    graphs["all sinks"].add_nodes_from([701, 702, 703])
    return graphs


def tables(
    spark: SparkSession, nodes: Iterable[int], edges: Iterable[tuple[int, int]], num_partitions: int = 2
) -> tuple[DataFrame, DataFrame]:
    articles = spark.createDataFrame([(node,) for node in nodes], "page_id long").repartition(num_partitions)
    links = spark.createDataFrame(list(edges), "src_id long, dst_id long").repartition(num_partitions)
    return articles, links


def known_tables(spark: SparkSession, num_partitions: int) -> tuple[DataFrame, DataFrame]:
    graphs = known_graphs().values()
    nodes = [node for graph in graphs for node in graph.nodes]
    edges = [edge for graph in graphs for edge in graph.edges]
    # Ends that are no article: a link to it, and one from it.
    edges += [(100, STRAY), (STRAY, 404)]
    return tables(spark, nodes, edges, num_partitions)


@pytest.fixture(scope="module")
def known(spark: SparkSession) -> tuple[dict[int, Row], PageRankReport]:
    ranks, report = pagerank_from_links(*known_tables(spark, 1), PageRankParams(max_iterations=40))
    return {row.page_id: row for row in ranks.collect()}, report


def within(nodes: Iterable[int], ranks: Mapping[int, Row]) -> dict[int, float]:
    """The ranks of some nodes, divided by their sum."""
    part = {node: ranks[node].pagerank for node in nodes}
    return {node: rank / sum(part.values()) for node, rank in part.items()}


@pytest.mark.spark
@pytest.mark.parametrize("name", known_graphs())
def test_equals_networkx(name: str, known: tuple[dict[int, Row], PageRankReport]) -> None:
    ranks, _ = known
    graph = known_graphs()[name]
    exact = nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000)
    assert within(graph.nodes, ranks) == pytest.approx(exact, abs=1e-6)
    for node in graph.nodes:
        assert ranks[node].in_degree == graph.in_degree(node)
        assert ranks[node].out_degree == graph.out_degree(node)


@pytest.mark.spark
def test_whole_graph_and_report(known: tuple[dict[int, Row], PageRankReport]) -> None:
    ranks, report = known
    graph = nx.compose_all(list(known_graphs().values()))
    assert set(ranks) == set(graph.nodes)
    assert sum(row.pagerank for row in ranks.values()) == pytest.approx(1, abs=1e-9)
    assert all(0 < row.pagerank <= 1 for row in ranks.values())
    dangling = {node for node in graph.nodes if graph.out_degree(node) == 0}
    assert (report.num_articles, report.num_links) == (graph.number_of_nodes(), graph.number_of_edges())
    assert report.num_dangling == len(dangling)
    # One more step, in plain Python.
    even = (0.15 + 0.85 * sum(ranks[node].pagerank for node in dangling)) / len(ranks)
    residual = sum(
        abs(
            even
            + 0.85 * sum(ranks[u].pagerank / graph.out_degree(u) for u in graph.predecessors(v))
            - ranks[v].pagerank
        )
        for v in graph.nodes
    )
    assert report.residual == pytest.approx(residual, abs=1e-12)
    # A distance to the fixed point is at most the residual / 0.15.
    exact = nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000)
    assert sum(abs(ranks[node].pagerank - exact[node]) for node in graph) <= report.residual / 0.15 + 1e-12


def graphframes_ranks(graph: nx.DiGraph, num_iterations: int) -> dict[int, float]:
    """What GraphFrames computes, in plain Python: starts at 1, drops dangling ranks, sums to 1 at the end."""
    ranks = dict.fromkeys(graph.nodes, 1.0)
    for _ in range(num_iterations):
        ranks = {
            v: 0.15 + 0.85 * sum(ranks[u] / graph.out_degree(u) for u in graph.predecessors(v)) for v in graph
        }
    return {node: rank / sum(ranks.values()) for node, rank in ranks.items()}


@pytest.mark.spark
def test_other_partitions_few_iterations_and_nothing_left_cached(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    persistent = spark.sparkContext._jsc.getPersistentRDDs
    before = set(persistent().keySet())
    with caplog.at_level(logging.INFO):
        ranks, _ = pagerank_from_links(
            *known_tables(spark, 7), PageRankParams(max_iterations=6, max_residual=1.0)
        )
    # What stays is the result's own checkpoint, and perhaps one that is not collected yet.
    assert len(set(persistent().keySet()) - before) <= 2
    graph = nx.compose_all(list(known_graphs().values()))
    wanted = graphframes_ranks(graph, 6)
    assert {row.page_id: row.pagerank for row in ranks.collect()} == pytest.approx(wanted, abs=1e-10)
    assert "PageRank: 6 iterations" in caplog.text
    assert "2 links have an end that is no article" in caplog.text


@pytest.mark.spark
def test_too_few_iterations_are_an_error(spark: SparkSession) -> None:
    articles, links = tables(spark, [1, 2, 3], [(1, 2), (2, 1), (2, 3)])
    with pytest.raises(WikisearchError, match=r"not converged.*max_residual 1e-09; raise max_iterations above 2"):
        pagerank_from_links(articles, links, PageRankParams(max_iterations=2, max_residual=1e-9))


@pytest.mark.spark
def test_tolerance_and_reset_probability(spark: SparkSession) -> None:
    edges = [(1, 2), (2, 3), (3, 1), (3, 4)]
    articles, links = tables(spark, range(1, 6), edges)
    ranks, report = pagerank_from_links(articles, links, PageRankParams(tolerance=1e-4, reset_probability=0.5))
    graph = nx.DiGraph(edges)
    graph.add_node(5)
    exact = nx.pagerank(graph, alpha=0.5, tol=1e-14, max_iter=1000)
    assert {row.page_id: row.pagerank for row in ranks.collect()} == pytest.approx(exact, abs=1e-4)
    assert 0 < report.residual < 1e-3


@pytest.mark.spark
def test_no_links_and_no_articles(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    articles, links = tables(spark, [3, 5, 7, 11], [])
    ranks, report = pagerank_from_links(articles, links, PageRankParams())
    assert sorted(map(tuple, ranks.collect())) == [(page_id, 0.25, 0, 0) for page_id in (3, 5, 7, 11)]
    assert report == PageRankReport(4, 0, 4, 0.0)
    assert "no link between articles" in caplog.text
    ranks, report = pagerank_from_links(*tables(spark, [], []), PageRankParams())
    assert ranks.columns == ["page_id", "pagerank", "in_degree", "out_degree"]
    assert ranks.collect() == []
    assert report == PageRankReport(0, 0, 0, 0.0)
    assert "no article" in caplog.text


@pytest.mark.spark
def test_missing_jar_says_what_to_add(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRAPHFRAMES_CLASS", "org.graphframes.NotThere")
    articles, links = tables(spark, [1, 2], [(1, 2)])
    with pytest.raises(SetupError, match=r"graphframes-0\.8\.2.*make setup.*--jars.*--packages"):
        pagerank_from_links(articles, links, PageRankParams())


def test_params_that_are_out_of_range() -> None:
    assert PageRankParams().num_iterations == 60
    assert PageRankParams(max_iterations=7).num_iterations == 7
    assert PageRankParams(tolerance=0.1).num_iterations is None
    for wrong, message in (
        ({"max_iterations": 5, "tolerance": 0.1}, "give one of them"),
        ({"max_iterations": 0}, "max_iterations must be at least 1, found 0"),
        ({"tolerance": 0.0}, r"tolerance must be above 0, found 0\.0"),
        ({"tolerance": float("nan")}, "tolerance must be above 0, found nan"),
        ({"max_residual": -1.0}, "max_residual must be above 0"),
        ({"reset_probability": 1.0}, r"reset_probability must be between 0 and 1, found 1\.0"),
    ):
        with pytest.raises(UsageError, match=message):
            PageRankParams(**wrong)


@pytest.mark.soak
@pytest.mark.spark
def test_hub_that_all_link_to(spark: SparkSession) -> None:
    # leaves -> hub -> out. Unnormalised: leaf 0.15, hub 0.15 + 0.85 n 0.15, out 0.15 + 0.85 hub.
    n = 200_000
    articles = spark.range(n + 2).withColumnRenamed("id", "page_id")
    hub, out = n, n + 1
    links = spark.range(n).selectExpr("id AS src_id", f"{hub}L AS dst_id")
    links = links.unionByName(spark.createDataFrame([(hub, out)], "src_id long, dst_id long"))
    leaf_rank, hub_rank = 0.15, 0.15 + 0.85 * n * 0.15
    out_rank = 0.15 + 0.85 * hub_rank
    total = n * leaf_rank + hub_rank + out_rank
    ranks, _ = pagerank_from_links(articles, links, PageRankParams(max_iterations=10))
    found = {row.page_id: row for row in ranks.where(f"page_id IN (7, {hub}, {out})").collect()}
    assert found[7].pagerank == pytest.approx(leaf_rank / total, rel=1e-9)
    assert found[hub].pagerank == pytest.approx(hub_rank / total, rel=1e-9)
    assert found[out].pagerank == pytest.approx(out_rank / total, rel=1e-9)
    assert found[hub].in_degree == n


@pytest.mark.soak
@pytest.mark.shared
@pytest.mark.spark
def test_reference_ranks_of_a_real_wiki(spark: SparkSession, shared: Path) -> None:
    lines = (shared / "data/enwik8/pagerank.tsv").read_text(encoding="utf-8").splitlines()
    exact = {title: float(rank) for title, rank in (line.split("\t") for line in lines)}
    ids = {title: number for number, title in enumerate(exact)}
    edges = read_edges(shared / "data/enwik8/links.tsv", has_header=False)
    articles, links = tables(spark, ids.values(), [(ids[src], ids[dst]) for src, dst in edges])
    ranks, _ = pagerank_from_links(articles, links, PageRankParams())
    found = {row.page_id: row.pagerank for row in ranks.collect()}
    assert found.keys() == set(ids.values())
    assert sum(abs(found[ids[title]] - rank) for title, rank in exact.items()) <= 1e-5
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)


def read_edges(path: Path, has_header: bool = True) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1 if has_header else 0 :]
    return [(parts[0], parts[1]) for line in lines if line and len(parts := line.split("\t")) > 1 and all(parts)]


@pytest.mark.shared
@pytest.mark.spark
def test_reported_graphs(spark: SparkSession, shared: Path) -> None:
    cases = shared / "cases/graph"
    # Vertices are the given ones, else all ends of edges; G06 has edges to titles that are no vertex.
    inputs = {
        "G01": (None, read_edges(cases / "G01/edges.tsv")),
        "G02": (cases / "G02/vertices.tsv", read_edges(cases / "G02/edges.tsv")),
        "G06": (cases / "G06/vertices.tsv", read_edges(cases / "G06/edges.tsv")),
        "G13": (None, read_edges(shared / "cases-real/graphs/danker-test.links", has_header=False)),
    }
    ids: dict[tuple[str, str], int] = {}
    nodes, edges = [], []
    for case, (vertices, pairs) in inputs.items():
        ends = [end for pair in pairs for end in pair]
        for title in ends:
            ids.setdefault((case, title), len(ids))
        given = vertices.read_text().splitlines()[1:] if vertices else sorted(set(ends))
        nodes += [ids.setdefault((case, title), len(ids)) for title in given]
        edges += [(ids[case, src], ids[case, dst]) for src, dst in pairs]
    articles, links = tables(spark, nodes, edges)
    ranks, _ = pagerank_from_links(articles, links, PageRankParams(max_iterations=100))
    found = {row.page_id: row for row in ranks.collect()}
    for case in inputs:
        expected = json.loads((cases / case / "expected.json").read_text())
        wanted = expected["pagerank_alpha_0.85"]
        part = {title: node for (of, title), node in ids.items() if of == case and node in found}
        assert len(part) == expected.get("n_rows", len(wanted))
        shares = within(part.values(), found)
        tolerance = expected.get("tol", 1e-6)
        assert {title: shares[node] for title, node in part.items()} == pytest.approx(wanted, abs=tolerance)
