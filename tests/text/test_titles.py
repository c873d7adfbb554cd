import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.text.redirects import redirect_target
from wikisearch.text.titles import Site, Title, namespace_of, normalize_title, split_prefix, upper_first

EN = Site("en", False, {4: "Wikipedia", 6: "Image", 100: "Portal"})
DE = Site("de", False, {6: "Datei", 14: "Kategorie"})


def full(raw: str, site: Site = EN) -> str | None:
    title = normalize_title(raw, site)
    return None if title is None else title.full


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("brass_lamp", "Brass lamp"),
        ("  brass   lamp ", "Brass lamp"),
        ("brass\u00a0lamp", "Brass lamp"),
        ("brass&nbsp;lamp", "Brass lamp"),
        ("brass\u200elamp", "Brasslamp"),
        ("Oil &amp; wick", "Oil & wick"),
        ("Oil %26 wick", "Oil & wick"),
        ("B%C3%BCrste", "Bürste"),
        ("C++", "C++"),
        ("UTC+03:00", "UTC+03:00"),
        ("Halcyon: The Gate", "Halcyon: The Gate"),
        (":Lamp", "Lamp"),
        ("lamp#Wick", "Lamp"),
        ("lamp #Wick", "Lamp"),
        ("Talk:lamp", "Talk:Lamp"),
        ("user_TALK: ana", "User talk:Ana"),
        ("WP:lamp", "Wikipedia:Lamp"),
        ("project:lamp", "Wikipedia:Lamp"),
        ("file:lamp.png", "Image:Lamp.png"),
        ("portal:lamps", "Portal:Lamps"),
        ("en:lamp", "Lamp"),
        ("élan", "Élan"),
        ("жук", "Жук"),
        ("...", "..."),
        ("Lamp/", "Lamp/"),
        ("A/.B", "A/.B"),
        ("(lamp)", "(lamp)"),
        ("24 lamps", "24 lamps"),
    ],
)
def test_titles_are_normalised(raw: str, wanted: str) -> None:
    assert full(raw) == wanted


@pytest.mark.parametrize(
    "raw",
    ["", " ", "#Wick", "a<b", "a>b", "a[b", "a]b", "a{b", "a}b", "a|b", "a\x00b", "a\x7fb", "a\nb", ".", "..",
     "./a", "../a", "a/.", "a/..", "a/./b", "a/../b", "7%2525 b", "a&amp;amp;b", "a~~~b", "%FF",
     "x" * 256, "é" * 128, "Category:", "Talk:File:Lamp.png", "::lamp"],
)  # fmt: skip
def test_what_names_no_page(raw: str) -> None:
    assert normalize_title(raw, EN) is None


def test_255_bytes_are_a_title() -> None:
    assert full("X" * 255) == "X" * 255
    assert full("é" * 127) == "É" + "é" * 126


def test_first_letters_that_keep_their_case() -> None:
    assert [upper_first(name, "en") for name in ("ßa", "ŉa", "აბ", "ǰa")] == ["ßa", "ŉa", "აბ", "ǰa"]
    assert upper_first("izmir", "tr") == "İzmir"
    assert upper_first("", "en") == ""


def test_case_sensitive_sites_keep_the_first_letter() -> None:
    site = Site("en", True, {})
    assert [full(raw, site) for raw in ("lamp", "Lamp", "category:lamp")] == ["lamp", "Lamp", "Category:lamp"]


def test_prefixes_of_the_language_the_canon_and_the_site() -> None:
    for raw in ("Bild:a.png", "Datei:a.png", "File:a.png", "Image:a.png"):
        assert full(raw, DE) == "Datei:A.png"
    assert namespace_of("Benutzerin Diskussion:Ana", DE) == 3
    assert namespace_of("Benutzerin:Ana", EN) == 0
    for language, raw, number in [
        ("fr", "Fichier:a", 6), ("es", "Categoría:a", 14), ("it", "Immagine:a", 6), ("ru", "Файл:a", 6),
        ("ja", "画像:a", 6), ("zh", "分类:a", 14), ("nl", "Afbeelding:a", 6), ("pl", "Grafika:a", 6),
        ("pt", "Ficheiro:a", 6), ("de-at", "Vorlage:a", 10),
    ]:  # fmt: skip
        assert namespace_of(raw, Site(language, False, {})) == number


def test_names_that_only_wikipedias_have() -> None:
    nothing_said = Site("de", False, {})
    wikipedia = Site("de", False, {4: "Wikipedia", 12: "Hilfe", 100: "Portal"})
    for site in (nothing_said, wikipedia):
        assert [namespace_of(f"{name}:a", site) for name in ("WP", "Wikipedia", "H", "Portal")] == [4, 4, 12, 100]
    assert namespace_of("Modul:a", nothing_said) == 828
    assert namespace_of("Modul:a", wikipedia) == 0
    dictionary = Site("de", False, {4: "Wiktionary", 12: "Hilfe"})
    assert [namespace_of(f"{name}:a", dictionary) for name in ("WP", "Wiktionary", "H", "Hilfe")] == [0, 4, 0, 12]


