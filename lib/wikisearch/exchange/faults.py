"""Faulty lines of text files: the first is named by its number in its file, or all are counted in the log."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.exchange.lines import line_number

_LOG = logging.getLogger(__name__)


def check_lines(
    records: DataFrame, lines: DataFrame, what: str, explain: Callable[[str, str], str], advice: str
) -> None:
    """Raises if a line has a fault (acts: reads the files; if so, twice more, to find and to number the line).

    Args:
        records: file, position, value, and `fault` STRING, NULL where the line is right.
        lines: of `read_lines`, all of them.
        what: what a message calls the files.
        explain: the reason in words, from the fault and the line.
        advice: what to do, at the end of the message.

    Raises:
        InputError: naming the first faulty line and its reason, and how many more there are.
    """
    num_faulty = records.agg(F.count("fault").alias("num")).collect()[0]["num"]
    if num_faulty:
        raise_for_faults(records, lines, what, explain, advice)


def raise_for_faults(
    records: DataFrame, lines: DataFrame, what: str, explain: Callable[[str, str], str], advice: str
) -> NoReturn:
    """Raises for the first faulty line, of which there must be one; arguments of `check_lines`."""
    first = F.min(F.struct("position", "file", "fault", "value")).alias("first")
    faulty = records.where(F.col("fault").isNotNull())
    found = faulty.agg(first, F.count(F.lit(1)).alias("num")).collect()[0]
    line, num_more = found["first"], found["num"] - 1
    number = line_number(lines, line["file"], line["position"])
    more = f" (and {num_more} more faulty line{'s' if num_more > 1 else ''})" if num_more else ""
    reason = explain(line["fault"], line["value"])
    raise InputError(f"{what} '{line['file']}', line {number}: {reason}{more}; {advice}")


def usable_lines(records: DataFrame, what: str, faults: Mapping[str, str], left_out: Sequence[str]) -> DataFrame:
    """The records that lenient reading takes; logs how many lines have which fault (acts).

    Args:
        records: `fault` STRING, NULL where the line is right.
        what: what a message calls the files.
        faults: what is made of lines, in words, by their fault.
        left_out: faults of the lines that are left out.
    """
    counts = [F.count_if(F.col("fault") == fault).alias(fault) for fault in faults]
    found = records.agg(*counts).collect()[0]
    for fault, words in faults.items():
        if found[fault]:
            _LOG.warning("%s: %d lines %s", what, found[fault], words)
    return records.where(F.col("fault").isNull() | ~F.col("fault").isin(*left_out))


def last_of_each(rows: DataFrame, what: str, key: Sequence[str]) -> DataFrame:
    """The last line of each key, in the order of the files and lines; logs how many others there are (acts).

    Args:
        rows: position, and more columns.
        what: what a message calls the files.
        key: columns that should occur once.
    """
    others = rows.groupBy(*key).count().agg(F.sum(F.col("count") - 1).alias("num")).collect()[0]["num"]
    if not others:
        return rows
    _LOG.warning("%s: %d lines are left out: a later one is of the same document and query", what, others)
    rest = [name for name in rows.columns if name not in (*key, "position")]
    chosen = rows.groupBy(*key).agg(F.max(F.struct("position", *rest)).alias("last"))
    return chosen.select(*(name if name in key else f"last.{name}" for name in rows.columns))
