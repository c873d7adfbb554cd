"""What `evaluate_runs` gives out beside its tables: means on standard output, and a file of means or values."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from wikisearch.app.measured_files import MeasuredFilesParams, evaluate_files
from wikisearch.app.plot_files import PlotParams, write_plots
from wikisearch.errors import UsageError
from wikisearch.evaluation.evaluate import EvaluateParams, Evaluation, metrics_from_values, with_values
from wikisearch.evaluation.measures import parse_measures
from wikisearch.exchange.files import check_output
from wikisearch.exchange.tables import ExportTableParams, export_table
from wikisearch.report.curves import CURVE_MEASURES, curve_plot, curves_of
from wikisearch.report.gather import measure_facts
from wikisearch.report.measures import main_first, measures_table
from wikisearch.report.text import text_table

_FORMATS = {".tsv": "tsv", ".csv": "csv", ".json": "jsonl", ".jsonl": "jsonl", ".parquet": "parquet"}


@dataclass(frozen=True)
class MeasureOutputParams:
    """What `evaluate_runs` gives out beside its tables."""

    show: bool = field(default=True, metadata={"help": "print the means on standard output"})
    per_query: bool = field(
        default=False,
        metadata={"help": "give out the value of each query, too: printed, or to the file of --output"},
    )
    output: str | None = field(
        default=None,
        metadata={
            "help": f"file to write the means to, or with --per-query the values; its ending is one of "
            f"{' '.join(_FORMATS)} (.json: one object a line)"
        },
    )
    overwrite: bool = field(default=False, metadata={"help": "replace a file that is there"})

    def __post_init__(self) -> None:
        if self.output is not None and Path(self.output).suffix not in _FORMATS:
            raise UsageError(f"output {self.output}: its ending must be one of {', '.join(_FORMATS)}")


# Fields come in the order of the bases from last to first.
@dataclass(frozen=True)
class EvaluateRunsParams(PlotParams, MeasureOutputParams, MeasuredFilesParams, EvaluateParams):
    """Parameters of `evaluate_runs`."""

    def __post_init__(self) -> None:
        EvaluateParams.__post_init__(self)
        MeasureOutputParams.__post_init__(self)
        PlotParams.__post_init__(self)


def check_measure_outputs(params: MeasureOutputParams) -> None:
    """Raises InputError, before anything is computed, if the file may not be written."""
    if params.output is not None and not params.output.endswith(".parquet"):
        check_output(params.output, overwrite=params.overwrite)


def give_out_measures(evaluation: Evaluation, params: EvaluateRunsParams) -> None:
    """Writes and prints what is asked for (acts); the means are collected, the values come one by one.

    Args:
        evaluation: of which runs.
        params: what and where to.

    Raises:
        InputError: the file cannot be written.
    """
    query_metrics = evaluation.query_metrics
    if params.output is not None:
        name, table = ("query_metrics", query_metrics) if params.per_query else ("metrics", evaluation.metrics)
        form = _FORMATS[Path(params.output).suffix]
        export_table(table, ExportTableParams(name, params.output, form, overwrite=params.overwrite))
    elif params.per_query:
        columns = ("system", "family", "measure", "query_id", "value")
        sys.stdout.write("\t".join(columns) + "\n")
        for row in query_metrics.select(*columns).orderBy(*columns).toLocalIterator(prefetchPartitions=True):
            sys.stdout.write("\t".join(map(str, row)) + "\n")
    if params.show:
        for group in main_first(measure_facts(evaluation.metrics)):
            sys.stdout.write("\n".join(text_table(measures_table(group))) + "\n\n")
    if params.plots is not None:
        measures = parse_measures(CURVE_MEASURES)
        valued = with_values(evaluation.lists, measures)
        means = metrics_from_values(valued, measures, params.query_sets[:1])
        for group in main_first(measure_facts(means))[:1]:
            family = group[0].family
            plots = {
                f"{family}-{name}": curve_plot(name, family, curves) for name, curves in curves_of(group).items()
            }
            write_plots(plots, params)


def measure_files(spark: SparkSession, params: EvaluateRunsParams) -> None:
    """Evaluates files and gives out what is asked for.

    Raises:
        UsageError: files are missing or do not go together.
        InputError: a file cannot be read or written, or holds a fault.
    """
    check_measure_outputs(params)
    with evaluate_files(spark, params, params) as evaluation:
        give_out_measures(evaluation, params)
