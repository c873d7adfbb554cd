"""One kind of markup a test, with inputs made up for it."""

import pytest

from wikisearch.text.titles import Site
from wikisearch.text.wikitext import Article, Mention, WikitextParams, scan

EN = Site("en", False, {6: "File", 14: "Category"})


def read(wikitext: str, title: str = "Lamp", site: Site = EN) -> Article:
    return scan(wikitext, title, site)


def text(wikitext: str) -> str:
    return read(wikitext).text


def links(wikitext: str) -> list[tuple[str, str, int]]:
    return [(mention.target_title, mention.anchor, mention.position) for mention in read(wikitext).mentions]


def test_a_page_with_everything() -> None:
    article = read(
        "{{Infobox lamp|name=[[Maker]]}}\n"
        ":''For the oil, see [[Oil lamp]].''\n"
        "[[File:L.jpg|thumb|Seen in [[Orm]].]]\n"
        "A '''lamp''' (plural ''lamps'') is a [[light source|source]] of [[light]]s."
        "<ref>See [[Vale]].</ref> It glows.\n"
        "\n== Kinds ==\n* [[Arc lamp]]\n* oil\n[[Category:Lamps|!]]\n[[fr:Lampe]]\n"
    )
    assert article.text == (
        "For the oil, see Oil lamp.\n"
        "\nA lamp (plural lamps) is a source of lights. It glows.\n"
        "\nKinds\nArc lamp\noil"
    )
    assert article.first_sentence == "A lamp (plural lamps) is a source of lights."
    assert article.mentions == [
        Mention("Maker", "Maker", -1, False),
        Mention("Oil lamp", "Oil lamp", 17, False),
        Mention("Orm", "Orm", -1, False),
        Mention("Light source", "source", 55, True),
        Mention("Light", "lights", 65, True),
        Mention("Vale", "Vale", -1, False),
        Mention("Arc lamp", "Arc lamp", 90, False),
    ]
    assert article.categories == ["Lamps"]
    assert not article.is_disambiguation


@pytest.mark.parametrize(
    ("wikitext", "wanted"),
    [
        ("[[oil]]", [("Oil", "oil", 0)]),
        ("[[oil|fuel]]", [("Oil", "fuel", 0)]),
        ("an [[oil]]y one", [("Oil", "oily", 3)]),
        ("[[oil]]Y", [("Oil", "oil", 0)]),
        ("[[Vale (town)|]]", [("Vale (town)", "Vale", 0)]),
        ("[[Orm, Vale|]]", [("Orm, Vale", "Orm", 0)]),
        ("[[oil#Use|fuel]]", [("Oil", "fuel", 0)]),
        ("[[#Use]] [[#Use|use]]", []),
        ("[[lamp]] [[Lamp|itself]]", []),
        ("[[a_b]] [[ a  b |x]]", [("A b", "a_b", 0), ("A b", "x", 4)]),
        ("[[oil|''rape'' oil]]s", [("Oil", "rape oils", 0)]),
        ("[[oil|fuel\nof lamps]]", [("Oil", "fuel of lamps", 0)]),
        ("[[Oil &amp; gas]] [[gas|a&nbsp;gas]]", [("Oil & gas", "Oil & gas", 0), ("Gas", "a gas", 10)]),
        ("[[oil|a|b]]", [("Oil", "a|b", 0)]),
        ("[[oil|{{nowrap|whale oil}}]]", [("Oil", "whale oil", 0)]),
        ("[[oil|<small>whale</small> oil]]", [("Oil", "whale oil", 0)]),
        ("[[oil|[whale] oil]]", [("Oil", "[whale] oil", 0)]),
        ("[[oil|[whale]]]", [("Oil", "[whale]", 0)]),
        ("[[oil|{{efn|x}}]]", [("Oil", "", -1)]),
        ("[[User:Ana|Ana]] [[Special:Random]] [[wikt:oil|oil]] [[:fr:huile]]", []),
        ("[[Halcyon: The Gate]]", [("Halcyon: The Gate", "Halcyon: The Gate", 0)]),
        ("[[oil]] and [[unclosed\n== H ==\n[[gas]]", [("Oil", "oil", 0), ("Gas", "gas", 21)]),
        ("[[a|b [[oil]] c]]", [("Oil", "oil", 6)]),
        ("[[[oil]]] [[oi\nl]] [[o<b>il]]", []),
        ("[[File:a.png|thumb|x [[oil|y]] [[File:b.png|[[gas]]]]]]", [("Oil", "y", -1), ("Gas", "gas", -1)]),
        ("{{x|[[oil]]|{{y|[[gas]]}}}}", [("Oil", "oil", -1), ("Gas", "gas", -1)]),
        ("{|\n| [[oil]]\n{|\n| [[gas]]\n|}\n|}", [("Oil", "oil", -1), ("Gas", "gas", -1)]),
        ("<gallery>\nA.jpg|[[oil]]\n</gallery>[[gas]]", [("Oil", "oil", -1), ("Gas", "gas", 0)]),
        ("<nowiki>[[oil]]</nowiki> <!-- [[gas]] --> <pre>[[wax]]</pre>", []),
        ("{{nowrap|[[oil]] lamp}}", [("Oil", "oil", 0)]),
        ("{{abbr|kW|[[kilowatt]]}}", [("Kilowatt", "kilowatt", -1)]),
    ],
)
def test_links(wikitext: str, wanted: list[tuple[str, str, int]]) -> None:
    assert links(wikitext) == wanted


