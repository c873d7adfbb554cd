"""`comparisons` as a table for a paper, in LaTeX or Markdown: means, with a mark where one is significant.

A `+` says that the system is better than the baseline, a `-` that it is worse, one sign for each level that the
p-value is below. The caption says which test, which correction over how many comparisons, and the levels.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.evaluate import ALL_SPLITS
from wikisearch.evaluation.significance import RANDOMISATION, T_TEST, WILCOXON
from wikisearch.report.facts import Comparison
from wikisearch.report.words import decimal, integer, listing

BOOKTABS, WIKIR = "booktabs", "wikir"
STYLES = (BOOKTABS, WIKIR)
HOLM, BONFERRONI, UNCORRECTED = "holm", "bonferroni", "none"
CORRECTIONS = (HOLM, BONFERRONI, UNCORRECTED)
PLACES = 4
_SPAN: Mapping[str, str] = MappingProxyType(
    {
        "all": "every system and measure",
        "system": "the measures of one system",
        "measure": "the systems of one measure",
    }
)
_TEST_NAMES: Mapping[str, str] = MappingProxyType(
    {
        T_TEST: "paired t-test",
        WILCOXON: "Wilcoxon's signed-rank test",
        RANDOMISATION: "randomisation test",
    }
)
_WIKIR_MARK = r"\textsuperscript{\textbf{%s}}"
_BOOKTABS_MARK = r"\textsuperscript{%s}"
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\|*_`<>[]"})


@dataclass(frozen=True)
class ComparisonTableParams:
    """How `comparisons` are shown."""

    style: str = field(
        default=BOOKTABS,
        metadata={"help": f"of the LaTeX table: {BOOKTABS} (whole, with a caption) or {WIKIR} (rows as wikIR's)"},
    )
    correction: str = field(default=HOLM, metadata={"help": f"that marks go by: {', '.join(CORRECTIONS)}"})
    levels: tuple[float, ...] = field(
        default=(0.05, 0.01), metadata={"help": "significance levels; one sign for each that p is below"}
    )

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise UsageError(f"style {self.style}: must be one of {', '.join(STYLES)}")
        if self.correction not in CORRECTIONS:
            raise UsageError(f"correction {self.correction}: must be one of {', '.join(CORRECTIONS)}")
        if not self.levels or not all(0 < level < 1 for level in self.levels):
            raise UsageError("levels: give at least one number above 0 and below 1, such as 0.05")


def p_by(comparison: Comparison, correction: str) -> float:
    """The p-value by a correction; an undefined one is 1."""
    if correction == HOLM:
        return comparison.p_holm
    if correction == BONFERRONI:
        return comparison.p_bonferroni
    return 1.0 if comparison.p_value is None else comparison.p_value


def mark(comparison: Comparison, params: ComparisonTableParams) -> str:
    """The signs behind a mean, such as `++`; none where the difference is not significant."""
    sign = "+" if (comparison.difference or 0) > 0 else "-"
    return sign * sum(p_by(comparison, params.correction) < level for level in params.levels)


@dataclass(frozen=True)
class _Grid:
    """What a table shows: a name for each column, and rows of means with their marks, the baseline's first."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    caption: str


def _grid(comparisons: Iterable[Comparison], params: ComparisonTableParams) -> _Grid:
    found = list(comparisons)
    if not found:
        raise InputError("comparisons: the table has no rows; make them with jobs/compare_systems.py")
    shown = [each for each in found if each.test == found[0].test]
    by_cell = {(each.system, each.family, each.measure): each for each in shown}
    measures = list(dict.fromkeys((each.family, each.measure) for each in shown))
    families = {family for family, _ in measures}
    first = {key: next(each for each in shown if (each.family, each.measure) == key) for key in measures}
    rows = [(shown[0].baseline, tuple((decimal(first[key].baseline_mean, PLACES), "") for key in measures))]
    for system in dict.fromkeys(each.system for each in shown):
        cells = [by_cell.get((system, *key)) for key in measures]
        rows.append(
            (
                system,
                tuple(
                    (decimal(cell.mean, PLACES), mark(cell, params)) if cell else (decimal(None, PLACES), "")
                    for cell in cells
                ),
            )
        )
    columns = tuple(name if len(families) == 1 else f"{name} ({family})" for family, name in measures)
    return _Grid(columns, tuple(rows), _caption(shown, sorted(families), params))


