"""A whole real dump, as `make demo` reads it, against a reference and against oracles.

WIKISEARCH_SOAK_ROOT names a root that holds it already, so that not every try costs a refresh.
"""

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import pytrec_eval
from pyspark.sql import DataFrame, Row, SparkSession

from submit.conftest import submit
from wikisearch.app.store import Entry, Store
from wikisearch.text.stemming import Analyzer

from .conftest import HEAP, LOCAL_CONF, tell
from .link_differences import COMMENT, REFERENCE, Edge, as_markdown, link_differences, right_side
from .scores_oracle import Collection, best

pytestmark = [pytest.mark.soak, pytest.mark.spark]

SNAPSHOT = "20060303"
SYSTEMS = ("bm25", "tfidf")
SUBMIT = ("--properties-file", str(LOCAL_CONF), "--driver-memory", HEAP)
GIB = 2**30


def refresh_words(root: Path, dump: Path) -> tuple[str, ...]:
    """What `make demo` runs."""
    return (
        *("--properties-file", str(LOCAL_CONF), "jobs/refresh.py", "--in-process", "--allow-truncated"),
        *("--config", "conf/local.toml", "--root", str(root), "--snapshot", SNAPSHOT, "--dump", str(dump)),
    )


@pytest.fixture(scope="module")
def root(enwik8: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with the published snapshot of the whole dump."""
    if given := os.environ.get("WIKISEARCH_SOAK_ROOT"):
        return Path(given)
    made = tmp_path_factory.mktemp("enwik8") / "root"
    started = time.monotonic()
    ended = submit(*refresh_words(made, enwik8))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    tell(f"refresh of the whole dump: {time.monotonic() - started:.0f} s\n{ended.stdout}")
    return made


@pytest.fixture(scope="module")
def store(spark: SparkSession, root: Path) -> Store:
    return Store(spark, str(root))


def test_pages_articles_and_the_one_reject(store: Store) -> None:
    pages = store.read("pages").select("page_id")
    assert pages.count() == pages.distinct().count() == 12_346
    assert [row["reason"] for row in store.read("page_rejects").collect()] == ["truncated"]
    assert store.read("articles").count() == 8_589
    assert store.read("queries").count() >= 200


def titles_of(store: Store) -> dict[int, str]:
    return {row["page_id"]: row["title"] for row in store.read("articles").select("page_id", "title").collect()}


@dataclass(frozen=True)
class Graphs:
    """Our edges and the reference's, by title, and where they differ."""

    ours: set[Edge]
    reference: set[Edge]
    differences: dict[tuple[str, str], list[Edge]]


@pytest.fixture(scope="module")
def graphs(store: Store, shared: Path) -> Graphs:
    lines = (shared / "data/enwik8/links.tsv").read_text(encoding="utf-8").splitlines()
    reference = {(source, target) for source, target in (line.split("\t") for line in lines)}
    assert len(reference) == 85_989
    titles = titles_of(store)
    links = store.read("links").select("src_id", "dst_id").collect()
    ours = {(titles[row["src_id"]], titles[row["dst_id"]]) for row in links}
    assert len(ours) == len(links)
    sources = [source for source, _ in ours ^ reference]
    pages = store.read("pages").where("namespace = 0").select("title", "wikitext")
    wikitexts = {row["title"]: row["wikitext"] for row in pages.where(pages.title.isin(sources)).collect()}
    redirects = {row["from_title"]: row["target_title"] for row in store.read("redirects").collect()}
    return Graphs(ours, reference, link_differences(ours, reference, wikitexts, redirects))


@pytest.mark.shared
def test_links_differ_from_the_reference_only_where_it_errs(graphs: Graphs) -> None:
    ours, reference = graphs.ours, graphs.reference
    tell(as_markdown(graphs.differences, len(ours), len(reference)))
    assert abs(len(ours) - len(reference)) <= 0.005 * len(reference)
    assert len(ours ^ reference) <= 0.005 * len(reference)
    for (side, kind), edges in graphs.differences.items():
        assert right_side(side, kind) == "ours", (side, kind, edges)


def exact_ranks(titles: Iterable[str], edges: Iterable[Edge]) -> dict[str, float]:
    """PageRank by networkx: the ranks of articles without links go to all."""
    graph = nx.DiGraph()
    graph.add_nodes_from(titles)
    graph.add_edges_from(edges)
    return nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000)


