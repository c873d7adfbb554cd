"""The main table of a report for a terminal: plain text of at most 100 columns."""

from collections.abc import Sequence

from wikisearch.report.blocks import NUMBER, Column, Table
from wikisearch.report.content import key_numbers
from wikisearch.report.facts import Facts
from wikisearch.report.measures import main_first, measures_table

WIDTH = 100
GAP = "  "
LONGEST_CELL = 30


def render_summary(facts: Facts) -> str:
    """The sizes of everything, and the means of each system on the main split; ends with a newline."""
    wiki = facts.wiki
    title = f"{wiki.wiki} of {wiki.dump_date or 'unknown date'}, snapshot {facts.run.snapshot}"
    lines = [_cut(title, WIDTH), ""]
    lines += _wrapped([f"{value} {label}" for label, value in key_numbers(facts)])
    groups = main_first(facts.measures)
    means = measures_table(groups[0] if groups else [])
    lines += ["", means.caption]
    lines += _table_lines(means) if means.rows else ["none"]
    return "\n".join(lines) + "\n"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _wrapped(parts: Sequence[str]) -> list[str]:
    """The parts with commas, on as many lines as they need."""
    lines = [""]
    for number, part in enumerate(parts):
        piece = part if number == len(parts) - 1 else f"{part}, "
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _table_lines(table: Table) -> list[str]:
    """The table as aligned text; columns that do not fit follow below, beside the first one again."""
    cells = [[_cut(column.heading, LONGEST_CELL) for column in table.columns]]
    cells += [[_cut(cell, LONGEST_CELL) for cell in row] for row in table.rows]
    widths = [max(len(row[number]) for row in cells) for number in range(len(table.columns))]
    lines: list[str] = []
    for chosen in _panels(widths):
        if lines:
            lines.append("")
        for number, row in enumerate(cells):
            lines.append(GAP.join(_aligned(row[k], widths[k], table.columns[k]) for k in chosen).rstrip())
            if number == 0:
                lines.append(GAP.join("-" * widths[k] for k in chosen))
    return lines


def _panels(widths: Sequence[int]) -> list[list[int]]:
    """Columns dealt to panels that fit into WIDTH, each beginning with the first column."""
    panels = [[0]]
    for number in range(1, len(widths)):
        chosen = [*panels[-1], number]
        if sum(widths[k] + len(GAP) for k in chosen) - len(GAP) > WIDTH and len(panels[-1]) > 1:
            panels.append([0, number])
        else:
            panels[-1] = chosen
    return panels


def _aligned(cell: str, width: int, column: Column) -> str:
    return cell.rjust(width) if column.kind == NUMBER else cell.ljust(width)
