"""Wikitext to plain text, links, first sentence and categories.

Rules are MediaWiki's; what they make of markup here:

* links to articles are mentions. Those in captions, galleries, tables, references and parameters of dropped
  templates count (MediaWiki records them as links of the page) but stand outside the text: position -1. A link of
  the page to itself is none.
* templates are dropped, but for those of `inline_templates.tsv`, of which the words that readers see stay.
* references, formulas, images and comments are dropped; code and preformatted text stay. Tables are dropped, or
  kept as a line a row with tabs between cells.
* headings (which may be dropped) and list items are lines without their marks; a paragraph is one line; line
  breaks within it are blanks.
* what is opened and never closed is text.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from wikisearch.text.markup import assemble
from wikisearch.text.sentences import sentence_end
from wikisearch.text.templates import ARTICLE, DISAMBIGUATION, KINDS, rules_of
from wikisearch.text.titles import Site
from wikisearch.text.wikitext_scanner import Scanner
from wikisearch.text.wikitext_state import RawMention
from wikisearch.text.wikitext_tokens import without_comments


class Mention(NamedTuple):
    """One link to an article.

    `position` is the offset of the anchor in the text in code points, -1 where the anchor is not in it:
    `text[position:position + len(anchor)] == anchor` wherever it is not -1.
    """

    target_title: str
    anchor: str
    position: int
    is_in_first_sentence: bool


@dataclass(frozen=True)
class WikitextParams:
    """What of a page is text."""

    keep_tables: bool = field(
        default=False, metadata={"help": "keep the text of tables: a line a row, tabs between cells"}
    )
    keep_headings: bool = field(default=True, metadata={"help": "keep headings, a line each"})


_DEFAULT = WikitextParams()
_AT_ONCE = 1 << 16  # mentions


@dataclass(frozen=True, slots=True)
class Article:
    """What is read out of one article's wikitext; mentions and categories are in page order."""

    text: str
    mentions: list[Mention]
    first_sentence: str
    categories: list[str]
    kind: str  # one of templates.KINDS

    @property
    def is_disambiguation(self) -> bool:
        """Whether the page lists the meanings of its title."""
        return self.kind == DISAMBIGUATION


def scan(wikitext: str, title: str, site: Site, params: WikitextParams = _DEFAULT) -> Article:
    """Plain text, mentions, first sentence, categories and kind of one page.

    Args:
        wikitext: source text of a page that is no redirect.
        title: full title of the page; links to it are no mentions.
        site: the wiki, with its language and namespaces.
        params: what is text.

    Returns:
        The article. Never raises, whatever the text; time and memory are linear in its length.
    """
    if "\r" in wikitext:
        wikitext = wikitext.replace("\r\n", "\n").replace("\r", "\n")
    source = "\n" + without_comments(wikitext)
    scanner = Scanner(source, title, site, keep_tables=params.keep_tables, keep_headings=params.keep_headings)
    scanner.run()
    unclosed = scanner.unclosed()
    if unclosed:
        scanner = Scanner(
            source,
            title,
            site,
            unclosed,
            keep_tables=params.keep_tables,
            keep_headings=params.keep_headings,
        )
        scanner.run()
    raw = scanner.mentions
    text, moved, lead = assemble(
        scanner.pieces,
        scanner.quotes,
        scanner.drops,
        [point for _, _, first, count in raw if first >= 0 for point in (first, first + count)],
    )
    scanner.pieces.clear()  # of a page with millions of links this is memory
    end = sentence_end(text, lead[0], lead[1], site.language)
    return Article(
        text,
        _mentions(raw, text, moved, (lead[0], end)),
        text[lead[0] : end].strip(),
        list(dict.fromkeys(scanner.categories)),
        _kind(scanner.kinds, title, site),
    )


def _kind(said: Set[str], title: str, site: Site) -> str:
    """What a page is, by what its templates and its title say."""
    if rules_of(site).is_disambiguation_title(title):
        return DISAMBIGUATION
    return next((kind for kind in KINDS if kind in said), ARTICLE)


def _mentions(
    raw: list[RawMention], text: str, points: Sequence[int], sentence: tuple[int, int]
) -> list[Mention]:
    """Mentions with their places in the final text; takes the raw ones away, to hold few of both at a time."""
    first, last = sentence
    places = iter(points)
    make = tuple.__new__  # half the time of calling Mention
    mentions: list[Mention] = []
    raw.reverse()
    while raw:
        some = raw[: -_AT_ONCE - 1 : -1]
        del raw[-_AT_ONCE:]
        mentions += [
            make(Mention, (target, text[start:end], start, first <= start and end <= last))
            if piece >= 0 and (start := next(places)) < (end := next(places))
            else make(Mention, (target, anchor, -1, False))
            for target, anchor, piece, _ in some
        ]
    return mentions
