"""Failure cases reported by people who do this job, each run through the rules and compared with its outcome."""

import bz2
import csv
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from wikisearch.text.redirects import redirect_target
from wikisearch.text.sentences import sentences
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import Article, scan

# Case id: why it fails. A case that begins to pass, or another that fails, fails the test.
EXPECTED_FAILURES: dict[str, str] = {}


def load_checker(cases: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_case", cases / "check_case.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def produced(article: Article, language: str) -> dict[str, Any]:
    return {
        "text": article.text,
        "links": [mention.target_title for mention in article.mentions],
        "anchors": [[mention.target_title, mention.anchor] for mention in article.mentions],
        "categories": article.categories,
        "first_sentence": article.first_sentence,
        "first_sentence_links": [m.target_title for m in article.mentions if m.is_in_first_sentence],
        "sentences": sentences(article.text, language),
    }


def rows(shared: Path) -> Iterator[tuple[str, Path]]:
    with (shared / "cases" / "INDEX.tsv").open(encoding="utf-8") as index:
        for row in csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["area"] in ("wikitext", "firstsent"):
                yield row["id"], shared / "cases" / row["area"] / row["id"]


def single_case(checker: ModuleType, folder: Path, expected: dict[str, Any]) -> list[str]:
    namespaces: dict[int, str] = {}
    if (folder / "namespaces.json").is_file():
        listed = json.loads((folder / "namespaces.json").read_text(encoding="utf-8"))
        namespaces = {int(number): names[0] for number, names in listed.items()}
    wikitext = (folder / "input.wikitext").read_text(encoding="utf-8")
    article = scan(wikitext, expected["title"], Site(expected["lang"], False, namespaces))
    faults = checker.check(expected, produced(article, expected["lang"]))
    assert isinstance(faults, list)
    return faults


def redirect_cases(folder: Path) -> list[str]:
    faults = []
    for entry in json.loads((folder / "redirects.json").read_text(encoding="utf-8")):
        site = Site(entry.get("lang", "en"), False, {})
        wanted = entry["redirect_to"] or entry.get("redirect_to_other_ns")
        found = redirect_target(entry["wikitext"], site)
        if found != wanted:
            faults.append(f"{entry['wikitext']!r}: {found!r} != {wanted!r}")
    return faults


def pages_of(path: Path) -> dict[str, str]:
    with bz2.open(path) as stream:
        return {
            page.findtext("{*}title"): page.findtext(".//{*}text")
            for _, page in etree.iterparse(stream, tag="{*}page")
        }


def lead_cases(checker: ModuleType, shared: Path, folder: Path, for_every_page: dict[str, Any]) -> list[str]:
    faults: list[str] = []
    for entry in json.loads((folder / "leads.json").read_text(encoding="utf-8")):
        path = shared / entry["file"]
        wikitext = pages_of(path)[entry["title"]] if path.suffix == ".bz2" else path.read_text(encoding="utf-8")
        article = scan(wikitext, entry["title"], Site(entry["lang"], False, {}))
        faults += checker.check({**for_every_page, **entry}, produced(article, entry["lang"]))
        first = re.sub(r"\s+", " ", article.first_sentence)
        if not first.startswith(entry["first_sentence_starts_with"]):
            faults.append(f"{entry['title']}: begins {first[:60]!r}")
        if not first.endswith(entry["first_sentence_ends_with"]):
            faults.append(f"{entry['title']}: ends {first[-60:]!r}")
        for mention in article.mentions:
            if len(mention.target_title.encode()) > entry.get("links_max_utf8_bytes", 255):
                faults.append(f"{entry['title']}: too long: {mention.target_title!r}")
            faults += [
                f"{entry['title']}: phantom link {mention.target_title!r}"
                for pattern in entry.get("links_must_not_match", [])
                if re.search(pattern, mention.target_title)
            ]
    return faults


@pytest.mark.shared
def test_reported_cases_have_the_right_outcome(shared: Path) -> None:
    checker = load_checker(shared / "cases")
    failures: dict[str, list[str]] = {}
    count = 0
    for case, folder in rows(shared):
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        listed = expected.get("per_entry")
        if listed == "redirects.json":
            faults = redirect_cases(folder)
        elif listed == "leads.json":
            faults = lead_cases(checker, shared, folder, expected["for_every_page"])
        else:
            faults = single_case(checker, folder, expected)
        count += 1
        if faults:
            failures[case] = faults
    assert count >= 25
    assert set(failures) == set(EXPECTED_FAILURES), failures


@pytest.mark.shared
def test_links_of_a_real_dump_are_those_of_another_parser(shared: Path) -> None:
    """A fifth of a dump's link list is compared; the list also holds links inside comments."""
    with (shared / "data/enwik8/links.tsv").open(encoding="utf-8") as lines:
        wanted = {tuple(line.rstrip("\n").split("\t")) for line in lines}
    site = Site("en", False, {6: "Image", 4: "Wikipedia"})
    pages = pages_of(shared / "data/enwik8/enwiki-20060303-top1000.xml.bz2")
    redirects = {title: redirect_target(text or "", site) for title, text in pages.items()}
    articles = {title for title, target in redirects.items() if target is None}

    def resolved(title: str) -> str:
        for _ in range(5):
            title = redirects.get(title) or title
        return title

    found = set()
    for title in articles:
        for mention in scan(pages[title] or "", title, site).mentions:
            target = resolved(mention.target_title)
            if target in articles and target != title:
                found.add((title, target))
    wanted = {(source, target) for source, target in wanted if source in articles and target in articles}
    assert len(wanted) > 10_000
    assert len(found ^ wanted) < 0.005 * len(wanted), sorted(found ^ wanted)[:20]


