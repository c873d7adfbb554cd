"""The whole plan over the sample wiki: what each table holds, what a refresh does again, what comes out of it."""

import json
from collections import defaultdict
from pathlib import Path

import networkx
import pytest
import pytrec_eval
from job_commands import SAMPLE, SNAPSHOT, STEP_TABLES, Ended, run_job, run_refresh
from lxml import etree
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sample.sample_words import HUBS
from wikisearch.app.store import Store
from wikisearch.schemas import TABLES

pytestmark = pytest.mark.spark

XML = "{http://www.mediawiki.org/xml/export-0.11/}"
STEPS = {
    "parse_dump", "extract_articles", "resolve_links", "compute_pagerank", "build_collection", "build_index",
    "retrieve_bm25", "retrieve_tfidf", "evaluate_runs", "compare_systems",
}  # fmt: skip
# Our spelling: trec_eval's name.
MEASURES = {
    "AP": "map", "RR": "recip_rank", "R@100": "recall_100",
    **{f"P@{k}": f"P_{k}" for k in (5, 10, 20)}, **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (5, 10, 20)},
}  # fmt: skip


@pytest.fixture(scope="module")
def store(spark: SparkSession, sample_root: Path) -> Store:
    return Store(spark, str(sample_root))


def versions(spark: SparkSession, root: Path, snapshot: str) -> dict[tuple[str, str | None], int]:
    """Versions of the published tables by table and slice."""
    entries = Store(spark, str(root)).effective(snapshot, published_only=True)
    return {place: entry.version for place, entry in entries.items()}


def log_of(root: Path, snapshot: str, step: str) -> str:
    return (root / "logs" / snapshot / f"{step}.log").read_text(encoding="utf-8")


# --- what the tables hold ---------------------------------------------------------------------------------


def test_the_refresh_tells_what_it_did(first_refresh: tuple[Path, Ended]) -> None:
    root, ended = first_refresh
    assert ended.err == ""
    assert ended.states() == dict.fromkeys(STEPS, "done")
    assert "0 page_rejects, 89 pages, 1 sites" in ended.out
    assert f"snapshot {SNAPSHOT} published: 10 steps done, 0 fresh" in ended.out
    report = json.loads((root / "report" / "report.json").read_text(encoding="utf-8"))
    assert SNAPSHOT in json.dumps(report)
    assert "<html" in (root / "report" / "report.html").read_text(encoding="utf-8")


def test_entries_say_where_each_table_comes_from(store: Store) -> None:
    entries = store.effective(SNAPSHOT, published_only=True)
    wanted = {(table, None) for tables in STEP_TABLES.values() for table in tables if not TABLES[table].slices}
    by_system = [table for table in TABLES if TABLES[table].slices == "system"]
    wanted |= {(table, system) for table in by_system for system in ("bm25", "tfidf")}
    wanted |= {("comparisons", "bm25")}
    assert set(entries) == wanted
    assert len(store.entries()) == len(wanted), "nothing is left staged"
    for entry in entries.values():
        assert entry.table in STEP_TABLES[entry.job]
        assert len(entry.fingerprint) == 64
        assert entry.seconds > 0
    inputs = json.loads(entries["pagerank", None].inputs)
    assert inputs == {table: entries[table, None].version for table in ("articles", "links")}
    assert list(json.loads(entries["pages", None].inputs)["external"]) == [str(SAMPLE)]


def test_pages_are_those_of_the_dump(store: Store) -> None:
    expected = {}
    for page in etree.parse(str(SAMPLE)).iterfind(f"{XML}page"):
        text = page.find(f"{XML}revision/{XML}text")
        expected[int(page.findtext(f"{XML}id"))] = (
            page.findtext(f"{XML}title"),
            int(page.findtext(f"{XML}ns")),
            int(page.findtext(f"{XML}revision/{XML}id")),
            None if text.get("deleted") else text.text or "",
        )
    rows = store.read("pages").select("page_id", "title", "namespace", "revision_id", "wikitext").collect()
    assert {row[0]: tuple(row[1:]) for row in rows} == expected
    assert len(rows) == len(expected) == 89
    assert [row["title"] for row in rows if row["wikitext"] is None] == ["Gone Page"]
    assert store.read("page_rejects").count() == 0
    (site,) = store.read("sites").collect()
    assert (site["wiki"], site["language"], site["dump_date"]) == ("samplewiki", "en", "2026-01-01")
    assert site["source_files"][0]["num_bytes"] == SAMPLE.stat().st_size


