"""Write the sample wiki's dump: `python tests/sample/make_sample.py`.

The wiki is invented: its places, people and things do not exist, and its sentences are drawn at random (with
a fixed seed) from the patterns of `sample_words`. It holds one of each thing that a dump can hold, see
`special_pages`. Its hubs (`HUBS`) are linked from the first sentences of many articles, so that each becomes
a query of the test collection. Page ids go up by seven because the default split then has some in each part.
"""

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from sample_words import (
    ADJECTIVES,
    ALIASES,
    EXTRAS,
    FOREIGN,
    HUBS,
    LEADS,
    NAMES,
    REDIRECTS,
    SENTENCES,
    TAILS,
    TITLES,
)

FILE_NAME = "samplewiki-20260101-pages-articles.xml"
SEED = 20260101

SUBJECTS = {0: "", 2: "User", 4: "Samplewiki", 6: "File", 8: "MediaWiki", 10: "Template", 12: "Help",
            14: "Category", 828: "Module"}  # fmt: skip
NAMESPACES = [(-2, "Media"), (-1, "Special")]
for key, name in SUBJECTS.items():  # each has a talk namespace
    NAMESPACES += [(key, name), (key + 1, f"{name} talk" if name else "Talk")]


class Writer:
    """Draws sentences, links and whole articles from one seeded generator."""

    def __init__(self) -> None:
        self.rng = random.Random(SEED)
        self.link_share = 0.25
        self.topics = {title: words.split() for title, _, words in HUBS}

    def link(self, title: str) -> str:
        """One of the ways in which editors write a link to a title."""
        low = title[0].lower() + title[1:]
        forms = [f"[[{title}]]", f"[[{title}]]", f"[[{low}]]", f"[[{title.replace(' ', '_')}|{low}]]"]
        forms += [f"[[{title.replace(' ', '%20')}|{low}]]", f"[[ {title} |''{low}'']]"]
        if title in ALIASES:
            forms += [f"[[{ALIASES[title]}|{low}]]", f"[[{ALIASES[title]}]]"]
        return self.rng.choice(forms)

    def sentence(self, title: str, topics: list[str]) -> str:
        """A sentence about two of the topics' words; topics may repeat to be likelier."""
        rng = self.rng
        topic = rng.choice(topics)
        noun, other = rng.sample(self.topics[topic], 2)
        linked = self.link(topic) if rng.random() < self.link_share else topic
        return rng.choice(SENTENCES).format(
            s=title, n=noun, m=other, l=linked, a=rng.choice(ADJECTIVES), N=rng.choice(NAMES),
            M=rng.choice(NAMES) + "son", y=rng.randrange(1610, 1990), k=rng.randrange(12, 900),
        )  # fmt: skip

    def paragraph(self, title: str, topics: list[str]) -> str:
        """Four to seven sentences, some with a reference or a comment."""
        parts = []
        for _ in range(self.rng.randrange(4, 8)):
            text = self.sentence(title, topics)
            chance = self.rng.random()
            if chance < 0.1:
                text += f"<ref>{self.rng.choice(NAMES)}, ''Annals'', p. {self.rng.randrange(9, 400)}.</ref>"
            elif chance < 0.14:
                text += '<ref name="annals" /><!-- [[Velmouth]] has a copy -->'
            parts.append(text)
        return " ".join(parts)

    def body(self, title: str, topics: list[str], min_words: int) -> str:
        """Paragraphs under headings until there are enough words."""
        everything = topics * 6 + [hub[0] for hub in HUBS]  # its own topics most of the time
        parts, num_words, headings = [], 0, iter(("History", "Description", "Legacy", "Notes", "Later years"))
        while num_words < min_words:
            if len(parts) % 4 == 3:
                parts.append(f"== {next(headings)} ==")
            parts.append(self.paragraph(title, everything))
            num_words = sum(len(part.split()) for part in parts)
        return "\n\n".join(parts)


def articles(writer: Writer) -> Iterator[tuple[str, str]]:
    """Title and wikitext of every long article: the hubs, then six kinds of others, in turn."""
    decks = {"p": ["place"], "x": ["thing"], "g": ["group", "event"]}
    dealt: dict[str, list[str]] = {slot: [] for slot in decks}

    def deal(slot: str, title: str) -> str:
        # Dealt out evenly, so that each hub is linked from enough first sentences.
        if not dealt[slot]:
            dealt[slot] = [hub[0] for hub in HUBS if hub[1] in decks[slot]]
            writer.rng.shuffle(dealt[slot])
        picked = dealt[slot].pop()
        return picked if picked != title else deal(slot, title)

    others = [(name.replace("_", " "), kind) for kind, names in TITLES.items() for name in names.split()]
    for title, kind in [(hub[0], "hub") for hub in HUBS] + others + list(FOREIGN):
        places, things, groups = deal("p", title), deal("x", title), deal("g", title)
        lead = LEADS[kind].format(
            t=title, a=writer.rng.choice(ADJECTIVES), y=writer.rng.randrange(1610, 1700), z=1701,
            p=writer.link(places), x=writer.link(things), g=writer.link(groups),
        )  # fmt: skip
        own = [title] * 3 if kind == "hub" else []
        body = writer.body(title, [*own, places, things, groups], writer.rng.randrange(260, 420))
        categories = "".join(f"[[Category:{topic}]]\n" for topic in (places, groups))
        yield title, f"{EXTRAS.get(title, '')}{lead} {body}\n\n{TAILS.get(title, '')}{categories}"


