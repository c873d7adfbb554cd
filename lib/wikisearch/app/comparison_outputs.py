"""What `compare_systems` shows beside its table: Markdown on standard output, and files for a paper."""

import sys
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from wikisearch.app.measured_files import MeasuredFilesParams, evaluate_files
from wikisearch.app.plot_files import PlotParams, write_plots
from wikisearch.evaluation.comparisons import CompareParams, compare
from wikisearch.evaluation.evaluate import EvaluateParams
from wikisearch.evaluation.measures import DEFAULT_MEASURES, parse_measures
from wikisearch.exchange.files import check_output, write_lines
from wikisearch.report.comparison_tables import (
    ComparisonTableParams,
    latex_table,
    markdown_table,
)
from wikisearch.report.facts import Comparison, measure_order
from wikisearch.report.gather import comparison_facts, difference_facts
from wikisearch.report.plots import differences_plot


@dataclass(frozen=True)
class ComparisonOutputParams:
    """What `compare_systems` gives out beside its table."""

    show: bool = field(default=True, metadata={"help": "print the table on standard output"})
    latex: str | None = field(default=None, metadata={"help": "local file to write a LaTeX table to"})
    markdown: str | None = field(default=None, metadata={"help": "local file to write a Markdown table to"})
    overwrite: bool = field(default=False, metadata={"help": "replace files that are there"})


# Fields come in the order of the bases from last to first.
@dataclass(frozen=True)
class CompareSystemsParams(
    PlotParams, ComparisonOutputParams, ComparisonTableParams, MeasuredFilesParams, CompareParams
):
    """Parameters of `compare_systems`."""

    def __post_init__(self) -> None:
        CompareParams.__post_init__(self)
        ComparisonTableParams.__post_init__(self)
        PlotParams.__post_init__(self)


def _measured_by(params: CompareParams) -> EvaluateParams:
    """What to evaluate before files are compared."""
    systems = (params.baseline, *params.systems) if params.systems else ()
    return EvaluateParams(measures=params.measures or DEFAULT_MEASURES, systems=systems)


def check_comparison_outputs(params: ComparisonOutputParams) -> None:
    """Raises InputError, before anything is computed, if a file may not be written."""
    for path in (params.latex, params.markdown):
        if path is not None:
            check_output(path, overwrite=params.overwrite)


def show_comparisons(comparisons: DataFrame, query_metrics: DataFrame, params: CompareSystemsParams) -> None:
    """Prints the means and marks as a Markdown table, and writes the files that are asked for (acts).

    Without rows there is nothing to show, and nothing is written.

    Args:
        comparisons: table `comparisons`; the rows of `params.baseline` are shown.
        query_metrics: table that was compared; read for plots of one measure, a file a system: the first that
            is named, else nDCG@10.
        params: what is shown, and where.

    Raises:
        InputError: a file cannot be written.
    """
    if not (params.show or params.markdown or params.latex or params.plots):
        return
    its = comparisons.where(comparisons.baseline == params.baseline)
    rows = list(comparison_facts(its))
    if not rows:
        return  # as `compare` has warned
    named = [(each.family, each.spelling) for each in parse_measures(params.measures)] if params.measures else []

    def order(row: Comparison) -> tuple[object, ...]:
        key = (row.family, row.measure)
        place = named.index(key) if key in named else len(named)
        return (params.tests.index(row.test), row.system, place, measure_order(row))

    rows.sort(key=order)
    markdown = markdown_table(rows, params)
    if params.show:
        sys.stdout.write("\n".join(markdown) + "\n")
    if params.markdown is not None:
        write_lines(markdown, params.markdown, overwrite=params.overwrite)
    if params.latex is not None:
        write_lines(latex_table(rows, params), params.latex, overwrite=params.overwrite)
    if params.plots is not None:
        write_plots(
            {
                f"{each.family}-{each.measure}-{each.system}-less-{each.baseline}": differences_plot(each)
                for each in difference_facts(query_metrics, rows, named[0] if named else None)
            },
            params,
        )


def compare_files(spark: SparkSession, params: CompareSystemsParams) -> None:
    """Evaluates files, and shows how they compare.

    Raises:
        UsageError: files are missing or do not go together.
        InputError: a file cannot be read or written, or holds a fault, or a system is not among the files.
    """
    check_comparison_outputs(params)
    with evaluate_files(spark, params, _measured_by(params)) as evaluation:
        show_comparisons(compare(evaluation.query_metrics, params), evaluation.query_metrics, params)