@pytest.mark.parametrize(
    ("wikitext", "wanted"),
    [
        # Apostrophes
        ("''i'' '''b''' '''''bi''''' rock 'n' roll", "i b bi rock 'n' roll"),
        ("The ''Vale'''s mast and ''Orm''", "The Vale's mast and Orm"),
        ("''Vale'''s mast\nthe ''Orm'''s mast", "Vale's mast the Orm's mast"),
        ("an l'''homme'' here", "an l'homme here"),
        ("''''four''''", "'four'"),
        ("'''open\n\nnext", "open\n\nnext"),
        # Comments
        ("a<!-- x -->b", "ab"),
        ("a\n<!-- x -->\nb", "a b"),
        ("a <!-- x", "a"),
        ("a <!-- x -- > --> b --> c", "a  b --> c"),
        ("<nowiki><!-- x --></nowiki>", "<!-- x -->"),
        # Lines
        ("one\ntwo\n\nthree", "one two\n\nthree"),
        ("a\n\n\n\n b", "a\n\nb"),
        ("* a\n** b\n# c\n:d\n;e:f\ng", "a\nb\nc\nd\ne:f\ng"),
        ("== H ==\na\n=== ''I'' [[oil]] ===\n\nb", "H\na\nI oil\n\nb"),
        ("a\n==H", "a ==H"),
        ("a\n= H =\nb", "a\nH\nb"),
        ("a\n----\nb", "a\nb"),
        ("a<br>b<br />c", "a\nb\nc"),
        ("<p>a</p><p>b</p>", "a\nb"),
        # Templates
        ("a {{x}} b {{y|1|2}}, c", "a b, c"),
        ("a ({{x}}) b ({{x}}; c) d (e; {{x}})", "a b (c) d (e)"),
        ("f() stays", "f() stays"),
        ("a ( {{x}} ", "a ("),
        ("a\n\n({{x}})<br>", "a"),
        ("({{x}})\n\na", "a"),
        ("{{x|{{y|{{z}}}}|\n* k}}a", "a"),
        ("{{{1|default}}} a {{{{x}}}} b", "a {} b"),
        ("{{x|a\n|}}b", "b"),
        ("a {{x| b [[c]]", "a {{x| b c"),
        ("a }} b", "a }} b"),
        ("[[File:a|{{x b]] c", "c"),
        # Tables
        ('a\n{| class="x"\n! h\n|-\n| c || d\n|}\nb', "a\n\nb"),
        ("a\n:{|\n| c\n|}b", "a\n\nb"),
        ("a\n{|\n| c\n\n| d\n\nprose here", "a\n\nprose here"),
        ("{{table start}}\n| c\n|-\n| d\n|}\nb", "b"),
        ("<table><tr><td>c<table><tr><td>d</table></table>b", "b"),
        # Tags
        ("a<ref>x</ref>b<ref name=n/>c<ref name=n>{{cite|t=<b>x</b>}}</ref>d", "abcd"),
        ("a<ref>x b\n\nc", "ax b\n\nc"),
        ("a<ref>x b<ref>y</ref> c", "ax b c"),
        ("a <math>\\frac{1}{2}</math>, b", "a, b"),
        ("<code>x[[oil]]</code> H<sub>2</sub>O", "xoil H2O"),
        ("a <foo>b</foo> 1 < 2", "a <foo>b</foo> 1 < 2"),
        ("<syntaxhighlight lang=c>\nint a[[2]];\n</syntaxhighlight>", "int a[[2]];"),
        ("<noinclude>a</noinclude><includeonly>b</includeonly><onlyinclude>c</onlyinclude>", "ac"),
        ("<poem>\na\nb\n</poem>", "a\nb"),
        ("<nowiki>''a'' {{b}} &amp;</nowiki>", "''a'' {{b}} &"),
        ("a <nowiki>b", "a b"),
        ('<div style="float:right">box <div>in</div> it</div>prose', "prose"),
        ("<div>box</div>prose", "box\nprose"),
        # External links
        ("[http://x.example a label] [http://x.example] http://y.example", "a label http://y.example"),
        ("[http://x.example ''a'' {{x}}label]s", "a labels"),
        ("[[http://x.example b]] [http://x.example [[oil]] c]", "[b] oil c"),
        ("[//x.example a] [mailto:a@x.example mail] [not a link]", "a mail [not a link]"),
        # The rest
        ("__NOTOC__a __INIT__ __TOC__", "a __INIT__"),
        ("&lt;b&gt; &eacute; &#65;&#x42; &nbsp;c &unknown;", "<b> é AB  c &unknown;"),
        ("[[de:Lampe]]\n[[File:a.png]]\na[[Category:x]]", "a"),
        ("see [[:Category:Lamps]] and [[:File:a.png|a]]", "see Category:Lamps and a"),
    ],
)
def test_text(wikitext: str, wanted: str) -> None:
    assert text(wikitext) == wanted


