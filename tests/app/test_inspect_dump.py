import json
from pathlib import Path

import pytest

from dump.dump_makers import dump, page, random_pages, revision, write
from wikisearch.app import inspect_dump

NO_FILE = "inspect_dump: error: dump 'none.xml': no such file; check the path given with --dump\n"


def _told(capsys: pytest.CaptureFixture[str], *words: object) -> dict:
    assert inspect_dump.main([str(word) for word in words]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def test_what_a_dump_says_and_what_would_be_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = [
        page(1, "Lamp œ", revision("old", 5, "2020-01-01T00:00:00Z"), revision("a lamp", 6)),
        page(2, "Lampe", revision("#REDIRECT [[Lamp]]", 8), more='<redirect title="Lamp" />'),
        page(3, "Module:Lamp", "<revision><model>Scribunto</model><text>x</text></revision>", namespace=828),
        page(4, "Gone", revision(None)),
        page("no", "Bad", revision("x")),
        "<page><title>Cut",
    ]
    path = write(tmp_path, "xxwiki-20240601", dump(*pages), "zst")
    told = _told(capsys, path, "--shown", 1)
    assert told["files"] == [{"path": path, "format": "zstd", "num_bytes": Path(path).stat().st_size}]
    assert told["site"] == {
        "wiki": "xxwiki",
        "language": "en",
        "dump_date": "2024-06-01",
        "generator": "MediaWiki 1.0",
        "schema_version": "0.10",
        "case_rule": "first-letter",
        "base_url": "http://xx.wikipedia.org/wiki/Main_Page",
    }
    assert told["namespaces"]["0"] == {"name": "", "num_pages": 3}
    assert told["namespaces"]["14"] == {"name": "Category", "num_pages": 0}
    assert told["namespaces"]["828"] == {"name": None, "num_pages": 1}
    assert told["is_read_to_its_end"] is True
    assert told["counts"] == {
        "num_page_starts": 6,
        "num_pages": 4,
        "num_redirects": 1,
        "num_without_text": 1,
        "num_older_revisions": 1,
        "num_rejects": 2,
    }
    assert told["pages_by_model"] == {"wikitext": 3, "Scribunto": 1}
    assert told["first_pages"] == [
        {
            "page_id": 1,
            "namespace": 0,
            "title": "Lamp œ",
            "revision_id": 6,
            "revised_at": "2024-05-01T00:00:00+00:00",
            "model": "wikitext",
            "redirect_title": None,
            "num_chars": 6,
        }
    ]
    assert told["rejects_by_reason"] == {"bad_page_id": 1, "truncated": 1}
    (reject,) = told["first_rejects"]
    assert (reject["source"], reject["title"], reject["reason"]) == (path, "Bad", "bad_page_id")
    assert told["faults"] == []


def test_a_limit_reads_no_further_and_a_cut_dump_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = dump(*random_pages(1, 40))
    path = write(tmp_path, "cut", data[:-30], "bz2")
    told = _told(capsys, path, "--limit", 7)
    assert (told["counts"]["num_pages"], told["is_read_to_its_end"], told["faults"]) == (7, False, [])
    told = _told(capsys, path)
    assert told["is_read_to_its_end"] is True
    assert told["faults"] == [f"dump '{path}': is cut off: it ends before </mediawiki>"]
    packed = Path(write(tmp_path, "packed", data, "xz"))
    packed.write_bytes(packed.read_bytes()[:-20])
    assert f"dump '{packed}': is cut off: it ends inside its xz data" in _told(capsys, packed)["faults"]


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["none.xml"], 1, NO_FILE),
        (["x", "--limit", "0"], 2, "inspect_dump: error: --limit 0: must be at least 1\n"),
        (["x", "--shown", "-1"], 2, "inspect_dump: error: --shown -1: must be at least 0\n"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: list[str], code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspect_dump.main(words) == code
    assert capsys.readouterr() == ("", line)


def test_help_and_wrong_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect_dump.main(["--help"]) == 0
    assert "what would be rejected" in capsys.readouterr().out
    assert inspect_dump.main(["--limits", "3"]) == 2
    assert inspect_dump.main([]) == 2
