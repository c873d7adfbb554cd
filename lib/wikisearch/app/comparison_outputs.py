"""What `compare_systems` shows beside its table: Markdown on standard output, and files for a paper."""

import sys
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from wikisearch.evaluation.comparisons import CompareParams
from wikisearch.exchange.files import check_output, write_lines
from wikisearch.report.comparison_tables import (
    Comparison,
    ComparisonTableParams,
    latex_table,
    markdown_table,
)
from wikisearch.report.facts import measure_order


@dataclass(frozen=True)
class ComparisonOutputParams:
    """What `compare_systems` gives out beside its table."""

    show: bool = field(default=True, metadata={"help": "print the table on standard output"})
    latex: str | None = field(default=None, metadata={"help": "local file to write a LaTeX table to"})
    markdown: str | None = field(default=None, metadata={"help": "local file to write a Markdown table to"})
    overwrite: bool = field(default=False, metadata={"help": "replace files that are there"})


# Fields come in the order of the bases from last to first.
@dataclass(frozen=True)
class CompareSystemsParams(ComparisonOutputParams, ComparisonTableParams, CompareParams):
    """Parameters of `compare_systems`."""

    def __post_init__(self) -> None:
        CompareParams.__post_init__(self)
        ComparisonTableParams.__post_init__(self)


def check_comparison_outputs(params: ComparisonOutputParams) -> None:
    """Raises InputError, before anything is computed, if a file may not be written."""
    for path in (params.latex, params.markdown):
        if path is not None:
            check_output(path, overwrite=params.overwrite)


def show_comparisons(comparisons: DataFrame, params: CompareSystemsParams) -> None:
    """Prints the means and marks as a Markdown table, and writes the files that are asked for (acts).

    Without rows there is nothing to show, and nothing is written.

    Args:
        comparisons: table `comparisons`; the rows of `params.baseline` are shown.
        params: what is shown, and where.

    Raises:
        InputError: a file cannot be written.
    """
    if not (params.show or params.markdown or params.latex):
        return
    its = comparisons.where(comparisons.baseline == params.baseline)
    rows = [Comparison.from_row(row) for row in its.collect()]
    if not rows:
        return  # as `compare` has warned
    rows.sort(key=lambda row: (params.tests.index(row.test), row.system, measure_order(row)))
    markdown = markdown_table(rows, params)
    if params.show:
        sys.stdout.write("\n".join(markdown) + "\n")
    if params.markdown is not None:
        write_lines(markdown, params.markdown, overwrite=params.overwrite)
    if params.latex is not None:
        write_lines(latex_table(rows, params), params.latex, overwrite=params.overwrite)