def special_pages(writer: Writer) -> Iterator[tuple[int, str, str | None, str]]:
    """Namespace, title, text (None: deleted) and content model of one page of each other kind."""
    meanings = "* [[River Ossel]]\n* [[Ossenby]], a town\n* [[Ossel moth]]\n{{disambiguation}}"
    yield 0, "Ossel (disambiguation)", f"'''Ossel''' may refer to:\n{meanings}", "wikitext"
    yield 0, "Thimble", "A '''thimble''' is small. It has no [[Copper moth|moth]].", "wikitext"  # short
    red = "'''Odd Corner''' is near [[Nowhere Yet]], [[Ledger of Greymoor]], [[Grey Ledger]], [[Left Stair]]."
    body = writer.body("Odd Corner", ["Ketterfen"], 260)
    yield 0, "Odd Corner", f"{red} {body} [[Nowhere Yet]]", "wikitext"
    writer.link_share = 0
    rock = writer.body("Lonely Rock", ["Nimmer Sea"], 260)  # isolated: no link from it or to it
    yield 0, "Lonely Rock", f"'''Lonely Rock''' is a rock. {rock}", "wikitext"
    yield 0, "Gone Page", None, "wikitext"
    yield 0, "Blank Page", "", "wikitext"
    yield 1, "Talk:Velmouth", "Is the [[Velmouth]] harbour real? [[User:Maud|Maud]]", "wikitext"
    yield 2, "User:Maud", "I write about the [[Long Thaw]].", "wikitext"
    yield 4, "Samplewiki:Rules", "Be kind. See [[Order of the Quill]].", "wikitext"
    yield 6, "File:Ossel harbour.jpg", "A photograph of [[River Ossel]].", "wikitext"
    yield 10, "Template:Infobox place", "<includeonly>'''{{{name}}}'''</includeonly>", "wikitext"
    yield 10, "Template:Disambiguation", "''This page lists meanings.''", "wikitext"
    yield 14, "Category:Copper moth", "Pages about the [[Copper moth]].", "wikitext"
    yield 828, "Module:Paces", "local p = {}\nfunction p.km(n) return n < 2 and n end\nreturn p", "Scribunto"


def sha1_base36(data: bytes) -> str:
    """MediaWiki's spelling of a sha1: base 36, 31 digits."""
    number, digits = int(hashlib.sha1(data).hexdigest(), 16), ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits.rjust(31, "0")


def page_xml(
    page_id: int, namespace: int, title: str, text: str | None, model: str, redirect: str | None
) -> str:
    """One <page> element of export schema 0.11 with one revision."""
    quote = {'"': "&quot;"}
    data = (text or "").encode()
    size = f'bytes="{len(data)}" sha1="{sha1_base36(data)}"'
    body = f'<text {size} xml:space="preserve">{escape(text or "", quote)}</text>'
    if text is None:
        body = '<text bytes="214" deleted="deleted" />'
    elif not text:
        body = f"<text {size} />"
    who = "<username>Maud</username>\n        <id>7</id>" if page_id % 5 else "<ip>192.0.2.7</ip>"
    moved = f'    <redirect title="{escape(redirect, quote)}" />\n' if redirect is not None else ""
    form = "text/plain" if model == "Scribunto" else "text/x-wiki"
    return f"""  <page>
    <title>{escape(title)}</title>
    <ns>{namespace}</ns>
    <id>{page_id}</id>
{moved}    <revision>
      <id>{500000 + 7 * page_id}</id>
      <parentid>{500000 + 7 * page_id - 4}</parentid>
      <timestamp>2025-{page_id % 12 + 1:02}-{page_id % 28 + 1:02}T{page_id % 24:02}:15:00Z</timestamp>
      <contributor>
        {who}
      </contributor>
      <comment>{"/* History */ tidied" if page_id % 3 else "new page &lt;draft&gt;"}</comment>
      <origin>{500000 + 7 * page_id}</origin>
      <model>{model}</model>
      <format>{form}</format>
      {body}
      <sha1>{sha1_base36(data) if text is not None else ""}</sha1>
    </revision>
  </page>
"""


def dump_xml() -> str:
    """The whole dump."""
    writer = Writer()
    namespaces = "\n".join(
        f'      <namespace key="{key}" case="first-letter">{name}</namespace>'
        if name
        else f'      <namespace key="{key}" case="first-letter" />'
        for key, name in NAMESPACES
    )
    head = f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" \
version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Samplewiki</sitename>
    <dbname>samplewiki</dbname>
    <base>https://sample.example.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.45.0</generator>
    <case>first-letter</case>
    <namespaces>
{namespaces}
    </namespaces>
  </siteinfo>
"""
    pages: list[tuple[int, str, str | None, str, str | None]] = []
    pages += [(0, title, text, "wikitext", None) for title, text in articles(writer)]
    pages += [(*page, None) for page in special_pages(writer)]
    for title, written, stated in REDIRECTS:
        pages.append((0, title, f"#REDIRECT [[{written}]]\n\n{{{{R from move}}}}", "wikitext", stated))
    xml = [page_xml(1000 + 7 * i, *page) for i, page in enumerate(pages)]
    return head + "".join(xml) + "</mediawiki>\n"


def main() -> int:
    """Write the dump beside this script."""
    path = Path(__file__).resolve().parent / FILE_NAME
    path.write_text(dump_xml(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