def test_articles(store: Store) -> None:
    facts = json.loads(store.effective(SNAPSHOT)["articles", None].facts)
    counts = {name: facts[name] for name in facts if not name.startswith("peak_")}
    assert counts == {
        "articles": 69, "deleted": 1, "other_models": 0, "other_namespaces": 8, "redirects": 11,
    }  # fmt: skip
    articles = {row["title"]: row for row in store.read("articles").collect()}
    assert len(articles) == 69
    assert [title for title, row in articles.items() if row["is_disambiguation"]] == ["Ossel (disambiguation)"]
    assert articles["Blank Page"]["text"] == articles["Blank Page"]["first_sentence"] == ""
    thimble = articles["Thimble"]
    assert thimble["text"] == "A thimble is small. It has no moth."
    assert thimble["first_sentence"] == "A thimble is small."
    assert [mention.asDict() for mention in thimble["mentions"]] == [
        {"target_title": "Copper moth", "anchor": "moth", "position": 30, "is_in_first_sentence": False}
    ]
    for row in articles.values():
        assert not any(mark in row["text"] for mark in ("[[", "{{", "<ref", "'''")), row["title"]
        for mention in row["mentions"]:
            if mention["position"] >= 0:
                assert row["text"][mention["position"] :].startswith(mention["anchor"])


def test_redirects_and_links(store: Store) -> None:
    redirects = {row["from_title"]: row for row in store.read("redirects").collect()}
    found = {title: (row["target_title"], row["num_hops"], row["status"]) for title, row in redirects.items()}
    assert found == {
        "Tarn-boat": ("Tarn boat", 1, "resolved"),
        "Tarnboat": ("Tarn boat", 2, "resolved"),
        "Ossel": ("River Ossel", 1, "resolved"),
        "Bridges of the Ossel": ("River Ossel", 1, "resolved"),
        "Guild of Salt": ("Salt guild", 1, "resolved"),
        "Left Stair": ("Right Stair", 2, "cycle"),
        "Right Stair": ("Left Stair", 2, "cycle"),
        "Turning Stair": ("Turning Stair", 1, "cycle"),
        "Grey Ledger": ("Ledger of Greymoor", 1, "missing"),
        "Quill rules": ("Samplewiki:Rules", 1, "missing"),
        "Ooze": ("Long Thaw", 1, "resolved"),
    }
    assert all((row["target_id"] is None) == (row["status"] != "resolved") for row in redirects.values())

    # Each link again from the mentions, through the redirects, by hand.
    articles = {row["title"]: row for row in store.read("articles").collect()}
    links: dict[tuple[int, int], list[tuple[int, bool]]] = defaultdict(list)
    missing: dict[str, int] = defaultdict(int)
    for row in articles.values():
        for mention in row["mentions"]:
            title = mention["target_title"]
            redirect = redirects.get(title)
            if title in articles:
                target = articles[title]["page_id"]
            elif redirect is not None and redirect["target_id"] is not None:
                target = redirect["target_id"]
            else:
                missing[title] += 1
                continue
            if target != row["page_id"]:
                links[row["page_id"], target].append((mention["position"], mention["is_in_first_sentence"]))
    stored = {tuple(row[:2]): tuple(row[2:]) for row in store.read("links").collect()}
    assert stored == {
        pair: (
            len(mentions),
            min((position for position, _ in mentions if position >= 0), default=-1),
            any(is_first for _, is_first in mentions),
        )
        for pair, mentions in links.items()
    }
    assert len(stored) == 246
    assert dict(store.read("missing_links").collect()) == missing
    assert missing["Nowhere Yet"] == 2


def test_pagerank(store: Store) -> None:
    graph = networkx.DiGraph([tuple(row) for row in store.read("links").select("src_id", "dst_id").collect()])
    graph.add_nodes_from(row[0] for row in store.read("articles").select("page_id").collect())
    expected = networkx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000)
    rows = {row["page_id"]: row for row in store.read("pagerank").collect()}
    assert rows.keys() == expected.keys()
    assert abs(sum(row["pagerank"] for row in rows.values()) - 1) < 1e-9
    for page_id, row in rows.items():
        assert row["pagerank"] == pytest.approx(expected[page_id], abs=1e-6)
        assert (row["in_degree"], row["out_degree"]) == (graph.in_degree(page_id), graph.out_degree(page_id))


