"""Ways in which dumps went wrong for others, from the reference collections."""

import json
import logging
from pathlib import Path

import pytest
from test_reader import read_all

from wikisearch.dump.reader import PAGE, REJECT, SPLIT
from wikisearch.errors import InputError

pytestmark = pytest.mark.shared


def _case(shared: Path, name: str) -> tuple[Path, dict]:
    folder = shared / "cases" / "dump" / name
    return folder, json.loads((folder / "expected.json").read_text())


def _pages(path: Path, num_splits: int = 3) -> list[dict]:
    return [row for row in read_all([str(path)], num_splits) if row["kind"] == PAGE]


@pytest.mark.parametrize("name", ["D01", "D02", "D03", "D08"])
def test_fields_of_pages(shared: Path, name: str) -> None:
    folder, expected = _case(shared, name)
    found = {row["page_id"]: row for row in _pages(folder / "input.xml")}
    assert sorted(found) == sorted(wanted["id"] for wanted in expected["pages"])
    for wanted in expected["pages"]:
        row = found[wanted["id"]]
        text = row["wikitext"]
        assert row["title"] == wanted.get("title", row["title"])
        assert row["revision_id"] == wanted.get("rev_id", row["revision_id"])
        assert text == wanted.get("text", text)
        assert wanted.get("text_contains", "") in (text or "")
        assert not any(word in (text or "") for word in wanted.get("text_must_not_contain", []))
        if wanted.get("text_blank"):
            assert text is not None
            assert text.strip() == ""


def test_old_dump_without_namespaces(shared: Path) -> None:
    folder, expected = _case(shared, "D04")
    found = {row["title"]: row["namespace"] for row in _pages(folder / "input.xml")}
    assert {title for title, namespace in found.items() if namespace == 0} == set(expected["ns0_titles"])
    assert {title: namespace for title, namespace in found.items() if namespace} == expected["other_ns"]


def test_a_cut_dump_gives_its_whole_pages_and_says_that_it_is_cut(shared: Path) -> None:
    folder, expected = _case(shared, "D09")
    for num_splits in (1, 5):
        records = read_all([str(folder / "input.xml")], num_splits)
        pages = [row for row in records if row["kind"] == PAGE]
        assert len(pages) == expected["complete_pages_before_cut"]
        rejects = [(row["reason"], row["title"]) for row in records if row["kind"] == REJECT]
        assert rejects == [("truncated", expected["must_not_emit_partial_page_title"])]
        assert sum(row["num_open_roots"] for row in records if row["kind"] == SPLIT) == 1


def test_a_bz2_cut_in_its_first_block_is_refused(shared: Path) -> None:
    folder, _ = _case(shared, "D09")
    with pytest.raises(InputError, match=r"truncated\.xml\.bz2': .*downloaded whole"):
        read_all([str(folder / "truncated.xml.bz2")], 2)


def test_streams_and_bounds_of_splits(shared: Path) -> None:
    folder, expected = _case(shared, "D10")
    pages = _pages(folder / "input-multistream.xml.bz2", 6)
    assert [row["page_id"] for row in pages] == list(range(expected["first_id"], expected["last_id"] + 1))
    folder, expected = _case(shared, "D11")
    for num_splits in (1, 8, 30):
        pages = _pages(folder / "input.xml", num_splits)
        assert (len(pages), len({row["page_id"] for row in pages})) == (
            expected["pages"],
            expected["distinct_ids"],
        )
        assert min(len(row["wikitext"]) for row in pages) >= expected["text_chars_each_min"]


@pytest.mark.parametrize(
    "path",
    [
        "D15/enwiki-latest.xml.bz2",
        "D15/empty.xml",
        "D17/dump.xml.7z",
    ],
)
def test_what_is_no_dump_is_refused(shared: Path, path: str) -> None:
    with pytest.raises(InputError, match=Path(path).name):
        read_all([str(shared / "cases" / "dump" / path)], 1)


@pytest.mark.parametrize("name", ["really-xml.bz2", "really-bz2.xml", "really-gzip.xml.bz2"])
def test_a_misnamed_dump_is_read_and_its_name_is_told(
    shared: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    path = shared / "cases" / "dump" / "D17" / name
    with caplog.at_level(logging.WARNING, logger="wikisearch"):
        assert len(_pages(path)) == 1
    assert f"{name}': is " in caplog.text
    assert "as its name says" in caplog.text
