import base64
import dataclasses
import json
import re

import lxml.etree
import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.report.facts import Facts, MeasureFact
from wikisearch.report.measures import main_split, measures_table
from wikisearch.report.render import (
    escaped_markdown,
    render_files,
    render_html,
    render_json,
    render_markdown,
)
from wikisearch.report.summary import render_summary


def _cells(html: str) -> list[str]:
    return [cell.text_content() for cell in lxml.html.fromstring(html).iter("td")]


def test_html_is_self_contained(facts: Facts) -> None:
    html = render_html(facts)
    page = lxml.html.fromstring(html)
    urls = [value for element in page.iter() for name, value in element.items() if name in ("src", "href")]
    assert len(urls) > 8
    ids = {element.get("id") for element in page.iter() if element.get("id")}
    for url in urls:
        assert url.startswith("data:image/svg+xml;base64,") or url.removeprefix("#") in ids
    assert not list(page.iter("script", "link", "iframe", "object"))
    assert "url(" not in html
    assert "@import" not in html


def test_plots_are_svg_with_words_for_those_who_do_not_see_them(facts: Facts) -> None:
    images = list(lxml.html.fromstring(render_html(facts)).iter("img"))
    assert len(images) == 4
    for image in images:
        svg = lxml.etree.fromstring(base64.b64decode(image.get("src").partition(",")[2]))
        assert svg.tag == "{http://www.w3.org/2000/svg}svg"
        references = [
            value for element in svg.iter() for name, value in element.items() if name.endswith("href")
        ]
        assert all(reference.startswith("#") for reference in references)
        assert len(image.get("alt")) > 40


def test_html_is_accessible(facts: Facts) -> None:
    page = lxml.html.fromstring(render_html(facts))
    assert page.get("lang") == "en"
    for table in page.iter("table"):
        assert table.findtext("caption")
        assert all(heading.get("scope") == "col" for heading in table.iter("th"))
    titled = [cell for cell in page.iter("td") if cell.text_content() == "Zwei"]
    assert [(cell.get("lang"), cell.get("dir")) for cell in titled] == [("en", "auto")]


def test_numbers_stand_to_the_right(facts: Facts) -> None:
    page = lxml.html.fromstring(render_html(facts))
    classes = {cell.text_content(): cell.get("class") for cell in page.iter("td")}
    assert classes["0.4512"] == classes["1,200"] == "number"
    assert classes["bm25"] is None


def test_words_of_the_wiki_are_escaped_in_html(facts: Facts, hostile: str) -> None:
    html = render_html(facts)
    assert "<script" not in html
    assert _cells(html).count(hostile) == 2


def test_every_word_from_outside_is_escaped(facts: Facts, hostile: str) -> None:
    outside = dataclasses.replace(
        facts,
        wiki=dataclasses.replace(
            facts.wiki, wiki=hostile, language=hostile, generator=hostile, base_url=hostile, dump_date=hostile
        ),
        run=dataclasses.replace(
            facts.run, snapshot=hostile, versions={hostile: hostile}, commits={hostile: {hostile: hostile}}
        ),
        measures=tuple(
            dataclasses.replace(fact, system=hostile, measure=hostile, family=hostile)
            for fact in facts.measures
        ),
    )
    html = render_html(outside)
    assert "<script" not in html
    titled = next(lxml.html.fromstring(html).iter("title")).text
    assert titled is not None
    assert hostile.strip() in titled


def test_best_means_are_stressed(facts: Facts) -> None:
    table = measures_table([fact for fact in facts.measures if fact.split == "test"])
    assert [column.heading for column in table.columns][:5] == ["system", "AP", "nDCG@10", "P@5", "P@10"]
    # bm25 leads AP and P@10, tfidf nDCG@10; P@5 is a tie
    assert table.strong == {(0, 1), (1, 2), (0, 3), (1, 3), (0, 4)}
    strong = [each.text for each in lxml.html.fromstring(render_html(facts)).iter("strong")]
    assert strong == ["0.3121", "0.2500", "0.1875", "0.4601", "0.2500"] * 2


def test_a_measure_that_one_system_lacks_is_a_dash(facts: Facts) -> None:
    some = [fact for fact in facts.measures if fact.split == "test" and fact != facts.measures[-1]]
    rows = measures_table(some).rows
    assert [row[4] for row in rows] == ["0.1875", "–"]