def test_the_collection(store: Store) -> None:
    articles = {row["page_id"]: row for row in store.read("articles").collect()}
    documents = {row["doc_id"]: row for row in store.read("documents").collect()}
    short = {articles[page_id]["title"] for page_id in articles if str(page_id) not in documents}
    assert short == {"Ossel (disambiguation)", "Thimble", "Blank Page"}
    assert all(row["num_words"] == len(row["text"].split()) >= 200 for row in documents.values())

    queries = {row["query_id"]: row for row in store.read("queries").collect()}
    assert {row["text"] for row in queries.values()} == {hub[0] for hub in HUBS}
    splits = [row["split"] for row in queries.values()]
    assert {split: splits.count(split) for split in splits} == {"training": 13, "validation": 2, "test": 2}

    qrels = {(row["query_id"], row["doc_id"]): row for row in store.read("qrels").collect()}
    expected = {(query, query): 2 for query in queries}
    for row in store.read("links").where("is_in_first_sentence").collect():
        if str(row["dst_id"]) in queries and str(row["src_id"]) in documents:
            expected[str(row["dst_id"]), str(row["src_id"])] = 1
    assert {pair: row["relevance"] for pair, row in qrels.items()} == expected
    assert all(row["split"] == queries[query]["split"] for (query, _), row in qrels.items())
    for query, row in queries.items():
        assert row["num_relevant"] == sum(pair[0] == query for pair in qrels)


def test_the_index_adds_up(store: Store) -> None:
    postings = store.read("postings")
    counted = postings.groupBy("term").agg(
        F.sum(F.size("doc_ids")).alias("df"),
        F.sum(F.aggregate("tfs", F.lit(0), lambda total, tf: total + tf)).alias("cf"),
    )
    lexicon = sorted(tuple(row) for row in store.read("lexicon").collect())
    assert sorted(tuple(row) for row in counted.collect()) == lexicon
    assert len(lexicon) > 500
    lengths = {row["doc_id"]: row["doc_len"] for row in store.read("doc_stats").collect()}
    assert len(lengths) == 66
    assert sum(lengths.values()) == sum(cf for _, _, cf in lexicon)
    (stats,) = store.read("corpus_stats").collect()
    assert (stats["num_docs"], stats["num_terms"]) == (66, len(lexicon))
    assert stats["avg_doc_len"] == pytest.approx(sum(lengths.values()) / 66)


def test_runs_are_ranked_by_score_then_document(store: Store) -> None:
    splits = dict(store.read("queries").select("query_id", "split").collect())
    lists = defaultdict(list)
    for row in store.read("runs").collect():
        assert row["split"] == splits[row["query_id"]]
        lists[row["system"], row["query_id"]].append((row["rank"], row["score"], row["doc_id"]))
    assert set(lists) == {(system, query) for system in ("bm25", "tfidf") for query in splits}
    for (_, query), listed in lists.items():
        listed.sort()
        assert [rank for rank, _, _ in listed] == list(range(1, len(listed) + 1))
        keys = [(score, doc_id) for _, score, doc_id in listed]
        assert keys == sorted(keys, reverse=True), "document ids are ASCII: compared as bytes"
        assert all(score > 0 for score, _ in keys)
        assert query in [doc_id for _, doc_id in keys], "a hub's own article has the words of its title"


# --- what a refresh does again ----------------------------------------------------------------------------


def test_a_second_refresh_does_nothing_and_a_new_snapshot_takes_all(spark: SparkSession, root_copy: Path) -> None:
    before = Store(spark, str(root_copy)).entries()
    again = run_refresh(root_copy, SNAPSHOT)
    assert (again.code, again.err) == (0, "")
    assert again.states() == dict.fromkeys(STEPS, "fresh")
    assert "nothing to do, all steps are fresh" in again.out
    assert Store(spark, str(root_copy)).entries() == before

    newer = run_refresh(root_copy, "20260201")
    assert (newer.code, newer.err) == (0, "")
    assert newer.states() == dict.fromkeys(STEPS, "fresh")
    assert "snapshot 20260201 published: 0 steps done, 10 fresh" in newer.out
    assert versions(spark, root_copy, "20260201") == versions(spark, root_copy, SNAPSHOT)
    assert Store(spark, str(root_copy)).newest_published() == "20260201"


