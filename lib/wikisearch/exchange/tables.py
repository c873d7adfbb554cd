"""Any table as Parquet, CSV, TSV or JSON lines, for programs that do not read Delta tables.

CSV and TSV have a header line, quote as RFC 4180 does (a quote within quotes is doubled), hold nested columns
as JSON, and write NULL as nothing and the empty text as `""`. JSON lines name every column on every line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from wikisearch.errors import InputError, UsageError
from wikisearch.exchange.files import check_output, write_lines
from wikisearch.frames import conform
from wikisearch.schemas import TABLES

_SEPARATORS: Mapping[str, str] = MappingProxyType({"csv": ",", "tsv": "\t"})
_JSON_LINES, _PARQUET = "jsonl", "parquet"
FORMATS = (*_SEPARATORS, _JSON_LINES, _PARQUET)

# `snapshots` belongs to the store: it is no part of a snapshot.
EXPORTABLE = tuple(name for name in TABLES if name != "snapshots")

_NESTED = (T.ArrayType, T.MapType, T.StructType)
_JSON_OPTIONS = MappingProxyType({"ignoreNullFields": "false"})


@dataclass(frozen=True)
class ExportTableParams:
    """Parameters of `export_table`."""

    table: str = field(metadata={"help": "the table: " + " ".join(EXPORTABLE)})
    output: str = field(metadata={"help": "where to write: a local file, or a folder where there are parts"})
    format: str = field(default="tsv", metadata={"help": " ".join(FORMATS)})
    as_directory: bool = field(
        default=False,
        metadata={
            "help": "write a folder of part files, in parallel and on any file system (always so for parquet)"
        },
    )
    overwrite: bool = field(default=False, metadata={"help": "replace what is there"})

    def __post_init__(self) -> None:
        if self.table not in EXPORTABLE:
            raise UsageError(f"--table {self.table}: no such table; the tables are: {', '.join(EXPORTABLE)}")
        if self.format not in FORMATS:
            raise UsageError(f"--format {self.format}: unknown; the formats are: {', '.join(FORMATS)}")


def _csv_options(separator: str) -> dict[str, str]:
    return {
        "sep": separator,
        "escape": '"',
        # Spark's default strips the blanks that a text begins and ends with.
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }


def _flattened(df: DataFrame) -> DataFrame:
    """The table with its nested columns as JSON text."""
    columns = [
        F.to_json(column.name, dict(_JSON_OPTIONS)).alias(column.name)
        if isinstance(column.dataType, _NESTED)
        else F.col(column.name)
        for column in df.schema.fields
    ]
    return df.select(*columns)


def _ordered(df: DataFrame, table_name: str) -> DataFrame:
    """By the table's key, or by all columns where rows have none, so that the same table is the same file."""
    return df.orderBy(*(TABLES[table_name].key or TABLES[table_name].column_names))


def _text_lines(df: DataFrame, table_name: str, file_format: str) -> Iterator[str]:
    ordered = _ordered(df, table_name)
    if file_format == _JSON_LINES:
        line = F.to_json(F.struct(*ordered.columns), dict(_JSON_OPTIONS))
    else:
        separator = _SEPARATORS[file_format]
        yield separator.join(ordered.columns)
        ordered = _flattened(ordered)
        line = F.to_csv(F.struct(*ordered.columns), _csv_options(separator))
    for row in ordered.select(line.alias("line")).toLocalIterator(prefetchPartitions=True):
        yield row["line"]


def _check_directory(path: str, *, overwrite: bool) -> None:
    """Raises unless a local path is free, or holds what Spark wrote; Spark would delete whatever is there."""
    target = Path(path)
    if not target.exists():
        return
    if not overwrite:
        raise InputError(f"output {path}: is there already; name another folder or add --overwrite")
    foreign = None
    if target.is_dir():
        names = sorted(each.name for each in target.iterdir())
        foreign = next((name for name in names if not name.startswith(("part-", "_SUCCESS", "."))), None)
    if not target.is_dir() or foreign is not None:
        found = f"holds '{foreign}'" if foreign is not None else "is a file"
        raise InputError(f"output {path}: {found}, which is no export's part; name another folder")


def _write_directory(df: DataFrame, params: ExportTableParams) -> None:
    _check_directory(params.output, overwrite=params.overwrite)
    writer = df.write if params.format in (_JSON_LINES, _PARQUET) else _flattened(df).write
    writer = writer.mode("overwrite" if params.overwrite else "errorifexists")
    try:
        if params.format == _PARQUET:
            writer.parquet(params.output)
        elif params.format == _JSON_LINES:
            writer.options(**_JSON_OPTIONS).json(params.output)
        else:
            writer.options(header="true", **_csv_options(_SEPARATORS[params.format])).csv(params.output)
    except AnalysisException as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"output {params.output}: cannot be written: {reason}") from error


def export_table(df: DataFrame, params: ExportTableParams) -> None:
    """Writes a table to one text file, ordered by its key, or to a folder of part files (acts).

    A file is written by the driver, one partition at a time; a folder by all workers at once, in no order.

    Args:
        df: the table `params.table`.
        params: what and where to.

    Raises:
        InputError: something is there already and may not be replaced, or the output cannot be written.
    """
    table = conform(df, params.table)
    if params.as_directory or params.format == _PARQUET:
        _write_directory(table, params)
        return
    check_output(params.output, overwrite=params.overwrite)
    write_lines(_text_lines(table, params.table, params.format), params.output, overwrite=params.overwrite)