def distance(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """L1 distance of two PageRanks of the same articles."""
    assert one.keys() == other.keys()
    return sum(abs(rank - other[title]) for title, rank in one.items())


@pytest.mark.shared
def test_pagerank_beside_the_reference(store: Store, graphs: Graphs, shared: Path) -> None:
    titles = titles_of(store)
    ranks = {titles[row["page_id"]]: row["pagerank"] for row in store.read("pagerank").collect()}
    lines = (shared / "data/enwik8/pagerank.tsv").read_text(encoding="utf-8").splitlines()
    reference = {title: float(rank) for title, rank in (line.split("\t") for line in lines)}
    assert sum(ranks.values()) == pytest.approx(1, abs=1e-9)
    assert sorted(ranks, key=lambda title: -ranks[title])[:3] == ["France", "Germany", "Europe"]
    assert distance(ranks, exact_ranks(reference, graphs.ours)) <= 1e-5
    # The reference also follows the links that stand in comments; with them both are one to within 1e-3.
    commented = graphs.differences.get((REFERENCE, COMMENT), [])
    as_it_links = exact_ranks(reference, graphs.ours | set(commented))
    tell(
        f"PageRank: L1 distance to the reference {distance(ranks, reference):.2e}; "
        f"of our links and those in comments {distance(as_it_links, reference):.2e}"
    )
    assert distance(as_it_links, reference) <= 1e-3
    assert distance(ranks, reference) <= 5e-3


# --- scores -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lists:
    """Both systems' lists, and what they should be made from."""

    collection: Collection
    texts: dict[str, str]
    analyzer: Analyzer
    queries: dict[str, str]
    runs: dict[str, dict[str, list[Row]]]
    params: dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def lists(store: Store) -> Lists:
    (stats,) = store.read("corpus_stats").collect()
    analyzer = Analyzer.from_json(stats["analyzer"])
    texts = dict(store.read("documents").select("doc_id", "text").toPandas().itertuples(index=False))
    runs: dict[str, dict[str, list[Row]]] = {system: {} for system in SYSTEMS}
    for row in store.read("runs").orderBy("system", "query_id", "rank").collect():
        runs[row["system"]].setdefault(row["query_id"], []).append(row)
    entries = store.effective(store.newest_published(), published_only=True).values()
    params = {str(entry.slice): json.loads(entry.params) for entry in entries if entry.table == "runs"}
    queries = {row["query_id"]: row["text"] for row in store.read("queries").collect()}
    return Lists(Collection(texts.items(), analyzer.analyze), texts, analyzer, queries, runs, params)


@pytest.mark.parametrize("system", SYSTEMS)
def test_whole_lists_equal_plain_python(system: str, lists: Lists) -> None:
    params, runs = lists.params[system], lists.runs[system]
    num_rows = 0
    for query_id, text in lists.queries.items():
        if system == "bm25":
            scores = lists.collection.bm25(text, params["k1"], params["b"])
        else:
            scores = lists.collection.tfidf(text)
        wanted, found = best(scores, int(params["k"])), runs.get(query_id, [])
        assert len(found) == len(wanted), query_id
        assert [row["rank"] for row in found] == list(range(1, len(found) + 1))
        order = [(row["score"], row["doc_id"].encode()) for row in found]
        assert order == sorted(order, reverse=True), query_id
        for row, (doc_id, score) in zip(found, wanted, strict=True):
            assert row["score"] == pytest.approx(scores[row["doc_id"]], rel=0, abs=1e-9), (query_id, row)
            # Another document may stand here only if the oracle's own sums tie to the last digits.
            assert row["doc_id"] == doc_id or scores[row["doc_id"]] == pytest.approx(score, rel=0, abs=1e-9)
        num_rows += len(found)
    tell(f"{system}: {num_rows:,} scores of {len(runs)} queries equal the oracle's")
    assert num_rows == sum(map(len, runs.values())) > 10_000


def test_bm25_equals_bm25s(lists: Lists) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s, a further oracle, is not installed")
    params = lists.params["bm25"]
    # Lucene's idf; without the constant factor k1 + 1; in 32 bits.
    model = bm25s.BM25(method="lucene", k1=params["k1"], b=params["b"])
    model.index([lists.analyzer.analyze(text) for text in lists.texts.values()], show_progress=False)
    places = {doc_id: number for number, doc_id in enumerate(lists.texts)}
    for query_id, rows in lists.runs["bm25"].items():
        terms = lists.analyzer.analyze(lists.queries[query_id])
        terms = [term for term in terms if term in lists.collection.postings]
        scores = model.get_scores(terms) * (params["k1"] + 1)
        found = np.array([row["score"] for row in rows])
        assert scores[[places[row["doc_id"]] for row in rows]] == pytest.approx(found, rel=1e-5), query_id
        # Nothing better was left out.
        assert np.sort(scores)[::-1][: len(rows)] == pytest.approx(found, rel=1e-5), query_id


# --- measures ---------------------------------------------------------------------------------------------


def trec_name(measure: str) -> str:
    """trec_eval's name: nDCG@10 is ndcg_cut_10."""
    name, _, cutoff = measure.partition("@")
    known = {"nDCG": "ndcg_cut", "P": "P", "R": "recall", "AP": "map", "RR": "recip_rank"}[name]
    return f"{known}_{cutoff}" if cutoff else known


def nested(path: Path, value: int, number: type) -> dict[str, dict[str, float]]:
    """A TREC file as value by document by query."""
    found: dict[str, dict[str, float]] = {}
    for words in map(str.split, path.read_text(encoding="utf-8").splitlines()):
        found.setdefault(words[0], {})[words[2]] = number(words[value])
    return found


def evaluated(rows: DataFrame) -> dict[tuple[str, str], float]:
    return {(row["query_id"], row["measure"]): row["value"] for row in rows.collect()}


@pytest.mark.parametrize("system", SYSTEMS)
def test_measures_of_the_exported_files_equal_trec_evals(
    system: str, root: Path, store: Store, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    ended = submit(
        *SUBMIT, "jobs/export_run.py", "--root", str(root), "--system", system,
        *("--output", str(run), "--qrels-output", str(qrels)),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    ours = evaluated(store.read("query_metrics").where(f"system = '{system}'"))
    measures = sorted({measure for _, measure in ours})
    judgements = nested(qrels, 3, int)
    asked = pytrec_eval.RelevanceEvaluator(judgements, pytrec_eval.supported_measures)
    theirs = asked.evaluate(nested(run, 4, float))
    means = store.read("metrics").where(f"system = '{system}' AND split = 'all'").collect()
    assert len(ours) == len(judgements) * len(measures)
    for measure in measures:
        name = trec_name(measure)
        wanted = {query_id: theirs.get(query_id, {}).get(name, 0.0) for query_id in judgements}
        for query_id, value in wanted.items():
            assert ours[query_id, measure] == pytest.approx(value, abs=1e-6), (query_id, measure)
        (mean,) = [row["mean"] for row in means if row["measure"] == measure]
        assert mean == pytest.approx(sum(wanted.values()) / len(wanted), abs=1e-6)
    tell(f"{system}: " + ", ".join(f"{row['measure']} {row['mean']:.4f}" for row in means))


# --- how it was made --------------------------------------------------------------------------------------


def test_memory_stays_small(store: Store) -> None:
    entries: list[Entry] = list(store.effective(store.newest_published(), published_only=True).values())
    worker, heap = (
        {
            entry.job: max(json.loads(each.facts)[name] for each in entries if each.job == entry.job)
            for entry in entries
        }
        for name in ("peak_worker_bytes", "peak_heap_bytes")
    )
    for job in worker:
        tell(f"{job}: peak of a Python worker {worker[job] / GIB:.2f} GiB, of the heap {heap[job] / GIB:.2f} GiB")
    assert max(worker.values()) > 0
    assert max(worker.values()) < 2e9


def test_a_second_refresh_does_nothing_in_seconds(root: Path, enwik8: Path) -> None:
    if "WIKISEARCH_SOAK_ROOT" in os.environ:
        pytest.skip("a root that was given may be by other code")
    started = time.monotonic()
    ended = submit(*refresh_words(root, enwik8))
    seconds = time.monotonic() - started
    tell(f"second refresh: {seconds:.1f} s")
    assert ended.returncode == 0, ended.stderr
    assert "nothing to do, all steps are fresh" in ended.stdout
    assert seconds < 30
