"""Where our links and a reference's differ, by kind; the kinds are found by looking at the wikitext."""

import html
import re
from collections import defaultdict
from collections.abc import Mapping
from urllib.parse import unquote

Edge = tuple[str, str]

OURS, REFERENCE = "only ours", "only the reference's"
COMMENT, ENTITY, PERCENT, BRACKETS, OTHER = (
    "in a comment",
    "title with an entity",
    "percent-encoded title",
    "brackets in the anchor",
    "other",
)
# What MediaWiki makes of each kind: whether it is a link.
IS_LINK = {COMMENT: False, ENTITY: True, PERCENT: True, BRACKETS: True}
REASONS = {
    COMMENT: "a link between `<!--` and `-->`; the preprocessor drops comments before links are parsed",
    ENTITY: "`[[Gda&#324;sk]]`; titles are decoded (Sanitizer::decodeCharReferencesAndNormalize)",
    PERCENT: "`[[Buffalo%2C_New_York]]`; a target with `%` is decoded once (Parser::handleInternalLinks2)",
    BRACKETS: "an anchor such as `[Name]`: a `]` after it belongs to it where it has a `[` (the same)",
    OTHER: "to be looked into",
}
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK = re.compile(r"\[\[:? *(?P<target>[^\[\]|]+)(?P<rest>\|\[)?")


def _names(title: str, redirects: Mapping[str, str]) -> set[str]:
    """A title and those of all redirects to it."""
    found, added = {title}, {title}
    while added:
        added = {source for source, target in redirects.items() if target in added} - found
        found |= added
    return found


def _normal(target: str) -> str:
    words = html.unescape(unquote(target)).split("#")[0].replace("_", " ").split()
    title = " ".join(words)
    return title[:1].upper() + title[1:]


def kind_of(names: set[str], wikitext: str) -> str:
    """What is peculiar about the links of a page to an article, all of whose names are given."""
    comments = [found.span() for found in _COMMENT.finditer(wikitext)]
    kinds = set()
    for found in _LINK.finditer(wikitext):
        target = found["target"]
        if _normal(target) not in names:
            continue
        if any(start <= found.start() < end for start, end in comments):
            kinds.add(COMMENT)
        elif "%" in target:
            kinds.add(PERCENT)
        elif "&" in target:
            kinds.add(ENTITY)
        else:
            kinds.add(BRACKETS if found["rest"] else OTHER)
    # One ordinary link would make the edge, whatever the others are.
    return kinds.pop() if len(kinds) == 1 else OTHER


def link_differences(
    ours: set[Edge], reference: set[Edge], wikitexts: Mapping[str, str], redirects: Mapping[str, str]
) -> dict[tuple[str, str], list[Edge]]:
    """The edges that one side has and the other lacks, by side and kind.

    Args:
        ours: source and target title.
        reference: the same of another tool.
        wikitexts: wikitext by title.
        redirects: target by title of the redirect.
    """
    found: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for side, edges in ((OURS, ours - reference), (REFERENCE, reference - ours)):
        for source, target in sorted(edges):
            found[side, kind_of(_names(target, redirects), wikitexts[source])].append((source, target))
    return dict(found)


def right_side(side: str, kind: str) -> str:
    """Who is right by MediaWiki's rules: a link that is one is missing, or one that is none is there."""
    if kind not in IS_LINK:
        return "unknown"
    return side.removeprefix("only ") if IS_LINK[kind] else {OURS: "the reference's", REFERENCE: "ours"}[side]


def as_markdown(differences: Mapping[tuple[str, str], list[Edge]], num_ours: int, num_reference: int) -> str:
    """The differences as a table in Markdown."""
    lines = [
        f"Links: ours {num_ours:,}, the reference's {num_reference:,}.",
        "",
        "| edges | kind | number | right by MediaWiki's rules | example | why |",
        "|---|---|---|---|---|---|",
    ]
    for (side, kind), edges in sorted(differences.items()):
        source, target = edges[0]
        cells = (side, kind, str(len(edges)), right_side(side, kind), f"{source} → {target}", REASONS[kind])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
