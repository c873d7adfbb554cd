import pytest
from dump_makers import NAMESPACES, page, revision
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.dump.fields import Page, PageReader, Reject, read_page
from wikisearch.text.titles import Site

SITE = Site("en", False, NAMESPACES)


def _read(text: str) -> Page | Reject:
    return read_page(text.encode(), SITE)


def _page(text: str) -> Page:
    found = _read(text)
    assert isinstance(found, Page), found
    return found


def test_ids_are_told_apart_by_where_they_stand() -> None:
    found = _page(page(11, "Lamp & wick_oil", revision("a &lt; b", 70, "2024-05-01T10:00:00Z")))
    assert found == Page(
        page_id=11,
        namespace=0,
        title="Lamp & wick oil",
        revision_id=70,
        revised_at=1714557600 * 1_000_000,
        sha1=None,
        model="wikitext",
        redirect_title=None,
        wikitext="a &lt; b",
    )


def test_the_page_id_may_stand_after_the_revisions() -> None:
    found = _page(f"<page><title>T</title>{revision('x', 8)}<id> 5 </id></page>")
    assert (found.page_id, found.revision_id) == (5, 8)


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("<text/>", ""),
        ('<text xml:space="preserve" bytes="0" />', ""),
        ("<text></text>", ""),
        ("<text>  \n</text>", "  \n"),
        ('<text bytes="5" deleted="deleted" />', None),
        ('<text bytes="5" id="9" />', None),  # a dump of stubs
        ("", None),
        ("<text>a&amp;amp;b &#x153; &quot;</text>", 'a&amp;b œ "'),
        ("<text>a\r\nb\rc</text>", "a\nb\nc"),
        ("<text>a<!-- c -->b<![CDATA[<page>&amp;]]></text>", "ab<page>&amp;"),
    ],
)
def test_text(element: str, text: str | None) -> None:
    assert (
        _page(f"<page><title>T</title><id>1</id><revision><id>2</id>{element}</revision></page>").wikitext == text
    )


def test_only_the_main_slot_is_read() -> None:
    slot = "<content><role>mediainfo</role><model>json</model><text>{}</text><sha1>zz</sha1></content>"
    for order in (
        "<model>wikitext</model><text>main</text>" + slot,
        slot + "<model>wikitext</model><text>main</text>",
    ):
        found = _page(
            f"<page><title>T</title><id>1</id><revision><id>2</id><origin>9</origin>{order}</revision></page>"
        )
        assert (found.wikitext, found.model, found.revision_id, found.sha1) == ("main", "wikitext", 2, None)


def test_a_main_slot_that_stands_among_others_is_read() -> None:
    main = "<content><role>main</role><model>wikitext</model><text>main</text></content>"
    other = "<content><role>data</role><model>json</model><text>{}</text></content>"
    for slots in (main + other, other + main):
        found = _page(f"<page><title>T</title><id>1</id><revision><id>2</id>{slots}</revision></page>")
        assert (found.wikitext, found.model, found.revision_id) == ("main", "wikitext", 2)
    deleted = main.replace("<text>main</text>", '<text deleted="deleted" />')
    found = _page(f"<page><title>T</title><id>1</id><revision><id>2</id>{other}{deleted}</revision></page>")
    assert (found.wikitext, found.model) == (None, "wikitext")


@pytest.mark.parametrize("model", ["json", "css", "sanitized-css", "javascript", "Scribunto", "wikibase-item"])
def test_other_models_are_kept_with_their_text(model: str) -> None:
    text = "<revision><id>2</id><model>" + model + "</model><text>#REDIRECT [[other]]</text></revision>"
    found = _page(page(1, "Module:Lamp", text, namespace=828))
    assert (found.model, found.wikitext, found.redirect_title) == (model, "#REDIRECT [[other]]", None)


def test_a_page_in_parts_is_the_page_in_one_piece() -> None:
    revisions = [revision(f"text {n} œ", n, f"20{n:02}-01-01T00:00:00Z") for n in (3, 9, 5)]
    head, *rest = page(1, "Lamp", *revisions).encode().split(b"<revision>")
    parts = [b"<revision>" + part for part in rest]
    reader = PageReader(SITE)
    for part in (head, *parts[:-1]):
        reader.feed(part)
    found = reader.close(parts[-1])
    assert isinstance(found, Page)
    assert (found.page_id, found.title, found.revision_id, found.wikitext) == (1, "Lamp", 9, "text 9 œ")
    assert reader.num_revisions == 3

    reader = PageReader(SITE)
    for part in (head, parts[0], b"here <<< there"):
        reader.feed(part)
    rejected = reader.close(parts[-1])
    assert isinstance(rejected, Reject)
    assert (rejected.reason, rejected.page_id, rejected.title) == ("bad_xml", 1, "Lamp")
    assert rejected.excerpt == "here <<< there"