def test_brackets_left_empty_leave_no_empty_lines() -> None:
    for wikitext in (
        "a\n* b\n* ({{x}})\n\n\nc",
        "a\n:  x\n:  ({{x}}) \n\nc",
        "a\n*({{x}})({{x}})({{x}})\n\nc",
        "a\n:\n\u2003({{x}})\n\n\nc",
        "a ({{x}}\xa0\xa0\xa0  )\n\n\n\nc",
        "a\n*({{x}})\n{|\n|}\nc",
        "a\n({{x}})\n\n({{x}})\n\n({{x}})\nc",
    ):
        article = scan(wikitext + " [[d]]", "X", EN)
        assert "\n\n\n" not in article.text
        assert "(" not in article.text
        assert [article.text[m.position :] for m in article.mentions] == ["d"]


def test_blanks_of_two_kinds_after_a_bracket_are_taken_with_the_breaks_after_them() -> None:
    assert scan("a ({{x}}" + "\xa0" * 11 + "  \n\n\n\nb [[c]]", "X", EN).text == "a (\n\nb c"


def test_numbers_of_thousands_of_digits_are_no_character() -> None:
    reference = f"&#{'1' * 5000};"
    article = scan(f"{reference} [[a|{reference}]] [[{reference}]] <nowiki>{reference}</nowiki>", "X", EN)
    assert article.text == "\ufffd \ufffd [[\ufffd]] \ufffd"
    assert [mention.target_title for mention in article.mentions] == ["A"]


def test_words_of_other_languages() -> None:
    german = Site("de", False, {6: "Datei", 14: "Kategorie"})
    article = read(
        "[[Bild:a.png]]Die [[Lampe]]n und [[Öl]]würze. {{Höhe|12}}[[Kategorie:Öl]] __KEIN_INHALTSVERZEICHNIS__",
        "X",
        german,
    )
    assert article.text == "Die Lampen und Ölwürze. 12 m"
    assert article.categories == ["Öl"]
    french = Site("fr", False, {})
    article = read("au {{XIXe siècle}}, {{lien|langue=en|trad=Oil|fr=huile}}", "X", french)
    assert article.text == "au XIXe siècle, huile"
    chinese = Site("zh", False, {})
    article = read("-{zh-hans:灯;zh-hant:燈}-是[[光|-{光}-]]abc-{T|x}-。", "X", chinese)
    assert article.text == "灯是光abc。"
    assert [mention.anchor for mention in article.mentions] == ["光"]
    arabic = Site("ar", False, {})
    article = read("هو ال[[مصباح|مصباح]]ان و [[ضوء]]", "X", arabic)
    assert [(m.target_title, m.anchor) for m in article.mentions] == [("مصباح", "المصباحان"), ("ضوء", "ضوء")]
    assert article.text[article.mentions[0].position :].startswith("المصباحان")
    icelandic = Site("is", False, {})
    assert [m.anchor for m in read("há[[ljós]]ið, ''há''[[ljós]] [[a]][[b]]", "X", icelandic).mentions] == [
        "háljósið", "ljós", "a", "b",
    ]  # fmt: skip
    assert read("un[[oil]]", "X", EN).mentions[0].anchor == "oil"
    russian = Site("ru", False, {})
    assert read("[[лампа]]ми", "X", russian).mentions[0].anchor == "лампами"


