import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.report.licence import UNKNOWN, licence_notice

WIKIPEDIA = "http://en.wikipedia.org/wiki/Main_Page"


@pytest.mark.parametrize(
    ("dump_date", "said", "unsaid"),
    [
        ("2006-03-03", "GNU Free Documentation License, version 1.2", "CC BY-SA"),
        ("2009-06-14", "GNU Free Documentation License, version 1.2", "CC BY-SA"),
        ("2009-06-15", "(CC BY-SA 3.0)", "4.0"),
        ("2023-06-06", "(CC BY-SA 3.0)", "4.0"),
        ("2023-06-07", "(CC BY-SA 4.0)", "3.0"),
        ("2026-02-01", "(GFDL)", "version 1.2"),
    ],
)
def test_licence_follows_the_date(dump_date: str, said: str, unsaid: str) -> None:
    notice = licence_notice(WIKIPEDIA, dump_date)
    assert said in notice
    assert unsaid not in notice
    assert "en.wikipedia.org" in notice


@pytest.mark.parametrize(
    ("base_url", "dump_date"),
    [
        (None, "2026-02-01"),
        (WIKIPEDIA, None),
        ("https://www.wikidata.org/wiki/Wikidata:Main_Page", "2026-02-01"),
        ("https://notwikipedia.org/", "2026-02-01"),
        ("https://wikipedia.org.example/", "2026-02-01"),
        ("http://[broken", "2026-02-01"),
    ],
)
def test_what_is_not_known_is_not_claimed(base_url: str | None, dump_date: str | None) -> None:
    assert licence_notice(base_url, dump_date) == UNKNOWN
    assert "see the dump's own terms" in UNKNOWN


@given(st.none() | st.text(), st.none() | st.text())
def test_never_raises(base_url: str | None, dump_date: str | None) -> None:
    assert licence_notice(base_url, dump_date)