def test_what_the_site_says_wins_over_the_data_files() -> None:
    site = Site("en", False, {6: "Picture", 90: "Help"}, {"Pic": 6}, {"zz": True, "shelf": False})
    assert [full(raw, site) for raw in ("pic:a", "image:a", "help:a")] == ["Picture:A", "Picture:A", "Help:A"]
    assert namespace_of("Help:a", site) == 90
    assert normalize_title("zz:a", site) == Title(0, "a", interwiki="zz", is_interlanguage=True)
    assert normalize_title("fr:a", site) == Title(0, "Fr:a")


def test_redirect_words_of_many_languages() -> None:
    for language, word in [
        ("ja", "＃転送"), ("ja", "#リダイレクト"), ("ka", "#გადამისამართება"), ("ksh", "#ömleide_op"),
        ("vi", "#ĐỔI"),
        ("az", "#istiqamətləndirmə"), ("tr", "#YÖNLENDİRME"), ("se", "#STIVREN"), ("km", "#ប្តូរទីតាំងទៅ"),
        ("or", "#ଲେଉଟାଣି"), ("os", "#ÆРВИТÆН"), ("zh-yue", "#重新導向"),
    ]:  # fmt: skip
        assert redirect_target(f"{word} [[灯]]", Site(language, False, {})) == "灯", word
    assert redirect_target("＃REDIRECT [[Lamp]]", EN) is None
    assert redirect_target("#WEITERLEITUNG [[Lamp]]", EN) is None


def test_a_prefix_that_the_site_does_not_have_is_part_of_the_title() -> None:
    assert split_prefix("Portal:Lamps", DE) == (0, "Portal:Lamps")
    assert split_prefix("Portal:Lamps", EN) == (100, "Lamps")


def test_other_wikis() -> None:
    assert normalize_title("fr:lampe", EN) == Title(0, "lampe", interwiki="fr", is_interlanguage=True)
    assert normalize_title(":fr:lampe", EN) == Title(0, "lampe", interwiki="fr", has_leading_colon=True)
    assert normalize_title("wikt:lamp", EN) == Title(0, "lamp", interwiki="wikt")
    assert normalize_title("s:de:Lampe", EN) == Title(0, "de:Lampe", interwiki="s")


def test_sites_travel_to_workers_and_are_keys() -> None:
    assert pickle.loads(pickle.dumps(EN)) == EN
    assert len({EN, Site("en", False, {4: "Wikipedia", 6: "Image", 100: "Portal"}), DE}) == 2


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_normalising_again_changes_nothing(raw: str) -> None:
    title = normalize_title(raw, EN)
    if title is not None and not title.interwiki and "&" not in title.full and "%" not in title.full:
        again = normalize_title(":" + title.full, EN)
        assert again is not None
        assert (again.namespace, again.name) == (title.namespace, title.name) or again.interwiki


@given(st.text(alphabet="aB ._/#:%&<[é\u00a0\u200e2", max_size=12))
def test_names_have_no_blanks_around_and_no_underscores(raw: str) -> None:
    title = normalize_title(raw, EN)
    if title is not None and not title.interwiki:
        assert title.name == title.name.strip(" ")
        assert title.name
        assert not set(title.name) & set("_<[#\u200e\u00a0")


@pytest.mark.parametrize(
    ("language", "wikitext", "wanted"),
    [
        ("en", "#REDIRECT [[lamp]]", "Lamp"),
        ("en", "#ReDirect:[[lamp_guild#Oil|x]] {{R from move}}", "Lamp guild"),
        ("en", "\n #redirect\n[[lamp]]", "Lamp"),
        ("en", "#REDIRECT [[:Category:lamps]]", "Category:Lamps"),
        ("en", "#REDIRECT [[wikt:lamp]]", "wikt:lamp"),
        ("de", "#WEITERLEITUNG [[Lampe]]", "Lampe"),
        ("de", "#REDIRECT [[Lampe]]", "Lampe"),
        ("es", "#REDIRECCIÓN [[Farol]]", "Farol"),
        ("ru", "#перенаправление [[лампа]]", "Лампа"),
        ("ja", "#転送[[ランプ]]", "ランプ"),
        ("en", "#WEITERLEITUNG [[Lampe]]", None),
        ("en", "Text. #REDIRECT [[lamp]]", None),
        ("en", "# REDIRECT [[lamp]]", None),
        ("en", "#REDIRECT [[]]", None),
        ("en", "#REDIRECT [[#Oil]]", None),
        ("en", "#REDIRECT lamp", None),
        ("en", "#REDIRECTS [[lamp]]", None),
        ("en", "", None),
    ],
)
def test_redirects(language: str, wikitext: str, wanted: str | None) -> None:
    assert redirect_target(wikitext, Site(language, False, {})) == wanted


@given(st.text(max_size=80))
def test_redirects_never_raise(wikitext: str) -> None:
    redirect_target("#REDIRECT [[" + wikitext, EN)


def test_blanks_without_end_are_no_redirect() -> None:
    """Were the pattern to try the blanks in every way, these would take minutes."""
    for wikitext in ("#REDIRECT [[" + " " * 300_000, " " * 300_000, "#REDIRECT" + " " * 300_000 + "[["):
        assert redirect_target(wikitext, Site("en", False, {})) is None


def test_names_that_are_too_long_name_nothing() -> None:
    en = Site("en", False, {})
    assert normalize_title("en:" * 600_000 + "a", en) is None
    assert normalize_title("de:" + "a" * 2000, en) is None
    found = normalize_title("en:en:a", en)
    assert found is not None
    assert found.full == "A"
