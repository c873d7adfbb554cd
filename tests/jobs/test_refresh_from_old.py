"""A refresh over the tables of an older dump ends with the tables that a root without any gets."""

import json
from pathlib import Path

import pytest
from job_commands import run_refresh
from pyspark.sql import SparkSession

from dump.dump_makers import dump, page, revision, write
from tables import assert_same_tables
from wikisearch.app.store import Store
from wikisearch.dump.articles import articles_from_pages
from wikisearch.dump.pages import parsed_dump
from wikisearch.dump.params import DumpParams
from wikisearch.graph.links import resolved_links
from wikisearch.graph.redirects import RedirectParams, redirects_from_pages
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams

pytestmark = pytest.mark.spark

OLD = {
    1: ("Tarn", "A '''tarn''' is a [[weir]] of the [[old mill]]."),  # gets other words: statistics of all change
    2: ("Weir", "A '''weir''' holds [[water]]."),
    3: ("Old mill", "An '''old mill''' is a [[tarn]]."),  # is deleted
    4: ("Sluice", "#REDIRECT [[Weir]]"),  # leads elsewhere, so the links of page 5 change, which does not
    5: ("Water", "'''Water''' drives the [[sluice]]."),
    6: ("Category:Mills", "All mills."),  # the only page of its namespace is deleted
}
NEW = {
    1: ("Tarn", "A '''tarn''' is a [[weir]] of the [[old mill]] with oil, oil, oil and [[ford]]."),
    2: OLD[2],
    4: ("Sluice", "#REDIRECT [[Ford]]"),
    5: OLD[5],
    7: ("Ford", "A '''ford''' is a [[sluice]] without water."),  # is new
}


def _dump(folder: Path, name: str, pages: dict[int, tuple[str, str]]) -> Path:
    made = [
        page(n, title, revision(text, 10 * n + len(text)), namespace=14 if ":" in title else 0)
        for n, (title, text) in pages.items()
    ]
    return Path(write(folder, name, dump(*made), "bz2"))


def test_a_refresh_from_old_tables_equals_one_from_none(spark: SparkSession, tmp_path: Path) -> None:
    config = tmp_path / "quick.toml"
    config.write_text("[compute_pagerank]\nmax_iterations = 4\nmax_residual = 1.0\n", encoding="utf-8")
    old, new = _dump(tmp_path, "xxwiki-20240101", OLD), _dump(tmp_path, "xxwiki-20240201", NEW)
    refreshed, full = tmp_path / "refreshed", tmp_path / "full"
    for root, snapshot, given in ((refreshed, "20240101", old), (refreshed, "20240201", new), (full, "x", new)):
        ended = run_refresh(root, snapshot, "--config", config, dump=given)
        assert ended.code == 0, ended.err
    assert_same_tables(spark, str(refreshed), str(full))
    store = Store(spark, str(refreshed))
    assert sorted(row[0] for row in store.read("pages").select("page_id").collect()) == sorted(NEW)
    # Old mill is gone; the sluice leads to the ford, whose own link to it is one to itself.
    links = {tuple(row) for row in store.read("links").select("src_id", "dst_id").collect()}
    assert links == {(1, 2), (1, 7), (2, 5), (5, 7)}
    assert [row["target_title"] for row in store.read("missing_links").collect()] == ["Old mill"]
    before = {tuple(row) for row in store.read("links", "20240101").select("src_id", "dst_id").collect()}
    assert before == {(1, 2), (1, 3), (2, 5), (3, 1), (5, 2)}


@pytest.mark.shared
def test_edges_and_documents_of_the_reported_refreshes(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    def edges_of(case: str, name: str) -> tuple[set[int], list[list[str]]]:
        """Articles and links of a list of pages."""
        listed = json.loads((shared / "cases/refresh" / case / name).read_text(encoding="utf-8"))
        data = dump(*(page(each["id"], each["title"], revision(each["text"], each["rev"])) for each in listed))
        titles = {each["id"]: each["title"] for each in listed}
        with parsed_dump(spark, DumpParams(dump=(write(tmp_path, f"{case}-{name}", data),))) as parsed:
            articles = articles_from_pages(parsed.pages, Site("en", False, {}), WikitextParams()).localCheckpoint()
            redirects = redirects_from_pages(parsed.pages, articles, RedirectParams())
            with resolved_links(articles, redirects) as resolved:
                links = sorted([titles[row.src_id], titles[row.dst_id]] for row in resolved.links.collect())
            return {row.page_id for row in articles.collect()}, links

    expected = {
        case: json.loads((shared / "cases/refresh" / case / "expected.json").read_text())
        for case in ("R01", "R03", "R06")
    }
    documents, links = edges_of("R01", "new.json")
    assert sorted(documents) == expected["R01"]["documents_after"]
    assert not [edge for edge in expected["R01"]["edges_must_not_contain"] if edge in links]
    assert edges_of("R03", "old.json")[1] == expected["R03"]["edges_before"]
    assert edges_of("R03", "new.json")[1] == expected["R03"]["edges_after"]
    with_redirects = json.loads((shared / "cases/refresh/R06/new.json").read_text())
    assert [each["id"] for each in with_redirects] == expected["R06"]["ids_after"]
    assert edges_of("R06", "new.json")[0] == {each["id"] for each in with_redirects if "redirect" not in each}
