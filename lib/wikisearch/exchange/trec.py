"""TREC's run and qrels files, as trec_eval reads them.

A run has a line `query Q0 document rank score tag` for each document of each list, a qrels file a line
`query 0 document grade` for each judgement; blanks or tabs stand between, and what follows the tag of a run is
a remark. All ids are text: `001` is not `1`.
Every tool recomputes ranks from scores, so scores are written with all the digits of their double.
"""

from collections.abc import Iterator, Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.exchange.files import check_output, write_lines
from wikisearch.frames import conform, ranking, with_rank

_RUN_FIELDS = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
_QRELS_FIELDS = ("query_id", "iteration", "doc_id", "relevance")
# What C's atof takes and means: no hexadecimal, no `1.0d` (Spark's cast would take it), no NaN.
_NUMBER = r"^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[iI][nN][fF]([iI][nN][iI][tT][yY])?)$"
_GRADE = r"^[+-]?[0-9]{1,9}$"
# Unicode's white space too: Python tools split there.
_BLANK = r"(?U)[\s\x1c-\x1f]"


# --- writing --------------------------------------------------------------------------------------------


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


# --- reading --------------------------------------------------------------------------------------------


def _fields(spark: SparkSession, path: str, names: Sequence[str], number: str, form: str) -> DataFrame:
    """The lines of a file as text columns; blank lines are left out.

    Raises:
        InputError: no such file, or a line that has not these columns or no such number; of several, the
            first by its bytes is named (Spark reads a file in pieces and does not count lines).
    """
    try:
        text = spark.read.text(path, lineSep="\n")
    except AnalysisException as error:
        raise InputError(f"{path}: cannot be read; name a TREC file or a folder of them") from error
    words = F.split(F.regexp_replace("value", r"^[\uFEFF\s]+|\s+$", ""), r"\s+")
    lines = text.where(F.col("value").rlike(r"[^\uFEFF\s]")).select("value", words.alias("words"))
    fields = [F.get("words", F.lit(place)).alias(name) for place, name in enumerate(names)]
    num_words = F.size("words")
    has_length = num_words >= len(names) if names[-1] == "tag" else num_words == len(names)
    has_form = has_length & F.get("words", F.lit(names.index(number))).rlike(form)
    counted = F.min("value").alias("line"), F.count(F.lit(1)).alias("num")
    bad = lines.where(~has_form).agg(*counted).collect()[0]
    if bad["num"]:
        raise InputError(
            f"{path}: {bad['num']} of its lines are not '{' '.join(names)}' with a number as {number}, "
            f"such as: {bad['line'].strip()[:200]!r}"
        )
    return lines.select(*fields)


def read_run(spark: SparkSession, path: str, *, split: str, system: str | None = None) -> DataFrame:
    """The table `runs` from a TREC run file, gzipped or not; ranks are recomputed from the scores.

    It acts once, to check every line.

    Args:
        spark: the session.
        path: a file, a folder or a glob that Spark can read.
        split: the split that the rows are given.
        system: the name that the system is given; None takes each line's tag.

    Raises:
        InputError: the file cannot be read, or a line is not a run's.
    """
    fields = _fields(spark, path, _RUN_FIELDS, "score", _NUMBER)
    scored = fields.select(
        (F.col("tag") if system is None else F.lit(system)).alias("system"),
        "query_id",
        "doc_id",
        F.col("score").cast("double").alias("score"),
        F.lit(split).alias("split"),
    )
    return conform(with_rank(scored, ("system", "query_id"), ranking()), "runs")


def read_qrels(spark: SparkSession, path: str, *, split: str) -> DataFrame:
    """The table `qrels` from a TREC qrels file, gzipped or not.

    It acts once, to check every line.

    Args:
        spark: the session.
        path: a file, a folder or a glob that Spark can read.
        split: the split that the rows are given.

    Raises:
        InputError: the file cannot be read, or a line is not a judgement.
    """
    fields = _fields(spark, path, _QRELS_FIELDS, "relevance", _GRADE)
    judgements = fields.select(
        "query_id", "doc_id", F.col("relevance").cast("int").alias("relevance"), F.lit(split).alias("split")
    )
    return conform(judgements, "qrels")
