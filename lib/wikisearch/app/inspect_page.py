"""Show what the rules of wikitext make of one page, as JSON.

The rules are those by which extract_articles makes the table articles: what is printed here is what stands
there. FILE holds the wikitext of the page (not XML), in UTF-8; - is standard input.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wikisearch.app.config import add_flags, resolve
from wikisearch.app.failures import DONE, WRONG_USAGE, run_and_report
from wikisearch.app.wiki_facts import interwiki_from, namespaces_from, read_json
from wikisearch.errors import InputError, UsageError
from wikisearch.text.redirects import redirect_target
from wikisearch.text.sentences import sentences
from wikisearch.text.templates import ARTICLE
from wikisearch.text.titles import Site
from wikisearch.text.wikitext import Article, WikitextParams, scan

NAME = "inspect_page"
_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]+)*")
_NOTHING = Article("", [], "", [], ARTICLE)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(
        prog=f"python -m wikisearch.app.{NAME}",
        description=(__doc__ or "").strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("file", metavar="FILE", help="wikitext of the page; - reads standard input")
    made.add_argument("--title", default="", metavar="TEXT", help="title of the page; links to it are none")
    made.add_argument("--language", default="en", metavar="CODE", help="language of the wiki (default: en)")
    made.add_argument(
        "--case-sensitive", action="store_true", help="the first letter of titles keeps its case (Wiktionary)"
    )
    made.add_argument(
        "--namespaces", metavar="JSON", help='names of namespaces: {"6": ["Datei", "Bild"]}, or siteinfo'
    )
    made.add_argument(
        "--interwiki", metavar="JSON", help='all prefixes of other wikis: ["wikt", "fr"], or siteinfo'
    )
    made.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
    add_flags(made, WikitextParams)
    return made


def site_from(language: str, is_case_sensitive: bool, namespaces: str | None, interwiki: str | None) -> Site:
    """The wiki that the command line describes.

    Args:
        language: its code.
        is_case_sensitive: whether titles keep the case of their first letter.
        namespaces: path of a JSON file, or None.
        interwiki: path of a JSON file, or None for the prefixes of Wikimedia's wikis.

    Raises:
        InputError: a file that cannot be used.
        UsageError: the language is no code.
    """
    code = language.lower().replace("_", "-")
    if _LANGUAGE.fullmatch(code) is None:
        raise UsageError(f"--language {language}: is no language code such as en or zh-yue")
    names, aliases = namespaces_from(read_json(namespaces)) if namespaces else ({}, {})
    prefixes = interwiki_from(read_json(interwiki)) if interwiki else None
    return Site(code, is_case_sensitive, names, aliases, prefixes)


def inspected(wikitext: str, title: str, site: Site, params: WikitextParams) -> dict[str, Any]:
    """What is read out of a page; a redirect has no text, as it is no article."""
    target = redirect_target(wikitext, site)
    article = scan(wikitext, title, site, params) if target is None else _NOTHING
    return {
        "title": title,
        "language": site.language,
        "is_redirect": target is not None,
        "redirect_target": target,
        "kind": article.kind,
        "is_disambiguation": article.is_disambiguation,
        "first_sentence": article.first_sentence,
        "first_sentence_links": [m.target_title for m in article.mentions if m.is_in_first_sentence],
        "categories": article.categories,
        "links": [mention.target_title for mention in article.mentions],
        "anchors": [[mention.target_title, mention.anchor] for mention in article.mentions],
        "text": article.text,
        "sentences": sentences(article.text, site.language),
    }


def _read(file: str) -> str:
    """The wikitext of a file or of standard input.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    shown = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: is not UTF-8 (byte {error.start}); give the wikitext of one page") from error


def main(argv: Sequence[str] | None = None) -> int:
    """Inspects one page; returns the exit code."""
    try:
        arguments = vars(parser().parse_args(argv))
    except SystemExit as end:
        return DONE if end.code in (None, 0) else WRONG_USAGE
    file, title, is_debug = arguments.pop("file"), arguments.pop("title"), arguments.pop("debug")
    of_site = [arguments.pop(name) for name in ("language", "case_sensitive", "namespaces", "interwiki")]

    def work() -> None:
        params = resolve(WikitextParams, NAME, None, arguments)
        found = inspected(_read(file), title, site_from(*of_site), params)
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=1) + "\n")

    return run_and_report(NAME, work, is_debug=is_debug)


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
