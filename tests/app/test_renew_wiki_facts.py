"""Data files are renewed from answers of a wiki's API; the answers here are made up."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from wikisearch.app.renew_wiki_facts import FILES, FOLDER, main, renewed

ANSWER: dict[str, Any] = {
    "query": {
        "general": {
            "linktrail": "/^([a-zëï]+)(.*)$/sDu",
            "linkprefix": "/x/",
            "linkprefixcharset": "a-z\\x{80}-\\x{ff}",
        },
        "namespaces": {"0": {"*": ""}, "6": {"*": "Billed", "canonical": "File"}, "100": {"*": "Hylde"}},
        "namespacealiases": [{"id": 6, "*": "Foto"}],
        "magicwords": [
            {"name": "redirect", "aliases": ["#VIS", "#REDIRECT"]},
            {"name": "notoc", "aliases": ["__INTET_INDHOLD__", "__NOTOC__"]},
            {"name": "nogallery", "aliases": ["＿＿GALLERI＿＿"]},
        ],
        "interwikimap": [{"prefix": "zy", "language": "Zy"}, {"prefix": "shelf"}],
    }
}


def row(text: str, language: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"{language}\t")]


def test_each_file_takes_what_is_its_own() -> None:
    def of(name: str, language: str = "xx") -> list[str]:
        known = "6\tFile" if name == "namespaces.tsv" else "NOTOC REDIRECT"
        text = f"# Words. Renewed 2020-01-01.\n*\t{known}\n"
        made = renewed(text, name, ANSWER, language, "2030-02-03")
        assert made.startswith("# Words. Renewed 2030-02-03.\n*\t")
        return row(made, language)

    assert of("namespaces.tsv") == ["xx\t6\tBilled|File|Foto"]
    assert of("redirect_words.tsv") == ["xx\tVIS"]
    assert of("switches.tsv") == ["xx\tgalleri intet_indhold"]
    assert of("link_trails.tsv") == ["xx\t[a-zëï]*+"]
    assert of("link_prefixes.tsv") == ["xx\ta-z\\U00000080-\\U000000ff"]


def test_words_that_a_wiki_no_longer_knows_stay() -> None:
    text = "# Words. Renewed 2020-01-01.\n*\tREDIRECT\nxx\tSE vis\nyy\tSE\n"
    made = renewed(text, "redirect_words.tsv", ANSWER, "xx", "2030-02-03")
    assert row(made, "xx") == ["xx\tSE vis"]
    assert row(made, "yy") == ["yy\tSE"]


def test_prefixes_of_wikis_come_from_an_english_one() -> None:
    text = "# Renewed 2020-01-01.\nlanguage\tde\nsite\tq\n"
    assert renewed(text, "interwiki.tsv", ANSWER, "xx", "2030-02-03") == text
    made = renewed(text, "interwiki.tsv", ANSWER, "en", "2030-02-03")
    assert made == "# Renewed 2030-02-03.\nlanguage\tde zy\nsite\tq shelf\n"


def test_the_command_renews_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path / name)
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps(ANSWER), encoding="utf-8")
    words = ["--language", "xx", "--file", str(answer), "--folder", str(tmp_path)]
    assert main(words) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [f"{name}: {'as it was' if name == 'interwiki.tsv' else 'renewed'}" for name in FILES]
    for name in FILES:
        before, after = ((folder / name).read_text(encoding="utf-8") for folder in (FOLDER, tmp_path))
        facts = {line for line in before.splitlines() if not line.startswith("#")}  # the head has today's date
        assert facts <= set(after.splitlines())
    assert main(words) == 0
    assert capsys.readouterr().out.count("as it was") == len(FILES)


def test_what_cannot_be_used_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--language", "xx"]) == 2
    assert main(["--language", "x x", "--file", "-"]) == 2
    assert main(["--language", "xx", "--site", "ftp://x"]) == 2
    assert main(["--language", "xx", "--file", str(tmp_path / "none")]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert main(["--help"]) == 0


def test_heads_of_all_data_files_name_source_and_day() -> None:
    for name in FILES:
        lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
        head = "".join(line for line in lines if line[:2] == "# ")
        assert "Renewed 20" in head, name
        assert "facts" in head, name
