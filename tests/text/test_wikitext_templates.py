"""Templates: what of their words is kept, and what they say of a page."""

import pytest

from wikisearch.text.titles import Site
from wikisearch.text.wikitext import scan

EN = Site("en", False, {6: "File", 14: "Category"})


def text(wikitext: str) -> str:
    return scan(wikitext, "Lamp", EN).text


@pytest.mark.parametrize(
    ("wikitext", "wanted"),
    [
        ("{{convert|5|km|mi}}", "5 km"),
        ("{{Convert|5|to|7|km|mi|abbr=on}} {{cvt|1.5|x|2|m}}", "5 to 7 km 1.5 x 2 m"),
        ("{{lang|fr|la ''lampe''}} {{lang-fr|huile}}", "la lampe huile"),
        ("{{lang|fr|text=huile}}", "huile"),
        ("{{nihongo|Lamp|灯|tō}} {{nihongo|Oil}}", "Lamp (灯, tō) Oil"),
        ("{{nihongo|[[Lamp]]||tō}} {{nihongo foot|Lamp|灯}}", "Lamp (tō) Lamp"),
        ("{{convert|5|ft|6|in|m}} {{convert|5|ft|0}} {{convert|1|-|2|km}}", "5 ft 6 in 5 ft 1–2 km"),
        ("{{IPA|en|/x/}} {{IPA|/x/}} {{IPA-fr|ʁ|lang}}", "/x/ /x/ ʁ"),
        ("{{IPAc-en|lang|ˈ|l|æ|m|p|audio=a.ogg}} {{IPAc-en|audio=a.ogg}}", "/ˈlæmp/"),
        ("{{val|1.5|0.2|e=3|u=m}} {{val|7}}", "1.5±0.2×10^3 m 7"),
        ("{{birth date|1990|05|2}} {{start date|2001|7}} {{date|next week}}", "May 2, 1990 July 2001 next week"),
        ("{{as of|2010|5}} {{as of|2010|lc=y}}", "As of May 2010 as of 2010"),
        ("{{lc:ABC}} {{ucfirst:{{lc:DE}}}}", "abc De"),
        ("{{nowrap|a {{abbr|b|[[c]]}} d}}", "a b d"),
        ("{{quote|1=Be = or not}}", "Be = or not"),
        ("{{formatnum:12345}} {{formatnum:{{x}}7}}", "12345 7"),
        ("{{PAGENAME}}{{ndash}}{{!}}{{=}}", "Lamp–|="),
        ("{{frac|1|2}} {{frac|3|1|2}} {{frac|4}}", "1/2 3 1/2 1/4"),
        ("{{HMS|Vale|1900}} {{circa|1900}} {{color|red|warm}}", "HMS Vale c. 1900 warm"),
        ("{{zh|s=灯|p=dēng}}", "灯"),
        ("{{Template:nowrap|a}} {{_nowrap_|b}} {{subst:nowrap|c}}", "a b c"),
        ("{{nowrap|a|b}} {{nowrap}}", "a "),
        ("{{nowrap|=a}}{{nowrap| = a|b}}", "b"),
        (f"{{{{nowrap|a{'|b' * 2000}|1=c}}}}", "a"),
        (f"{{{{{'subst:' * 9}nowrap|a}}}}", ""),
        ("{{unknown|a}}", ""),
        ("{{w|Oil|fuel}} {{w|Oil}}", "fuel Oil"),
    ],
)
def test_templates_whose_words_are_kept(wikitext: str, wanted: str) -> None:
    assert text(wikitext) == wanted.strip()


@pytest.mark.parametrize(
    ("wikitext", "title", "language", "wanted"),
    [
        ("{{disambig}}", "Lamp", "en", True),
        ("{{Disambiguation|geo}}", "Lamp", "en", True),
        ("{{TLAdisambig}}", "LMP", "en", True),
        ("{{4LA}}", "LAMP", "en", True),
        ("{{2CC}}", "LA", "en", True),
        ("{{hndis|Vale}}", "Ana Vale", "en", True),
        ("text", "Lamp (disambiguation)", "en", True),
        ("__DISAMBIG__", "Lamp", "en", True),
        ("{{Begriffsklärung}}", "Lampe", "de", True),
        ("{{Begriffsklärung}}", "Lamp", "en", False),
        ("{{homonymie}}", "Lampe", "fr", True),
        ("{{Неоднозначность}}", "Лампа", "ru", True),
        ("text", "灯 (曖昧さ回避)", "ja", True),
        ("{{surname}}", "Vale", "en", False),
        ("{{about|x}} <!-- {{disambig}} --> <nowiki>{{disambig}}</nowiki>", "Lamp", "en", False),
        ("text", "Disambiguation", "en", False),
    ],
)
def test_disambiguation(wikitext: str, title: str, language: str, wanted: bool) -> None:
    assert scan(wikitext, title, Site(language, False, {})).is_disambiguation is wanted


@pytest.mark.parametrize(
    ("wikitext", "language", "wanted"),
    [
        ("{{surname}}", "en", "set_index"), ("{{Set index article|lamps}}", "de", "set_index"),
        ("{{soft redirect|:wikt:lamp}}", "en", "soft_redirect"),
        ("{{Falschschreibung|Lampe}}", "de", "soft_redirect"),
        ("{{Homonymie}}", "fr", "disambiguation"), ("{{patronyme}}", "fr", "set_index"),
        ("{{desambiguación}}", "es", "disambiguation"), ("{{Disambigua}}", "it", "disambiguation"),
        ("{{Список однофамильцев}}", "ru", "set_index"), ("{{мягкое перенаправление|x}}", "ru", "soft_redirect"),
        ("{{aimai}}", "ja", "disambiguation"), ("{{ソフトリダイレクト|x}}", "ja", "soft_redirect"),
        ("{{消歧义}}", "zh", "disambiguation"), ("{{軟重定向|[[x]]}}", "zh", "soft_redirect"),
        ("{{surname}} {{hndis}}", "en", "disambiguation"), ("{{nowrap|surname}}", "en", "article"),
    ],
)  # fmt: skip
def test_kinds_of_pages(wikitext: str, language: str, wanted: str) -> None:
    assert scan(wikitext, "Lamp", Site(language, False, {})).kind == wanted