def test_the_newest_revision_is_kept() -> None:
    old, new = revision("old", 9, "2020-01-01T00:00:00Z"), revision("new", 3, "2021-01-01T00:00:00Z")
    same_time = revision("newer", 4, "2021-01-01T00:00:00Z")
    deleted = revision(None, 5, "2022-01-01T00:00:00Z")
    assert _page(page(1, "T", old, new)).wikitext == "new"
    assert _page(page(1, "T", new, old)).wikitext == "new"
    assert _page(page(1, "T", same_time, old, new)).wikitext == "newer"
    assert _page(page(1, "T", deleted, old)).wikitext is None


def test_namespace_of_old_dumps_comes_from_the_title() -> None:
    titles = {
        "Velm": 0,
        "Talk:Velm": 1,
        "category:Lamps": 14,
        "Halcyon: the gate": 0,
        "UTC+03:00": 0,
        "file:a.png": 6,
    }
    found = {title: _page(page(1, title, revision("x"), namespace=None)).namespace for title in titles}
    assert found == titles
    assert _page(page(1, "Talk:Velm", revision("x"), namespace=0)).namespace == 0  # the dump's word goes first
    assert _page(page(1, "Talk:Velm", revision("x"), namespace=2**31)).namespace == 1


def test_redirects() -> None:
    named = page(1, "T", revision("#REDIRECT [[other]]"), more='<redirect title="guild of_lamps &amp; oil" />')
    assert _page(named).redirect_title == "Guild of lamps & oil"
    assert _page(page(1, "T", revision("#REDIRECT [[other#part]]"), more="<redirect />")).redirect_title == "Other"
    assert _page(page(1, "T", revision("\n#redirect [[other]]"))).redirect_title == "Other"
    assert _page(page(1, "T", revision("# first\n# second"))).redirect_title is None
    assert _page(page(1, "T", revision("see #REDIRECT [[x]]"))).redirect_title is None
    script = "<revision><model>javascript</model><text>#REDIRECT [[other]]</text></revision>"
    assert _page(page(1, "T", script)).redirect_title is None


@pytest.mark.parametrize(
    ("text", "reason", "page_id", "title"),
    [
        ("<page><id>4</id></page>", "no_title", 4, None),
        ("<page><title> </title><id>4</id></page>", "no_title", 4, None),
        ("<page><title>T</title><revision><id>4</id></revision></page>", "no_page_id", None, "T"),
        ("<page><title>T</title><id>four</id></page>", "bad_page_id", None, "T"),
        ("<page><title>T</title><id>-4</id></page>", "bad_page_id", None, "T"),
        ("<page><title>T</title><id>9223372036854775808</id></page>", "bad_page_id", None, "T"),
        ("<page><title>T</title><id>4</id><b></page>", "bad_xml", 4, "T"),
        ("<page><title>T</title><id>4</id>a & b</page>", "bad_xml", 4, "T"),
        ("<page><title>T</title><id>4</id>&nbsp;</page>", "bad_xml", 4, "T"),
        ("<page><title>T</title><id>4</id>\x01</page>", "bad_xml", 4, "T"),
    ],
)
def test_rejects(text: str, reason: str, page_id: int | None, title: str | None) -> None:
    found = _read(text)
    assert isinstance(found, Reject)
    assert (found.reason, found.page_id, found.title) == (reason, page_id, title)
    assert found.excerpt


def test_bad_utf8_is_shown_where_it_is() -> None:
    data = b"<page><title>T</title><id>4</id>" + b"x" * 500 + b"here \xff\xfe there</page>"
    found = read_page(data, SITE)
    assert isinstance(found, Reject)
    assert (found.reason, found.page_id, found.title) == ("bad_utf8", 4, "T")
    assert "here \ufffd\ufffd there" in found.excerpt


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    for wrapped in (data, b"<page>" + data + b"</page>", b"<page><id>" + data + b"</id></page>"):
        found = read_page(wrapped, SITE)
        assert isinstance(found, Page) or len(found.excerpt) <= 200


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1),
    st.integers(1, 2**63 - 1),
)
def test_what_is_written_is_read(text: str, page_id: int) -> None:
    found = _page(page(page_id, f"T{text}", revision(text)))
    assert (found.page_id, found.wikitext, found.title) == (page_id, text, f"T{text}".replace("_", " ").strip())
