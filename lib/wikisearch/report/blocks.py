"""What a report is built of: sections of paragraphs, tables and figures, all in plain words.

HTML and Markdown both show these blocks, so that neither says what the other does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

NUMBER, WORDS, WIKI_TEXT = "number", "words", "wiki"


@dataclass(frozen=True)
class Column:
    """A table's column: its heading, and whether it holds numbers, words, or the wiki's own language."""

    heading: str
    kind: str = WORDS


@dataclass(frozen=True)
class Table:
    """A table of text; `strong` holds the (row, column) of cells to stress. Without rows it says 'none'."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    block: str = field(default="table", init=False)


@dataclass(frozen=True)
class Figure:
    """A plot as SVG, the words for those who do not see it, and the numbers that it shows.

    `data` is None where a table of the section has the same numbers.
    """

    caption: str
    alt: str
    svg: str
    data: Table | None
    block: str = field(default="figure", init=False)


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    block: str = field(default="prose", init=False)


Block = Table | Figure | Prose


@dataclass(frozen=True)
class Section:
    """A heading with its anchor and what stands below it."""

    anchor: str
    heading: str
    blocks: tuple[Block, ...]


def table(caption: str, columns: Iterable[Column], rows: Iterable[Iterable[str]]) -> Table:
    """A table of any iterables."""
    return Table(caption, tuple(columns), tuple(tuple(row) for row in rows))


def properties(caption: str, pairs: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values."""
    return table(caption, (Column("property"), Column("value")), pairs)