def _caption(shown: Sequence[Comparison], families: Sequence[str], params: ComparisonTableParams) -> str:
    some = shown[0]
    counts = sorted({each.num_queries for each in shown})
    queries = integer(counts[0]) if len(counts) == 1 else f"{integer(counts[0])} to {integer(counts[-1])}"
    sizes = sorted({each.num_comparisons for each in shown})
    levels = sorted(params.levels, reverse=True)
    signs = listing([f"{'+' * place} p < {level:g}" for place, level in enumerate(levels, 1)])
    if params.correction == UNCORRECTED:
        correction = f"not corrected for the {len(shown)} comparisons shown"
    else:
        size = " or ".join(str(size) for size in sizes)
        name = params.correction.capitalize()
        correction = f"{name}'s correction over m = {size} comparisons ({_SPAN[some.correction_family]})"
    where = "all queries" if some.split == ALL_SPLITS else f"split {some.split}"
    return (
        f"Means over {queries} queries ({where}; measures of {listing(families)}). Marks: two-sided "
        f"{_TEST_NAMES[some.test]} against {some.baseline}, {correction}; {signs} (better; - for worse)."
    )


def latex_table(comparisons: Iterable[Comparison], params: ComparisonTableParams) -> list[str]:
    """The lines of a LaTeX table.

    In the style `wikir` they are the rows that wikIR's display_res.py prints, the baseline's first, with values
    rounded where it cuts them off, below a comment that holds the caption; in the style `booktabs` a whole
    `table` environment (packages booktabs).

    Args:
        comparisons: rows of one baseline, in the order in which systems and measures are shown; of several
            tests the first row's is.
        params: style, correction and levels.

    Raises:
        InputError: there are no rows.
    """
    grid = _grid(comparisons, params)
    columns = [name.translate(_LATEX) for name in grid.columns]
    if params.style == WIKIR:
        head = f"% {grid.caption} Columns: {', '.join(grid.columns)}."
        return [head, *(_latex_row(name, cells, _WIKIR_MARK) for name, cells in grid.rows)]
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{grid.caption.translate(_LATEX).replace('<', '$<$')}}}",
        rf"\begin{{tabular}}{{l{'l' * len(columns)}}}",
        r"\toprule",
        " & ".join(["System", *columns]) + r" \\",
        r"\midrule",
        *(_latex_row(name, cells, _BOOKTABS_MARK) for name, cells in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _latex_row(name: str, cells: Sequence[tuple[str, str]], form: str) -> str:
    # Two minus signs would become a dash.
    shown = ((value, r"\,".join(signs) if "-" in signs else signs) for value, signs in cells)
    marked = [value + form % signs if signs else value for value, signs in shown]
    return " & ".join([name.translate(_LATEX), *marked]) + r" \\"


def markdown_table(comparisons: Iterable[Comparison], params: ComparisonTableParams) -> list[str]:
    """The lines of a Markdown table, and its caption below it.

    Args:
        comparisons: rows of one baseline, in the order in which systems and measures are shown; of several
            tests the first row's is.
        params: correction and levels.

    Raises:
        InputError: there are no rows.
    """
    grid = _grid(comparisons, params)
    lines = [_markdown_row(["system", *grid.columns]), "|---|" + "---:|" * len(grid.columns)]
    lines += [_markdown_row([name, *(value + signs for value, signs in cells)]) for name, cells in grid.rows]
    return [*lines, "", grid.caption.translate(_MARKDOWN)]


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.translate(_MARKDOWN) for cell in cells)} |"