@pytest.mark.parametrize(
    ("wikitext", "wanted"),
    [
        ("''For other lamps, see [[x]].''\n\nA lamp. It glows.", "A lamp."),
        ("{{x}}\n\n<br>\n__NOTOC__\n'''Lamp''' is a lamp.", "Lamp is a lamp."),
        (":an indented notice\nA lamp.", "A lamp."),
        ("== H ==\n* item\nProse here. More.", "Prose here."),
        ("* only a list. Of items\n* b", "only a list."),
        ("Lamp may refer to:\n* [[a]], x. y", "Lamp may refer to:"),
        ("Lamp ({{IPA|x. Y}}{{z}}) is [http://x a lamp]. B", "Lamp (x. Y) is a lamp."),
        ("", ""),
        ("{{x}}", ""),
        ("''all italic''", "all italic"),
    ],
)
def test_first_sentence(wikitext: str, wanted: str) -> None:
    assert read(wikitext).first_sentence == wanted


def test_links_of_the_first_sentence() -> None:
    article = read(
        "[[File:a|thumb|[[c]]]]''See [[h]].''\n\n"
        "A [[b]] of [[St. Orm]]<ref>[[r]]</ref> ([[p]]. x) here. [[Zed]]{{t|[[q]]}}"
    )
    assert [m.target_title for m in article.mentions if m.is_in_first_sentence] == ["B", "St. Orm", "P"]


def test_categories_are_in_order_and_once() -> None:
    article = read("[[Category:b]][[category:a|*]][[Category:B]]{{x|[[Category:c]]}}[[:Category:d]]")
    assert article.categories == ["B", "A", "C"]


TABLE = (
    "A [[b]].\n== H [[c]] ''x'' ==\n{| class=x\n|+ cap [[d]]\n|-\n! h1 !! style=y | h2\n|-\n| align=left | [[e]]"
    " || f\n{|\n| inner || in2\n|}\n|}\nAfter. <table><tr><td>q</td><td>[[r]]</td></tr></table> End."
)


def test_tables_and_headings_are_kept_or_dropped() -> None:
    kept = scan(TABLE, "X", EN, WikitextParams(keep_tables=True))
    assert kept.text == "A b.\nH c x\ncap d\nh1\th2\ne\tf\ninner\tin2\n\nAfter.\nq\tr\nEnd."
    assert all(kept.text[m.position :].startswith(m.anchor) and m.position >= 0 for m in kept.mentions)
    assert [m.target_title for m in kept.mentions] == ["B", "C", "D", "E", "R"]
    bare = scan(TABLE, "X", EN, WikitextParams(keep_headings=False))
    assert bare.text == "A b.\n\nAfter.\nEnd."
    assert [(m.target_title, m.position) for m in bare.mentions][:3] == [("B", 2), ("C", -1), ("D", -1)]
    assert read("{|\n| row\n\nprose", "X", EN).text == "prose"
    assert scan("{|\n| a <ref>[[b]]</ref>|| c\n|}", "X", EN, WikitextParams(keep_tables=True)).text == "a\tc"
    assert scan("a\n{|\n| b\n\nprose", "X", EN, WikitextParams(keep_tables=True)).text == "a\nb\n\nprose"


def test_a_table_before_the_lead_is_not_the_lead() -> None:
    article = scan("{|\n| A cell. B\n|}\nA lamp. It glows.", "X", EN, WikitextParams(keep_tables=True))
    assert article.first_sentence == "A lamp."
