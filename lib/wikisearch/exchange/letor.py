"""LETOR's files of judged documents with features (the form of SVMrank), and files of predictions for them.

A line is `label qid:query feature:value … # docid = document …`, one for each document, without the features
that are missing or with NULL for them; what stands behind `#` is a comment (Qin, Liu, Xu and Li, "LETOR", 2010;
Joachims, SVMrank). Label -1 is that of a document that nobody judged. A file of predictions has a number on
each line, for the document on the same line of the file of features.
"""

import logging
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.exchange.faults import check_lines, raise_for_faults
from wikisearch.exchange.lines import find_text_files, lines_of
from wikisearch.exchange.numbers import double_of, int_of

_LOG = logging.getLogger(__name__)
_LETOR, _PREDICTIONS = "letor", "predictions"  # what messages call the files
_ADVICE = "correct the file"
LABEL, QUERY, FEATURE, REPEATED, NUMBER = "label", "query", "feature", "repeated", "number"
_WORDS = {
    LABEL: "the label is not a whole number, -1 or more",
    QUERY: "its second word is not 'qid:' with an id",
    FEATURE: "a feature is not 'id:value' with a whole number and a number, or NULL",
    REPEATED: "a feature stands there twice",
    NUMBER: "it is not a number",
}
_DOC_ID = r"#.*?\bdocid\s*=\s*(\S+)"


def _patterns(patterns: str | Sequence[str]) -> Sequence[str]:
    return [patterns] if isinstance(patterns, str) else patterns


def _records(lines: DataFrame) -> DataFrame:
    """Lines that say something as columns, `fault` among them; features as an array of (id, value)."""
    value = F.col("value")
    data = F.trim(F.translate(F.substring_index(value, "#", 1), "\t", " "))
    words = lines.select("file", "position", "value", F.split(data, " +").alias("words")).where(data != "")
    label, query = F.get("words", F.lit(0)), F.get("words", F.lit(1))

    def feature(word: Column) -> Column:
        number = F.substring_index(word, ":", -1)
        return F.struct(
            int_of(F.substring_index(word, ":", 1)).alias("id"),
            double_of(number).alias("value"),
            (F.upper(number) == "NULL").alias("is_missing"),
            (F.length(word) - F.length(F.translate(word, ":", "")) == 1).alias("has_colon"),
        )

    fields = words.select(
        "file",
        "position",
        "value",
        int_of(label).alias("relevance"),
        F.when(query.startswith("qid:"), F.substring(query, 5, 1 << 30)).alias("query_id"),
        F.nullif(F.regexp_extract(value, _DOC_ID, 1), F.lit("")).alias("doc_id"),
        F.transform(F.slice("words", 3, F.greatest(F.size("words") - 2, F.lit(0))), feature).alias("features"),
    )
    features = F.col("features")
    is_wrong = F.exists(
        features,
        lambda each: (
            ~each["has_colon"]
            | each["id"].isNull()
            | (each["id"] < 0)
            | (each["value"].isNull() & ~each["is_missing"])
        ),
    )
    fault = (
        F.when(F.col("relevance").isNull() | (F.col("relevance") < -1), LABEL)
        .when(F.coalesce(F.col("query_id"), F.lit("")) == "", QUERY)
        .when(is_wrong, FEATURE)
        .when(F.size(F.array_distinct(features["id"])) < F.size(features), REPEATED)
    )
    return fields.select("*", fault.alias("fault"))


def read_letor(spark: SparkSession, patterns: str | Sequence[str]) -> DataFrame:
    """Judged documents with their features, a row for each line (acts, to check every line).

    Args:
        spark: the session.
        patterns: paths, patterns and folders, see `find_text_files`.

    Returns:
        file, position as in `read_lines`; relevance INT, -1: not judged; query_id STRING; doc_id STRING: the
        comment's docid, or `<query_id>:<number of the line within the query, from 1>` where there is none;
        features MAP<INT, DOUBLE>, without those that are missing.

    Raises:
        InputError: a file cannot be read, or a line is none of LETOR's (named with its reason).
    """
    lines = lines_of(spark, find_text_files(_patterns(patterns), _LETOR), _LETOR)
    records = _records(lines)
    counts = records.agg(
        F.count("fault").alias("num_faulty"), F.count_if(F.col("doc_id").isNull()).alias("num_nameless")
    ).collect()[0]
    if counts["num_faulty"]:
        raise_for_faults(records, lines, _LETOR, lambda fault, _: _WORDS[fault], _ADVICE)
    if counts["num_nameless"]:
        place = F.row_number().over(Window.partitionBy("query_id").orderBy("position"))
        given = F.concat_ws(":", "query_id", place.cast("string"))
        records = records.withColumn("doc_id", F.coalesce("doc_id", given))
    known = F.filter("features", lambda each: each["value"].isNotNull())
    pairs = F.transform(known, lambda each: F.struct(each["id"], each["value"]))
    features = F.map_from_entries(pairs).alias("features")
    return records.select("file", "position", "relevance", "query_id", "doc_id", features)


