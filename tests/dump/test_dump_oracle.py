"""Dumps of every shape that the export schemas know, cut into any splits; lxml is the oracle."""

import io
import tempfile
from pathlib import Path
from typing import NamedTuple

from dump_makers import SUFFIX, compressed, head
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from test_reader import read_all

from wikisearch.dump.reader import FAULT, PAGE, SPLIT

_NAMES = {"Talk": 1, "User": 2, "Category": 14}


class Found(NamedTuple):
    page_id: int
    namespace: int
    title: str
    revision_id: int
    model: str
    text: str | None


# --- what is written --------------------------------------------------------------------------------------

_CHARS = st.text(
    st.one_of(
        st.sampled_from("<>&\"'[]{}|\n\t œ灯𝔏\u0085\u2028"),
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    ),
    max_size=40,
)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _numeric(text: str) -> str:
    return "".join(f"&#x{ord(char):X};" for char in text)


def _section(text: str) -> str:
    return f"<![CDATA[<page>{text.replace(']]>', '')}</page></mediawiki>]]>"


_TEXTS = st.one_of(
    st.sampled_from(
        ["<text/>", '<text bytes="0" />', "<text></text>", "<text>\r\n a\rb </text>", '<text deleted="deleted" />']
    ),
    _CHARS.map(lambda text: f'<text xml:space="preserve">{_escaped(text)}</text>'),
    _CHARS.map(lambda text: f"<text>{_numeric(text)}</text>"),
    _CHARS.map(lambda text: f"<text>a{_section(text)}<!-- <page></revision> -->{_escaped(text)}</text>"),
)
_SLOT = "<content><role>data</role><model>json</model><text>{}</text></content>"


@st.composite
def _revisions(draw: st.DrawFn) -> str:
    made = []
    for _ in range(draw(st.integers(1, 4))):
        model = draw(st.sampled_from(["", "<model>wikitext</model>", "<model>css</model>"]))
        slots = [model + draw(_TEXTS), *draw(st.sampled_from([[], [_SLOT], [_SLOT, _SLOT]]))]
        made.append(
            f"<revision>\n<id>{draw(st.integers(1, 10**12))}</id>"
            f"<timestamp>20{draw(st.integers(10, 24))}-05-01T00:00:00Z</timestamp>"
            "<contributor><username>A</username><id>77</id></contributor><comment>&lt;page> ]]&gt;</comment>"
            f"{''.join(slots if draw(st.booleans()) else reversed(slots))}<sha1 />\n</revision>"
        )
    return "".join(made)


@st.composite
def _dumps(draw: st.DrawFn) -> bytes:
    parts = []
    page_id = 0
    for _ in range(draw(st.integers(1, 2))):  # files one after the other
        parts.append(draw(st.sampled_from(["", "\ufeff", '<?xml version="1.0" encoding="utf-8"?>\n'])))
        parts.append(head(version=draw(st.sampled_from(["0.3", "0.5", "0.8", "0.10", "0.11"]))))
        for _ in range(draw(st.integers(0, 6))):
            page_id += 1
            name = draw(st.sampled_from(["", *_NAMES]))
            ns = f"<ns>{_NAMES.get(name, 0)}</ns>" if draw(st.booleans()) else ""
            title = f"{name}:Lamp {page_id}" if name else f"Lamp {page_id}"
            parts.append(
                f"<page>\n<title>{title}</title>{ns}<id>{page_id}</id>{draw(_revisions())}</page>"
                + draw(st.sampled_from(["", "\n", "\r\n  ", "<!-- </page> -->"]))
            )
        parts.append("</mediawiki>" + draw(st.sampled_from(["", "\n"])))
    return "".join(parts).encode()


# --- what lxml reads --------------------------------------------------------------------------------------


def _text_of(element: etree._Element) -> str:
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def _oracle(data: bytes) -> list[Found]:
    found = []
    for document in data.removeprefix(b"\xef\xbb\xbf").split(b"<mediawiki ")[1:]:
        whole = b"<mediawiki " + document[: document.rindex(b"</mediawiki>") + len(b"</mediawiki>")]
        for page in etree.parse(io.BytesIO(whole)).iterfind("{*}page"):
            revisions = page.findall("{*}revision")
            newest = max(
                enumerate(revisions),
                key=lambda each: (each[1].findtext("{*}timestamp"), int(each[1].findtext("{*}id")), each[0]),
            )[1]
            text = newest.find("{*}text")
            title = page.findtext("{*}title")
            found.append(
                Found(
                    int(page.findtext("{*}id")),
                    _NAMES.get(title.partition(":")[0], 0),
                    title,
                    int(newest.findtext("{*}id")),
                    newest.findtext("{*}model") or "wikitext",
                    None if text.get("deleted") else _text_of(text),
                )
            )
    return found


@settings(max_examples=60, deadline=None)
@given(_dumps(), st.sampled_from(list(SUFFIX)), st.integers(1, 40))
def test_any_dump_in_any_splits_is_what_lxml_reads(data: bytes, how: str, num_splits: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"lamps{SUFFIX[how]}"
        path.write_bytes(compressed(data, how))
        records = read_all([str(path)], num_splits)
    found = [
        Found(r["page_id"], r["namespace"], r["title"], r["revision_id"], r["model"], r["wikitext"])
        for r in records
        if r["kind"] == PAGE
    ]
    wanted = _oracle(data)
    assert found == wanted
    splits = [row for row in records if row["kind"] == SPLIT]
    assert sum(row["num_page_starts"] for row in splits) == len(wanted) == len(records) - len(splits)
    assert sum(row["num_open_roots"] for row in splits) == 0
    assert not [row for row in records if row["kind"] == FAULT]
