"""Writes TREC's run and qrels files; `trec` says what stands in them.

Every tool recomputes ranks from scores, so scores are written with all the digits of their double.
"""

from collections.abc import Iterator, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.exchange.files import check_output, write_lines

# Unicode's white space too: Python tools split there.
_BLANK = r"(?U)[\s\x1c-\x1f]"


def _writable(column: str) -> Column:
    return (F.col(column) != "") & ~F.col(column).rlike(_BLANK)


def _lines(df: DataFrame, words: Sequence[Column], is_writable: Column, what: str) -> Iterator[str]:
    """The rows as lines of words with blanks between, in the order of df, fetched one partition at a time."""
    lines = df.select(
        F.concat_ws(" ", *words).alias("line"), F.coalesce(is_writable, F.lit(False)).alias("is_writable")
    )
    for row in lines.toLocalIterator(prefetchPartitions=True):
        if not row["is_writable"]:
            raise InputError(
                f"{what}: '{row['line']}' cannot be a line of a TREC file: an id is empty or has blanks "
                "in it, or the score is not a number"
            )
        yield row["line"]


def _of_split(df: DataFrame, split: str | None) -> DataFrame:
    return df if split is None else df.where(F.col("split") == split)


def write_run(
    runs: DataFrame, path: str, system: str, *, split: str | None = None, overwrite: bool = False
) -> int:
    """Writes one system's lists as a TREC run file, by query_id and rank, and returns the number of lines.

    It acts; rows come to the driver one partition at a time.

    Args:
        runs: table `runs`.
        path: a local file; its folder must be there.
        system: whose lists; also the tag of each line.
        split: queries of this split only.
        overwrite: whether a file that is there may be replaced.

    Raises:
        InputError: the file cannot be written, the system has no lists, or an id or score cannot stand in a
            TREC file; nothing is written then.
    """
    check_output(path, overwrite=overwrite)
    chosen = _of_split(runs.where(F.col("system") == system), split)
    if chosen.isEmpty():
        rows = _of_split(runs, split).select("system").distinct().collect()
        found = ", ".join(sorted(row["system"] for row in rows)) or "none"
        where = "" if split is None else f" in split '{split}'"
        raise InputError(f"runs: system '{system}' has no lists{where}; those that have: {found}")
    words = [
        F.col("query_id"),
        F.lit("Q0"),
        F.col("doc_id"),
        F.col("rank"),
        F.col("score"),
        F.col("system"),
    ]
    is_writable = _writable("query_id") & _writable("doc_id") & _writable("system") & ~F.isnan("score")
    ordered = chosen.orderBy("query_id", "rank", "doc_id")
    return write_lines(_lines(ordered, words, is_writable, "runs"), path, overwrite=overwrite)


def write_qrels(qrels: DataFrame, path: str, *, split: str | None = None, overwrite: bool = False) -> int:
    """Writes judgements as a TREC qrels file, by query_id and doc_id, and returns the number of lines.

    It acts; rows come to the driver one partition at a time.

    Args:
        qrels: table `qrels`.
        path: a local file; its folder must be there.
        split: queries of this split only.
        overwrite: whether a file that is there may be replaced.

    Raises:
        InputError: the file cannot be written, there are no judgements, or an id cannot stand in a TREC file.
    """
    check_output(path, overwrite=overwrite)
    chosen = _of_split(qrels, split)
    if chosen.isEmpty():
        raise InputError(f"qrels: there are no judgements{'' if split is None else f' in split {split!r}'}")
    words = [F.col("query_id"), F.lit("0"), F.col("doc_id"), F.col("relevance")]
    is_writable = _writable("query_id") & _writable("doc_id")
    ordered = chosen.orderBy("query_id", "doc_id")
    return write_lines(_lines(ordered, words, is_writable, "qrels"), path, overwrite=overwrite)
