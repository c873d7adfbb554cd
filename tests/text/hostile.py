"""Markup that meets in every order, pages made to be slow, and what holds for whatever is read out of any page."""

import re

from wikisearch.text.wikitext import Article

# The dash of a template, the name of a month or of the page may stand for markup that is shorter than it.
MAX_GROWTH = 2
_SPECIAL = re.compile(r"[!-/:-@\[-`{-~]")

# Pieces of markup that meet each other in every order, and words between them.
MARKUP = (
    "[[", "]]", "|", "{{", "}}", "{{{", "}}}", "''", "'''", "'", "\n", "\n\n", "\n*", "\n:", "\n==", "==",
    "\n{|", "\n|}", "\n|-", "\n|", "<!--", "-->", "<ref>", "</ref>", "<ref/>", "<nowiki>", "</nowiki>",
    "<pre>", "</pre>", "<math>", "</math>", "<gallery>", "</gallery>", "<table>", "</table>", "<br>",
    "<div style='float:left'>", "<div>", "</div>", "<poem>", "</poem>", "[http://x", "]", "[", "&amp;",
    "&#91;", "__TOC__", "{{nowrap|", "{{lang|en|", "{{convert|1|", "{{abbr|", "{{w|", "[[File:a|",
    "[[Category:c", "[[fr:x", "[[#s", "[[:", "a", "b c", "Lamp", " ", "(", ")", ". ", "1=", "=", "-{", "}-",
    "%41", "\x1e", "\x1f", "\xa0", "é", "灯",
)  # fmt: skip