def test_only_what_depends_on_a_change_or_is_forced_runs_again(
    spark: SparkSession, root_copy: Path, tmp_path: Path
) -> None:
    config = tmp_path / "changed.toml"
    config.write_text("[compute_pagerank]\nmax_iterations = 20\n", encoding="utf-8")
    before = versions(spark, root_copy, SNAPSHOT)
    ended = run_refresh(root_copy, SNAPSHOT, "--config", config, "--from", "evaluate_runs")
    assert (ended.code, ended.err) == (0, "")
    done = {step for step, state in ended.states().items() if state == "done"}
    assert done == {"compute_pagerank", "evaluate_runs", "compare_systems"}, "nothing is made of PageRank"
    after = versions(spark, root_copy, SNAPSHOT)
    changed = {place[0] for place in before if after[place] > before[place]}
    assert changed == {"pagerank", "query_metrics", "metrics", "comparisons"}
    assert after.keys() == before.keys()
    entry = Store(spark, str(root_copy)).effective(SNAPSHOT)["pagerank", None]
    assert json.loads(entry.params)["max_iterations"] == 20


def test_a_few_pages_make_a_snapshot_without_queries(spark: SparkSession, tmp_path: Path) -> None:
    root = tmp_path / "root"
    ended = run_refresh(root, "small", "--limit", "10")
    assert (ended.code, ended.err) == (0, "")
    assert ended.states() == dict.fromkeys(STEPS, "done")
    assert "published: 10 steps done" in ended.out
    store = Store(spark, str(root))
    rows = {place: entry.num_rows for place, entry in store.effective("small", published_only=True).items()}
    assert (rows["pages", None], rows["articles", None], rows["queries", None]) == (10, 10, 0)
    assert store.read("runs").count() == store.read("query_metrics").count() == 0
    assert "no query: " in log_of(root, "small", "build_collection")


# --- what comes out of it ---------------------------------------------------------------------------------


def test_exported_lists_have_the_measures_of_trec_eval(store: Store, sample_root: Path, tmp_path: Path) -> None:
    run_path, qrels_path = tmp_path / "bm25.run", tmp_path / "qrels"
    ended = run_job(
        "export_run", "--root", sample_root, "--system", "bm25", "--output", run_path, "--qrels-output", qrels_path
    )
    assert (ended.code, ended.err) == (0, "")
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in run_path.read_text(encoding="utf-8").splitlines():
        query, _, doc_id, rank, score, tag = line.split()
        assert (float(score) > 0, tag) == (True, "bm25")
        # pytrec_eval keeps scores in 32 bits, which makes ties; ranks make none.
        run[query][doc_id] = -float(rank)
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in qrels_path.read_text(encoding="utf-8").splitlines():
        query, _, doc_id, grade = line.split()
        qrels[query][doc_id] = int(grade)
    requested = {"map", "recip_rank", "recall.100", "P.5,10,20", "ndcg_cut.5,10,20"}
    expected = pytrec_eval.RelevanceEvaluator(dict(qrels), requested).evaluate(dict(run))

    values: dict[str, dict[str, float]] = defaultdict(dict)
    for row in store.read("query_metrics").where("system = 'bm25'").collect():
        values[row["measure"]][row["query_id"]] = row["value"]
    assert set(values) == set(MEASURES)
    for measure, by_query in values.items():
        theirs = {query: found[MEASURES[measure]] for query, found in expected.items()}
        assert by_query == pytest.approx(theirs, abs=1e-6), measure
    assert len({round(value, 6) for value in values["nDCG@10"].values()}) > 5


def test_means_are_those_of_their_splits(store: Store) -> None:
    values = defaultdict(list)
    for row in store.read("query_metrics").collect():
        for split in (row["split"], "all"):
            values[row["system"], row["measure"], split].append(row["value"])
    means = {(row["system"], row["measure"], row["split"]): row for row in store.read("metrics").collect()}
    assert means.keys() == values.keys()
    assert len(means) == 2 * len(MEASURES) * 4
    for place, row in means.items():
        assert row["mean"] == pytest.approx(sum(values[place]) / len(values[place]), abs=1e-12)
        assert row["num_queries"] == row["num_queries_in_qrels"] == len(values[place])


def test_an_exported_table_and_an_answer(store: Store, sample_root: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    ended = run_job("export_table", "--root", sample_root, "--table", "queries", "--output", path)
    assert (ended.code, ended.err) == (0, "")
    header, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    assert header == TABLES["queries"].column_names
    rows = store.read("queries").orderBy("query_id").collect()
    assert lines == [[str(value) for value in row] for row in rows]

    asked = run_job("ask", "--root", sample_root, "--query", "the keel of a tarn boat", "--k", "3")
    assert (asked.code, asked.err) == (0, "")
    hits = [line.split() for line in asked.out.splitlines() if line.split()[0] in ("1", "2", "3", "4")]
    assert len(hits) == 3
    assert hits[0][3:] == ["Tarn", "boat"]
    assert "keel" in asked.out
