"""Tables of a report as plain text, for a terminal."""

from wikisearch.report.blocks import NUMBER, Table


def text_table(table: Table) -> list[str]:
    """The lines of a table: its caption, its headings, and a line a row, in columns of even width.

    Args:
        table: any; what is stressed elsewhere is not here.
    """
    rows = [tuple(column.heading for column in table.columns), *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    lines = [table.caption]
    for row in rows:
        cells = [
            cell.rjust(width) if column.kind == NUMBER else cell.ljust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