# Units of pages that are nothing but the unit again and again.
HOSTILE = (
    "{{", "{{a|", "{{nowrap|", "[[", "[[a|", "[[File:a|", "[[File:a|{{b|", "[[a|{{b}}", "[[{{a}}|", "{{{1|",
    "''", "''''", "<ref>", "<ref>{{", "<ref>[[a]]", "<nowiki>", "<!--", "<!-- -->", "<gallery>", "<table>",
    "<div style='float:left'>", "\n{|", "\n{|\n", "\n:{|\n|", "\n|}", "\n*", "\n=", "\n==a", "= ",
    "[http://a ", "[http://a {{b}} ] ", "&amp", "<b", "</ref>", "}}", "]]", "__a_", "( ", "(A. ", ". A",
    "{{a}}\n|b\n", "{{nowrap|[[a]]|", "{{w|[[a]]|", "''a", "\n''a''", " \n", "  ", "{{a}} (", "<poem>\n",
    "[[a|''b", "{{formatnum:", "-{a", "\x1e",
    "{{{", "{{{{{", "{", "[", "[[[", "|", "||", "\n|-", "\n!", "}", "]", "'", "a'b", "<ref", "<ref name=a>",
    "<nowiki/>", "-->", "<pre>", "<math>", "<tr><td>", "</div>", "<", "<a b='", "</", "<br>",
    "\n;a:b", "&", "&#91;",
    "_", "__TOC__", "~~~", "-{", "(", ")", ".", '."', "A. ", "St. ", "\n\n", "\x1d", "é", "灯。", "{{PAGENAME}}",
    "{{!}}", "{{#if:", "[[#a|", "[[:a|", "[[Category:a|", "[[fr:a]]",
    "[[a|]]", "[//a ", "http://a ", "%41", "[[%41",
    "\n= a =", "{{nowrap|a}}", "<gallery>\n{|\n</gallery>", "&#x", "&#91;&#91;a&#93;&#93;", "&ab", "lamp ", "a",
    "[[x" + " " * 200 + "y|]]", "a" * 39 + "(. ", "“a” ", "a.b", "\n" + "*" * 500, "__a__b", "{{#if:a|[[//a", "! ",
    "[[a#", "[[http://a ", "[http://a [[b]] ", "<includeonly>", "<onlyinclude>", "{{hlist|a|", "[[{{a", "[[{{a]]",
)  # fmt: skip
# Openings and closings, as many of each.
CLOSED = (
    ("{{a|", "}}"), ("{{nowrap|", "}}"), ("{{w|[[a]]|", "}}"), ("[[a|", "]]"), ("[[File:a|[[b]] ", "]]"),
    ("[[{{a", "]]"), ("{{a|[[", "]]}}"), ("{{a|\n{|", "}}"), ("<table>", "</table>"), ("\n{|", "\n|}"),
    ("<ref>", "</ref>"), ("{{{", "}}}"), ("{", "}"), ("[", "]"), ("(", ")"), ("[[{{a", "}}]]"), ("''", "''"),
    ("{{nowrap|{{a|", "}}}}"), ("<ref>{{a|", "}}</ref>"), ("{{a|<ref>", "</ref>}}"), ("{{lang|en|[[a|", "]]}}"),
    ("\n{|\n|{{a", "}}\n|}"), ("-{", "}-"), ("[http://a ", "]"), ("\n== {{a", " =="), ("<div>", "</div>"),
    ("{{{", "}} "),
)  # fmt: skip
# Much of one thing in another: opening, what is repeated, closing.
FILLED = (
    ("", "<ref a/b>", "</ref>"), ("<div ", "class=", ">"), ("<div class=", "float ", ">"), ("<b ", "a", ">"),
    ("{{", "subst:", "}}"), ("{{", "Template:", "}}"), ("[[", "en:", "a]]"), ("[[", "a:", "|]]"),
    ("[[a|", "b", "]]"), ("[[", "%41", "]]"), ("[[File:a|", "[[b]]", "]]"), ("[[File:a|", "|", "]]"),
    ("[[#", "a ", "|]]"), ("{{nowrap|", "|", "}}"), ("{{nowrap", "|a", "}}"), ("{{nowrap|", " ", "!=}}"),
    ("{{nowrap|", "a ", "=}}"), ("{{nowrap|", "&#32;", "}}"), ("{{nowrap|", "b", "}}"),
    ("{{nowrap|" * 20, "[[a]]", "}}" * 20), ("{{lc:" * 20, "a ", "}}" * 20), ("{{convert|", "1", "a|b}}"),
    ("{{convert|", "1±", "|b}}"), ("{{convert|", "1|", "}}"), ("{{val|", " ", "a}}"), ("{{IPAc-en|", "a|", "}}"),
    ("{{date|", "1", "|2}}"), ("{{nihongo|", "a|", "}}"), ("&#", "1", ";"), ("[[a|&#", "1", ";]]"),
    ("[[&#", "1", ";]]"), ("<nowiki>&#", "1", ";</nowiki>"), ("&#x", "1", ";"), ("\n", "*", "a"),
    ("\n", "=", "a"), ("\n= ", "=  ", "a"), ("\n= ", "a]]", " ="), ("\n= ", "''b", " ="),
    ("\n{|\n|", "||a", "\n|}"), ("\n{|", "\n|-\n!a!!b", "\n|}"), ("\n{|\n|", "a=b ", "| c\n|}"),
    ("<poem>", "a\n", "</poem>"), ("<pre>", "&", "</pre>"), ("<gallery>", "\na|[[b]]", "</gallery>"),
    ("<br>", " ", "a"), ("<!--", " -", ""), ("", " <!---->", ""), ("[http://", "a", " b]"),
    ("[http://a ", "[[b]]", ""), ("''", "a'", ""), ("-{", "a;", "}-"), ("-{", "-a", "}-"), ("__", "a_", "a__"),
    ("(", "a. B ", ")"), ("a. ", '"', "b"), ("a", ".", "b"), ("a", "。", "b"), ("a", " ", "b"), ("a", "\n ", "b"),
)  # fmt: skip


def filled(opening: str, unit: str, closing: str, num_bytes: int) -> str:
    """A page of about that size, of one of FILLED."""
    room = num_bytes - len((opening + closing).encode())
    return opening + unit * (room // len(unit.encode())) + closing


def check(article: Article) -> None:
    last = 0
    for mention in article.mentions:
        assert mention.target_title
        if mention.position < 0:
            assert mention.position == -1
            assert not mention.is_in_first_sentence
            continue
        end = mention.position + len(mention.anchor)
        assert mention.anchor
        assert article.text[mention.position : end] == mention.anchor
        assert mention.position >= last
        last = end
        if mention.is_in_first_sentence:
            assert mention.anchor.strip() in article.first_sentence
    assert article.first_sentence in article.text
    assert article.text == article.text.strip()
    assert "\n\n\n" not in article.text
    assert not set("\x1d\x1e\x1f\xa0") & set(article.text)


def as_wikitext(text: str) -> str:
    """Wikitext that shows a plain text: every sign is a character reference, every line a paragraph."""
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", text).replace("\n", "\n\n")


def squeezed(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())
