"""One process over the wikitext of articles: our scanner, or mwparserfromhell (in an environment of its own).

usage: bench_wikitext.py ours|mwparserfromhell ARTICLES.jsonl REPORT ROUNDS

Each line of ARTICLES is a JSON list of title and wikitext. Writes JSON to REPORT: seconds and CPU seconds of the
best round. Imports stand in functions, as each environment has only one of the two.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def ours() -> Callable[[str, str], object]:
    """Text, first sentence, categories and links of one article."""
    from wikisearch.text.titles import Site
    from wikisearch.text.wikitext import scan

    site = Site("en", False, {0: "", 6: "File", 10: "Template", 14: "Category"})
    return lambda title, wikitext: scan(wikitext, title, site)


def mwparserfromhell() -> Callable[[str, str], object]:
    """Text and links of one article."""
    from mwparserfromhell import parse

    def text_and_links(title: str, wikitext: str) -> object:
        code = parse(wikitext)
        return code.strip_code(), [(str(link.title), str(link.text)) for link in code.filter_wikilinks()]

    return text_and_links


def main() -> None:
    """Runs what the command line says."""
    which, articles, report, rounds = sys.argv[1:]
    function = {"ours": ours, "mwparserfromhell": mwparserfromhell}[which]()
    rows = [json.loads(line) for line in Path(articles).read_text().splitlines()]
    measured = []
    for _ in range(int(rounds)):
        wall, cpu = time.perf_counter(), time.process_time()
        for title, wikitext in rows:
            function(title, wikitext)
        measured.append((time.perf_counter() - wall, time.process_time() - cpu))
    Path(report).write_text(json.dumps(measured))


if __name__ == "__main__":
    main()