def letor_qrels(letor: DataFrame, *, split: str) -> DataFrame:
    """The table `qrels` of the judged documents among those of `read_letor`.

    Args:
        letor: of `read_letor`.
        split: the split that the rows are given.
    """
    judged = letor.where(F.col("relevance") >= 0)
    return judged.select("query_id", "doc_id", "relevance", F.lit(split).alias("split"))


def letor_run(letor: DataFrame, feature: int, *, split: str, system: str | None = None) -> DataFrame:
    """The documents scored by one feature, 0 where it is missing; not ranked.

    Args:
        letor: of `read_letor`.
        feature: its id.
        split: the split that the rows are given.
        system: the name that the system is given; None: `feature<id>`.

    Returns:
        system, query_id, doc_id, score, split as in table `runs`; file, position as in `read_lines`.
    """
    score = F.coalesce(F.try_element_at("features", F.lit(feature)), F.lit(0.0))
    return _scored(letor.withColumn("score", score), system or f"feature{feature}", split)


def _scored(scored: DataFrame, system: str, split: str) -> DataFrame:
    names = (F.lit(system).alias("system"), "query_id", "doc_id", "score", F.lit(split).alias("split"))
    return scored.select(*names, "file", "position")


def _numbered(rows: DataFrame) -> DataFrame:
    """Adds `line` LONG, from 0 in the order of `position` (acts: counts the rows of each block).

    Not by one window over all: that would sort everything in one task.
    """
    blocks = ("position.file", "position.block")
    counts = rows.groupBy(*blocks).count().orderBy("file", "block").collect()
    starts, num_before = [], 0
    for row in counts:
        starts.append((row["file"], row["block"], num_before))
        num_before += row["count"]
    table = rows.sparkSession.createDataFrame(starts, "file_number INT, block_start LONG, num_before LONG")
    is_same = (F.col("position.file") == F.col("file_number")) & (F.col("position.block") == F.col("block_start"))
    place = F.row_number().over(Window.partitionBy("file_number", "block_start").orderBy("position"))
    joined = rows.join(F.broadcast(table), on=is_same, how="inner")
    numbered = joined.withColumn("line", F.col("num_before") + place - 1)
    return numbered.drop("file_number", "block_start", "num_before")


def read_predictions(
    spark: SparkSession, patterns: str | Sequence[str], letor: DataFrame, *, split: str, system: str
) -> DataFrame:
    """The documents of LETOR's files scored by files of predictions, line by line; not ranked (acts).

    Blank lines are left out on both sides; several files are read as one, in the order found.

    Args:
        spark: the session.
        patterns: paths, patterns and folders of files with one number on each line.
        letor: of `read_letor`: what was predicted for.
        split: the split that the rows are given.
        system: the name that the system is given.

    Returns:
        system, query_id, doc_id, score, split as in table `runs`; file, position of the documents' lines.

    Raises:
        InputError: a file cannot be read, a line is not a number, or there are fewer numbers than documents;
            numbers beyond are ignored, and their number is logged.
    """
    files = find_text_files(_patterns(patterns), _PREDICTIONS)
    lines = lines_of(spark, files, _PREDICTIONS)
    word = F.trim(F.translate("value", "\t", " "))
    said = lines.where(word != "").withColumn("score", double_of(word))
    records = said.withColumn("fault", F.when(F.col("score").isNull(), NUMBER))
    check_lines(records, lines, _PREDICTIONS, lambda fault, _: _WORDS[fault], _ADVICE)
    num_numbers, num_documents = records.count(), letor.count()
    if num_numbers < num_documents:
        raise InputError(
            f"{_PREDICTIONS} '{files[0].path}'{' and more' if len(files) > 1 else ''}: {num_numbers} numbers for "
            f"{num_documents} documents; there must be one for each"
        )
    if num_numbers > num_documents:
        _LOG.warning("%s: %d numbers beyond the documents are ignored", _PREDICTIONS, num_numbers - num_documents)
    scores = _numbered(records.select("position", "score")).select("line", "score")
    return _scored(_numbered(letor).join(scores, on="line", how="inner"), system, split)
