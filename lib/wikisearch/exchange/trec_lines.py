"""Lines of TREC's run and qrels files as columns, with what is wrong in each.

Blanks and tabs separate words; blank lines, and lines that begin with `#` (comments, as trec_eval 10 has them),
are left out.
"""

import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.exchange.numbers import double_of, int_of, is_nan, leading_double, leading_int

COLUMNS, NO_TAG, MORE, SCORE, NAN, GRADE = "columns", "no tag", "more columns", "score", "NaN", "grade"
_RUN_WORDS = ("query", "Q0", "document", "rank", "score", "tag")
_QRELS_WORDS = ("query", "0", "document", "grade")


def _is_cut_by(separator: str, other: str) -> Column:
    """Whether a line has single separators of one kind between its words, and nothing else."""
    value = F.col("value")
    has_empty_word = value.contains(2 * separator) | value.startswith(separator) | value.endswith(separator)
    return ~(value.contains(other) | has_empty_word)


def _with_words(lines: DataFrame) -> DataFrame:
    """Lines that say something, with `words` ARRAY<STRING>.

    Nearly every line has single blanks, or single tabs, between words: to split at one character takes Spark
    half the time of a pattern.
    """
    value = F.col("value")
    only_blanks = F.translate(value, "\t", " ")
    words = (
        F.when(_is_cut_by(" ", "\t"), F.split(value, " "))
        .when(_is_cut_by("\t", " "), F.split(value, "\t"))
        .otherwise(F.split(F.trim(only_blanks), " +"))
    )
    says_something = (value >= "!") | (F.trim(only_blanks) != "")
    said = lines.where(~value.startswith("#") & says_something)
    return said.select("file", "position", "value", words.alias("words"))


def _word(place: int) -> Column:
    return F.get("words", F.lit(place))


def run_records(lines: DataFrame, *, lenient: bool = False) -> DataFrame:
    """The lines of run files as columns.

    Args:
        lines: of `read_lines`.
        lenient: take what C's atof makes of a score. It may be NaN.

    Returns:
        file, position, value; query_id, doc_id, tag STRING; score DOUBLE; fault STRING: NULL if all is right,
        `columns` (fewer than five), `no tag` (five of them), `score` (not a number) or `NaN`. Columns
        that a faulty line has no value for are NULL.
    """
    words = _with_words(lines).select(
        "file",
        "position",
        "value",
        F.size("words").alias("num_words"),
        _word(0).alias("query_id"),
        _word(2).alias("doc_id"),
        _word(4).alias("text"),
        _word(5).alias("tag"),
    )
    text, num_words = F.col("text"), F.col("num_words")
    scored = words.withColumn("score", double_of(text))
    fault = (
        F.when(num_words < len(_RUN_WORDS) - 1, COLUMNS)
        .when(F.col("score").isNull(), F.when(is_nan(text), NAN).otherwise(SCORE))
        .when(num_words < len(_RUN_WORDS), NO_TAG)
    )
    score = F.coalesce("score", leading_double(text)) if lenient else F.col("score")
    return scored.select(
        "file", "position", "value", "query_id", "doc_id", "tag", score.alias("score"), fault.alias("fault")
    )


def qrels_records(lines: DataFrame, *, lenient: bool = False) -> DataFrame:
    """The lines of qrels files as columns.

    Args:
        lines: of `read_lines`.
        lenient: take what C's atol makes of a grade.

    Returns:
        file, position, value; query_id, iteration (the second word), doc_id STRING; relevance INT; fault STRING:
        NULL if all is right, `columns` (fewer than four), `grade` (not a whole number of 32 bits) or
        `more columns`.
    """
    words = _with_words(lines).select(
        "file",
        "position",
        "value",
        F.size("words").alias("num_words"),
        _word(0).alias("query_id"),
        _word(1).alias("iteration"),
        _word(2).alias("doc_id"),
        _word(3).alias("text"),
    )
    graded = words.withColumn("relevance", int_of(F.col("text")))
    num_words, wanted = F.col("num_words"), len(_QRELS_WORDS)
    fault = (
        F.when(num_words < wanted, COLUMNS).when(F.col("relevance").isNull(), GRADE).when(num_words > wanted, MORE)
    )
    relevance = F.coalesce("relevance", leading_int(F.col("text"))) if lenient else F.col("relevance")
    return graded.select(
        "file",
        "position",
        "value",
        "query_id",
        "iteration",
        "doc_id",
        F.when(num_words >= wanted, relevance).alias("relevance"),
        fault.alias("fault"),
    )


def explain_run(fault: str, line: str) -> str:
    """What is wrong with a line of a run, in words."""
    words = re.split(r"[ \t]+", line.strip(" \t"))
    if fault in (COLUMNS, NO_TAG):
        return _explain_columns(words, _RUN_WORDS)
    return f"the score '{words[4]}' is {'NaN: it has no place in an order' if fault == NAN else 'not a number'}"


def explain_qrels(fault: str, line: str) -> str:
    """What is wrong with a line of qrels, in words."""
    words = re.split(r"[ \t]+", line.strip(" \t"))
    if fault in (COLUMNS, MORE):
        return _explain_columns(words, _QRELS_WORDS)
    return f"the grade '{words[3]}' is not a whole number{' of 32 bits' if words[3].strip('+-').isdigit() else ''}"


def _explain_columns(words: list[str], wanted: tuple[str, ...]) -> str:
    num = f"{len(words)} column{'s' if len(words) > 1 else ''}"
    return f"it has {num}, not the {len(wanted)} of '{' '.join(wanted)}'"
