"""What is read out of real articles beside two other parsers: mwparserfromhell's links, WikiExtractor's words.

usage: compare_parsers.py [links ARTICLES OUT] - the second form runs in the environment of the peers

Writes its numbers between two marks of tests/bench/RESULTS.md. Links are compared as sets for each article, after
the normalisation of titles, without links of an article to itself; tests/bench/link_kinds.tsv lists, by hand, of
what kind the differences are. Words are compared as counts for each article.
"""

import bz2
import html
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SHARED = REPOSITORY.parent / "shared"
LINKS_DUMP = SHARED / "data/enwik8/enwiki-20060303-first100MB-pages-articles.xml.bz2"
WORDS_DUMP = SHARED / "cases-real/dumps/gensim-enwiki-shortened.xml.bz2"
FOLDER = REPOSITORY / "data/bench"
RESULTS = REPOSITORY / "tests/bench/RESULTS.md"
BEGIN, END = "<!-- parsers:begin -->", "<!-- parsers:end -->"
MIN_PRECISION = MIN_RECALL_OF_LINKS = 0.999
MIN_RECALL_OF_WORDS = 0.99
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^<>]*>")


def links_of_peer(articles: str, out: str) -> None:
    """Targets as mwparserfromhell reads them, a JSON list a line."""
    import mwparserfromhell

    with Path(articles).open(encoding="utf-8") as lines, Path(out).open("w", encoding="utf-8") as found:
        for line in lines:
            code = mwparserfromhell.parse(json.loads(line)[1])
            found.write(json.dumps([str(link.title) for link in code.filter_wikilinks()]) + "\n")


def articles_of(dump: Path) -> Iterator[tuple[str, str]]:
    """Title and wikitext of the articles of a dump, which may be cut off."""
    from lxml import etree

    from wikisearch.text.redirects import redirect_target
    from wikisearch.text.titles import namespace_of

    with bz2.open(dump) as file:
        for _, page in etree.iterparse(file, tag="{*}page", recover=True, huge_tree=True):
            title, text = page.findtext("{*}title") or "", page.findtext("{*}revision/{*}text") or ""
            if namespace_of(title, site()) == 0 and redirect_target(text, site()) is None:
                yield title, text
            page.clear()


def site() -> object:
    """The English Wikipedia, with the names of 2006 too."""
    from wikisearch.text.titles import Site

    return Site("en", False, {4: "Wikipedia", 6: "File", 10: "Template", 14: "Category", 100: "Portal"})


def compare_links(peer: str) -> str:
    """Precision and recall of links against mwparserfromhell, as a paragraph."""
    from wikisearch.text.titles import normalize_title
    from wikisearch.text.wikitext import scan

    path, out = FOLDER / "enwik8-articles.jsonl", FOLDER / "enwik8-links.jsonl"
    articles = list(articles_of(LINKS_DUMP))
    path.write_text("".join(json.dumps(row) + "\n" for row in articles), encoding="utf-8")
    subprocess.run([peer, __file__, "links", str(path), str(out)], check=True)
    both = only_ours = only_theirs = 0
    with out.open(encoding="utf-8") as lines, (FOLDER / "link-differences.tsv").open("w") as differences:
        for (title, wikitext), line in zip(articles, lines, strict=True):
            ours = {mention.target_title for mention in scan(wikitext, title, site()).mentions}
            found = [normalize_title(target, site()) for target in json.loads(line)]
            theirs = {t.name for t in found if t and t.namespace == 0 and not t.interwiki and t.name != title}
            both += len(ours & theirs)
            only_ours += len(ours - theirs)
            only_theirs += len(theirs - ours)
            differences.writelines(f"ours\t{title}\t{target}\n" for target in sorted(ours - theirs))
            differences.writelines(f"theirs\t{title}\t{target}\n" for target in sorted(theirs - ours))
    precision, recall = both / (both + only_ours), both / (both + only_theirs)
    check("precision of links", precision, MIN_PRECISION)
    check("recall of links", recall, MIN_RECALL_OF_LINKS)
    return (
        f"Links of {len(articles):,} articles of enwik8 against mwparserfromhell 0.7.2: {both:,} in both, "
        f"{only_ours:,} only ours, {only_theirs:,} only theirs; precision {precision:.5f}, recall {recall:.5f}."
    )


def compare_words(peer: str) -> str:
    """Recall of WikiExtractor's words, as a paragraph."""
    from wikisearch.text.wikitext import scan

    extracted = FOLDER / "words"
    shutil.rmtree(extracted, ignore_errors=True)
    command = [peer, "-m", "wikiextractor.WikiExtractor", "--no-templates", "--json", "--quiet"]
    subprocess.run([*command, "-o", str(extracted), str(WORDS_DUMP)], check=True, capture_output=True)
    wikitexts = dict(articles_of(WORDS_DUMP))
    num_words = num_found = num_articles = 0
    for file in sorted(path for path in extracted.rglob("*") if path.is_file()):
        for line in file.read_text(encoding="utf-8").splitlines():
            article = json.loads(line)
            if article["title"] not in wikitexts or not article["text"].strip():
                continue
            theirs = words_of(html.unescape(_TAG.sub(" ", article["text"])))
            ours = words_of(scan(wikitexts[article["title"]], article["title"], site()).text)
            num_articles += 1
            num_words += theirs.total()
            num_found += (theirs & ours).total()
    recall = num_found / num_words
    check("recall of words", recall, MIN_RECALL_OF_WORDS)
    return (
        f"Words of {num_articles:,} articles of {WORDS_DUMP.name} against WikiExtractor 3.1.0: of its "
        f"{num_words:,} words ours have {num_found:,}; recall {recall:.5f}. What lacks is mostly rows of tables "
        "that it takes for text, its own names for formulas (`formula_1`), and tags that it leaves standing."
    )


def words_of(text: str) -> Counter[str]:
    """How often each word stands in a text."""
    return Counter(_WORD.findall(text.lower()))


def check(what: str, value: float, least: float) -> None:
    """Ends the program if a number is below what it must reach."""
    if value < least:
        sys.exit(f"compare_parsers: {what} is {value:.5f}, below {least}")


def main() -> None:
    """Compares, prints and writes."""
    if sys.argv[1:2] == ["links"]:
        links_of_peer(*sys.argv[2:])
        return
    from run import peer_python

    FOLDER.mkdir(parents=True, exist_ok=True)
    peer = peer_python()
    block = "\n\n".join([compare_words(peer), compare_links(peer)])
    sys.stdout.write(block + "\n")
    text = RESULTS.read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    RESULTS.write_text(f"{head}{BEGIN}\n{block}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