@pytest.mark.parametrize(
    ("splits", "main"),
    [
        (("training", "test", "all"), "test"),
        (("training", "all"), "all"),
        (("validation", "training"), "validation"),
        ((), None),
    ],
)
def test_main_split(splits: tuple[str, ...], main: str | None) -> None:
    facts = [MeasureFact("s", "f", "AP", split, "all_qrels", 0.5, 1, 1, 1, 0) for split in splits]
    assert main_split(facts) == main


def test_markdown_tables_are_whole_whatever_stands_in_them(facts: Facts) -> None:
    lines = render_markdown(facts).splitlines()
    title = r"""&lt;script src="//x"&gt;alert('1')&lt;/script&gt; \| a\*b\_c\` &amp; 'q'"""
    assert f"| 1 | {title} | 1.230e-02 | 321 | 45 |" in lines
    pipes = [len(re.findall(r"(?<!\\)\|", line)) for line in lines]
    runs = [set(run) for run in _runs(pipes)]
    assert len(runs) > 10
    assert all(len(run) == 1 for run in runs)


def _runs(pipes: list[int]) -> list[list[int]]:
    """Numbers of pipes of lines that follow each other and have some: one list a table."""
    runs: list[list[int]] = [[]]
    for count in pipes:
        if count:
            runs[-1].append(count)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def test_markdown_says_what_html_says(facts: Facts) -> None:
    markdown = render_markdown(facts)
    for cell in _cells(render_html(facts)):
        assert escaped_markdown(cell) in markdown


@given(st.text())
def test_escaped_markdown_is_one_line_without_markup(text: str) -> None:
    escaped = escaped_markdown(text)
    assert len(escaped.splitlines()) <= 1
    assert "<" not in escaped
    assert not re.search(r"(?<!\\)(\\\\)*[|`*_\[\]]", re.sub(r"\\[|`*_\[\]]", "", escaped))


def test_json_says_everything(facts: Facts, hostile: str) -> None:
    text = render_json(facts)
    said = json.loads(text)
    assert said["graph"]["top_articles"][0] == {
        "rank": 1, "title": hostile, "pagerank": 0.0123, "in_degree": 321, "out_degree": 45,
    }
    assert said["run"]["commits"] == {"pagerank": {"num_iterations": 40, "residual": 1.5e-8}}
    assert said["run"]["steps"][0]["rows"] == {"pages": 1234, "sites": 1}
    assert set(said) == {field.name for field in dataclasses.fields(Facts)}
    assert json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False) + "\n" == text


def test_json_stays_json_where_a_number_is_not_finite(facts: Facts) -> None:
    commits = {"pagerank": {"residual": float("nan")}}
    text = render_json(dataclasses.replace(facts, run=dataclasses.replace(facts.run, commits=commits)))

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert json.loads(text, parse_constant=refuse)["run"]["commits"]["pagerank"] == {"residual": None}


def test_rendering_twice_is_equal_byte_by_byte(facts: Facts) -> None:
    assert render_files(facts) == render_files(facts)


def test_nothing_renders_as_none(empty_facts: Facts) -> None:
    files = render_files(empty_facts)
    assert set(files) == {"report.html", "report.md", "report.json"}
    tables = list(lxml.html.fromstring(files["report.html"]).iter("table"))
    none = [table.findtext("caption") for table in tables if "none" in [td.text for td in table.iter("td")]]
    assert "Means" in none
    assert "Articles by degree" in none
    assert "Queries by split" in none
    assert "Inverted index" in none
    assert "<img" not in files["report.html"]
    assert files["report.md"].count("\nnone\n") == len(none)


def test_summary_fits_a_terminal(facts: Facts, empty_facts: Facts) -> None:
    many = [
        dataclasses.replace(fact, measure=f"{fact.measure.partition('@')[0]}@{cutoff}", system=system * 9)
        for fact in facts.measures
        for cutoff in (5, 10, 100, 1000)
        for system in ("bm25_", "tfidf_")
    ]
    for each in (facts, empty_facts, dataclasses.replace(facts, measures=tuple(many))):
        assert max(len(line) for line in render_summary(each).splitlines()) <= 100


def test_summary_shows_each_mean_once(facts: Facts, empty_facts: Facts) -> None:
    summary = render_summary(facts)
    assert "Means on split test, by trec_eval" in summary
    assert "bm25    0.3121   0.4512  0.2500  0.1875       40" in summary
    assert "1,234 pages" in summary
    assert render_summary(empty_facts).endswith("Means\nnone\n")
