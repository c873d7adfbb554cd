"""Facts as files: one HTML page that needs nothing beside it, Markdown, and JSON."""

import base64
import dataclasses
import html
import json
import math
import re
from collections.abc import Mapping, Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from wikisearch.report.blocks import NUMBER, Table
from wikisearch.report.content import key_numbers, sections
from wikisearch.report.facts import Facts


def render_files(facts: Facts) -> dict[str, str]:
    """The text of each file of a report, by its name."""
    return {
        "report.html": render_html(facts),
        "report.md": render_markdown(facts),
        "report.json": render_json(facts),
    }


def render_html(facts: Facts) -> str:
    """One HTML page with its style and plots inside; whatever comes from the wiki is escaped."""
    return _rendered(facts, "report.html.jinja", is_html=True)


def render_markdown(facts: Facts) -> str:
    """The same as Markdown with pipe tables; a plot is the table of its numbers."""
    return _rendered(facts, "report.md.jinja", is_html=False)


def render_json(facts: Facts) -> str:
    """The facts as JSON with sorted keys; numbers that are not finite become null."""
    return json.dumps(_plain(dataclasses.asdict(facts)), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _rendered(facts: Facts, template: str, *, is_html: bool) -> str:
    environment = Environment(
        loader=PackageLoader("wikisearch.report", "templates"),
        autoescape=is_html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"data_uri": data_uri, "markdown": escaped_markdown, "pipe_table": pipe_table}
    return environment.get_template(template).render(
        facts=facts, key_numbers=key_numbers(facts), sections=sections(facts), number=NUMBER
    )


def _plain(value: object) -> object:
    """The value with every number that JSON cannot write replaced by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def data_uri(svg: str) -> str:
    """The SVG as a URI that an `img` shows without loading anything."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


def escaped_markdown(text: str) -> str:
    r"""The text such that Markdown and the HTML within it show it as it is, on one line.

    >>> escaped_markdown("a|b <i>*x*")
    'a\\|b &lt;i&gt;\\*x\\*'
    """
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]|~#])", r"\\\1", html.escape(one_line, quote=False))


def pipe_table(table: Table) -> str:
    """The table as Markdown, columns of numbers to the right."""
    headings = [escaped_markdown(column.heading) for column in table.columns]
    rules = ["---:" if column.kind == NUMBER else "---" for column in table.columns]
    rows = [
        [_cell(cell, is_strong=(row, column) in table.strong) for column, cell in enumerate(cells)]
        for row, cells in enumerate(table.rows)
    ]
    return "\n".join(_piped(cells) for cells in (headings, rules, *rows))


def _cell(text: str, *, is_strong: bool) -> str:
    return f"**{escaped_markdown(text)}**" if is_strong else escaped_markdown(text)


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
