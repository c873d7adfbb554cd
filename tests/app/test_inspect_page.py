"""The page inspector, run as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from text.test_cases import load_checker
from wikisearch.app.inspect_page import inspected
from wikisearch.app.wiki_facts import interwiki_from, namespaces_from
from wikisearch.errors import InputError
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import WikitextParams, scan

REPOSITORY = Path(__file__).parents[2]


def run(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "lib"), "LC_ALL": "C"}
    command = [sys.executable, "-m", "wikisearch.app.inspect_page", *words]
    return subprocess.run(command, input=stdin, env=environment, capture_output=True, check=False)


def shown(ended: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    assert ended.returncode == 0, ended.stderr.decode()
    assert ended.stderr == b""
    found = json.loads(ended.stdout.decode("utf-8"))
    assert isinstance(found, dict)
    return found


def test_a_page_of_a_wiki_with_names_of_its_own(tmp_path: Path) -> None:
    page = tmp_path / "page.wikitext"
    page.write_bytes(
        "\ufeff[[Akte:Lampe.png|mini|Eine [[Öllampe]]]]\r\nDie '''Lampe''' ist ein [[licht]]er [[Körper]]. "
        "Sie [[xq:Lamp|leuchtet]].\n\n[[Fach:Gerät]] [[fr:Lampe]]".encode()
    )
    names = tmp_path / "namespaces.json"
    names.write_text('{"6": ["Datei", "Akte"], "14": "Fach"}', encoding="utf-8")
    prefixes = tmp_path / "interwiki.json"
    prefixes.write_text('["xq", "fr"]', encoding="utf-8")
    words = ["--title", "Lampe", "--language", "de", "--namespaces", str(names), "--interwiki", str(prefixes)]
    found = shown(run(*words, str(page)))
    assert found["text"] == "Die Lampe ist ein lichter Körper. Sie leuchtet."
    assert found["first_sentence"] == "Die Lampe ist ein lichter Körper."
    assert found["sentences"] == ["Die Lampe ist ein lichter Körper.", "Sie leuchtet."]
    assert found["links"] == ["Öllampe", "Licht", "Körper"]
    assert found["first_sentence_links"] == ["Licht", "Körper"]
    assert found["anchors"] == [["Öllampe", "Öllampe"], ["Licht", "lichter"], ["Körper", "Körper"]]
    assert found["categories"] == ["Gerät"]
    assert (found["is_redirect"], found["redirect_target"], found["is_disambiguation"]) == (False, None, False)


def test_standard_input_redirects_and_parameters() -> None:
    found = shown(run("-", stdin=b"#REDIRECT [[lamp_guild#Origins]]"))
    assert (found["is_redirect"], found["redirect_target"], found["text"]) == (True, "Lamp guild", "")
    table = b"== H ==\n{|\n| a || [[b]]\n|}\n{{disambiguation}}"
    assert shown(run("-", stdin=table))["text"] == "H"
    found = shown(run("--keep-tables", "--no-keep-headings", "-", stdin=table))
    assert (found["text"], found["is_disambiguation"]) == ("a\tb", True)
    assert shown(run("--case-sensitive", "-", stdin=b"[[lamp]]"))["links"] == ["lamp"]


def test_what_cannot_be_used_is_told_in_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[1, {", encoding="utf-8")
    for words, stdin, code, said in [
        (["-"], b"\xff\xfe", 1, "inspect_page: error: standard input: is not UTF-8 (byte 0)"),
        ([str(tmp_path / "none")], b"", 1, "cannot be read: No such file"),
        ([str(tmp_path)], b"", 1, "cannot be read: Is a directory"),
        (["--namespaces", str(bad), "-"], b"", 1, "bad.json: is no JSON"),
        (["--language", "no such", "-"], b"", 2, "is no language code"),
    ]:
        ended = run(*words, stdin=stdin)
        assert (ended.returncode, ended.stdout) == (code, b"")
        (line,) = ended.stderr.decode().splitlines()
        assert said in line
    assert run().returncode == 2
    assert run("--no-such-flag", "-").returncode == 2
    ended = run("--help")
    assert ended.returncode == 0
    for flag in ("--title", "--language", "--namespaces", "--interwiki", "--keep-tables", "--keep-headings"):
        assert flag in ended.stdout.decode()


def test_names_and_prefixes_in_all_their_forms() -> None:
    answer = {
        "query": {
            "namespaces": {"6": {"id": 6, "*": "Datei", "canonical": "File"}, "0": {"id": 0, "*": ""}},
            "namespacealiases": [{"id": 6, "*": "Bild"}, {"id": 7, "alias": "Bildrede"}],
            "interwikimap": [{"prefix": "FR", "language": "français"}, {"prefix": "wikt"}],
        }
    }
    assert namespaces_from(answer) == ({6: "Datei", 0: ""}, {"File": 6, "Bild": 6, "Bildrede": 7})
    assert interwiki_from(answer) == {"fr": True, "wikt": False}
    assert namespaces_from({"100": "Portal"}) == ({100: "Portal"}, {})
    assert interwiki_from({"qq": True, "fr": False, "de": None}) == {"qq": True, "fr": False, "de": True}
    for wrong in ([], {"a": "b"}, 5):
        with pytest.raises(InputError):
            namespaces_from(wrong)
    for wrong in ([5], 5, [{}], "fr"):
        with pytest.raises(InputError):
            interwiki_from(wrong)


def test_the_inspector_shows_what_the_rules_say() -> None:
    site, wikitext = Site("en", False, {}), "A '''lamp''' of [[oil]]. It [[burn]]s.\n\n[[Category:Lamps]]"
    article = scan(wikitext, "Lamp", site)
    found = inspected(wikitext, "Lamp", site, WikitextParams())
    assert (found["text"], found["first_sentence"]) == (article.text, article.first_sentence)
    assert found["links"] == [mention.target_title for mention in article.mentions]


@pytest.mark.shared
def test_a_reported_case_as_a_user_checks_it(shared: Path) -> None:
    folder = shared / "cases/wikitext/W03"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    words = ["--title", expected["title"], "--language", expected["lang"]]
    found = shown(run(*words, "--namespaces", str(folder / "namespaces.json"), str(folder / "input.wikitext")))
    assert load_checker(shared / "cases").check(expected, found) == []
    folder = shared / "cases/wikitext/W05"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    words = ["--title", expected["title"], "--interwiki", str(folder / "interwiki.json")]
    assert load_checker(shared / "cases").check(expected, shown(run(*words, str(folder / "input.wikitext")))) == []
