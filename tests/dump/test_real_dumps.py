"""Real dumps of export schemas 0.3 to 0.11, page by page as lxml reads them, and the counts noted for some."""

import bz2
import gzip
import io
import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from dump_makers import digest
from lxml import etree
from test_reader import pages_of, read_all

from wikisearch.dump.files import find_dump_files
from wikisearch.dump.reader import PAGE, SPLIT
from wikisearch.dump.siteinfo import read_siteinfo

pytestmark = pytest.mark.shared

# Path: pages, by namespace where the dump says so, redirect elements, version of the schema.
DUMPS: dict[str, tuple[int, dict[int, int] | None, int, str]] = {
    "cases-real/dumps/gensim-enwiki-shortened.xml.bz2": (206, {0: 205, 4: 1}, 100, "0.10"),
    "cases-real/dumps/gensim-enwiki-table-markup.xml.bz2": (5, {0: 5}, 0, "0.10"),
    "cases-real/dumps/gensim-testcorpus.xml.bz2": (9, {0: 9}, 0, "0.10"),
    "cases-real/dumps/json-wikipedia-enwiki-small.xml.bz2": (3, None, 0, "0.5"),
    "cases-real/dumps/json-wikipedia-itwiki-small.xml.gz": (
        747, {0: 672, 1: 33, 2: 20, 3: 14, 4: 3, 5: 1, 12: 1, 13: 2, 15: 1}, 65, "0.8",
    ),
    "cases-real/dumps/json-wikipedia-itwiki-categories.xml.gz": (34_738, {14: 34_738}, 0, "0.8"),
    "data/enwik8/enwiki-20060303-top200.xml.bz2": (324, None, 0, "0.3"),
    "data/aawiki_2026/aawiki-20260101-pages-meta-current.xml.bz2": (507, None, 0, "0.11"),
    "data/ltgwiki_complete/smallwiki-latest-pages-articles.xml.bz2": (2004, None, 0, "0.10"),
    "data/nwtgck_enwiki/wikidump.xml": (85, {0: 85}, 67, "0.10"),
}  # fmt: skip


def _oracle(data: bytes) -> tuple[list[tuple[int, str, str]], Counter[int], int]:
    """Pages as `pages_of` gives them, pages by namespace, and redirect elements, as lxml reads them."""
    pages, namespaces, num_redirects = [], Counter[int](), 0
    for _, element in etree.iterparse(io.BytesIO(data), tag="{*}page", huge_tree=True):
        text = element.findtext("{*}revision/{*}text") or ""
        pages.append((int(element.findtext("{*}id")), element.findtext("{*}title").strip(), digest(text)))
        if element.find("{*}ns") is not None:
            namespaces[int(element.findtext("{*}ns"))] += 1
        num_redirects += element.find("{*}redirect") is not None
        element.clear()
    return pages, namespaces, num_redirects


def _check(path: Path, data: bytes) -> tuple[list[dict[str, Any]], Counter[int], int]:
    """Reads a dump in five splits; every page must be lxml's. What else lxml counted comes back."""
    wanted, namespaces, num_redirects = _oracle(data)
    records = read_all([str(path)], 5)
    assert pages_of(records) == wanted
    splits = [row for row in records if row["kind"] == SPLIT]
    assert len(records) == len(splits) + len(wanted), "no reject"
    assert sum(row["num_page_starts"] for row in splits) == len(wanted)
    found = Counter(row["namespace"] for row in records if row["kind"] == PAGE)
    assert not namespaces or found == namespaces
    return records, namespaces, num_redirects


@pytest.mark.parametrize("name", DUMPS)
def test_real_dumps(shared: Path, name: str) -> None:
    num_pages, namespaces, num_redirects, version = DUMPS[name]
    path = shared / name
    opened: Any = {".bz2": bz2.open, ".gz": gzip.open}.get(path.suffix, open)
    with opened(path, "rb") as file:
        records, counted, num_elements = _check(path, file.read())
    assert len(pages_of(records)) == num_pages
    assert namespaces in (None, counted)
    found = sum(row.get("redirect_title") is not None for row in records)
    # What no element says, the text does: dumps before 2012, and pages whose dump leaves it out.
    assert num_elements in (0, found)
    assert num_redirects in (0, num_elements)
    assert read_siteinfo(find_dump_files([str(path)])[0]).schema_version == version


def test_a_page_or_so_of_each_of_170_wikis(shared: Path, tmp_path: Path) -> None:
    num_dumps = num_pages = 0
    with tarfile.open(shared / "data/dbpedia_minidumps/minidumps.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None or not member.name.endswith(".bz2"):
                continue
            data = file.read()
            path = tmp_path / member.name.replace("/", "-")
            path.write_bytes(data)
            records, _, _ = _check(path, bz2.decompress(data))
            num_pages += len(pages_of(records))
            num_dumps += 1
    assert num_dumps > 160
    assert num_pages > 200


def test_the_counts_that_were_reported(shared: Path) -> None:
    listed = json.loads((shared / "cases/dump/D16/files.json").read_text(encoding="utf-8"))
    for path, wanted in listed.items():
        num_pages, namespaces, num_redirects, _ = DUMPS[path]
        assert num_pages == wanted["pages"]
        if wanted.get("ns"):
            assert namespaces == {int(key): count for key, count in wanted["ns"].items()}
        assert num_redirects == wanted.get("redirect_elements", num_redirects)
