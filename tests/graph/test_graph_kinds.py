"""Ways in which link graphs went wrong for others: no checkpoint folder, changing ids, odd titles."""

import json
import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dump.dump_makers import dump, page, revision, write
from graph.test_pagerank import read_edges, tables
from wikisearch.dump.articles import articles_from_pages
from wikisearch.dump.files import find_dump_files
from wikisearch.dump.pages import parsed_dump
from wikisearch.dump.params import DumpParams
from wikisearch.errors import InputError
from wikisearch.exchange.tables import ExportTableParams, export_table
from wikisearch.graph.links import resolved_links
from wikisearch.graph.pagerank import PageRankParams, pagerank_from_links
from wikisearch.graph.redirects import RedirectParams, redirects_from_pages
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams

pytestmark = pytest.mark.spark


@pytest.mark.shared
def test_no_checkpoint_folder_is_needed_and_shuffled_rows_keep_their_ranks(
    spark: SparkSession, shared: Path
) -> None:
    checkpoints = spark.sparkContext._jsc.sc().getCheckpointDir()
    assert checkpoints.isEmpty(), "the job must not rely on one"
    edges = read_edges(shared / "cases/graph/G10/edges.tsv")
    assert edges == read_edges(shared / "cases/graph/G08/edges.tsv")
    titles = sorted({title for edge in edges for title in edge})
    # Page ids as MediaWiki gives them: not dense, not in the order of titles.
    ids = dict(zip(titles, random.Random(4).sample(range(1, 10**9), len(titles)), strict=True))
    random.Random(17).shuffle(edges)
    articles, links = tables(spark, ids.values(), [(ids[src], ids[dst]) for src, dst in edges], 17)
    # No cycle: the ranks are exact as soon as they have gone the longest way.
    ranks, _ = pagerank_from_links(articles, links, PageRankParams(max_iterations=15))
    found = {row.page_id: row.pagerank for row in ranks.collect()}
    wanted = json.loads((shared / "cases/graph/G10/expected.json").read_text())["pagerank_alpha_0.85"]
    assert {title: found[ids[title]] for title in titles} == pytest.approx(wanted, abs=1e-9)
    assert spark.sparkContext._jsc.sc().getCheckpointDir().isEmpty()


ODD_TITLES = [
    "104-2,3,(6),(7)",
    'O\'Lamp "x"',
    "Back\\slash",
    "),(9,0,'Trick',0),(",
    "Lamp; Oil",
    "NULL",
    "日本 (lamp)",
]


def test_titles_that_a_careless_scanner_breaks_come_through(spark: SparkSession, tmp_path: Path) -> None:
    pages = [
        page(number, title, revision(f"A page. See [[{ODD_TITLES[number % len(ODD_TITLES)]}]].", number))
        for number, title in enumerate(ODD_TITLES, start=1)
    ]
    path = write(tmp_path, "odd", dump(*pages), "bz2")
    with parsed_dump(spark, DumpParams(dump=(path,))) as parsed:
        articles = articles_from_pages(parsed.pages, Site("en", False, {}), WikitextParams()).localCheckpoint()
        redirects = redirects_from_pages(parsed.pages, articles, RedirectParams())
        with resolved_links(articles, redirects) as resolved:
            found = sorted((row.src_id, row.dst_id) for row in resolved.links.collect())
            assert resolved.missing_links.count() == 0
    num = len(ODD_TITLES)
    assert found == [(number, number % num + 1) for number in range(1, num + 1)]
    out = tmp_path / "articles.jsonl"
    export_table(articles, ExportTableParams("articles", str(out), "jsonl"))
    assert [json.loads(line)["title"] for line in out.read_text(encoding="utf-8").split("\n")[:-1]] == ODD_TITLES


@pytest.mark.shared
def test_a_table_in_sql_is_no_dump(shared: Path) -> None:
    with pytest.raises(InputError, match=r"xxwiki-page\.sql': is a table in SQL; give a pages-articles file"):
        find_dump_files([str(shared / "cases/graph/G11/xxwiki-page.sql")])
