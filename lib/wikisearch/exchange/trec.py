"""Reads TREC's run and qrels files, as trec_eval reads them.

A run has a line `query Q0 document rank score tag` for each document of each list, a qrels file a line
`query 0 document grade` for each judgement; blanks or tabs stand between, and what follows the tag of a run is
a remark. All ids are text: `001` is not `1`. Blank lines, and lines that begin with `#`, are left out.
"""

import os
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.exchange.faults import check_lines, last_of_each, raise_for_faults, usable_lines
from wikisearch.exchange.lines import TextFile, find_text_files, lines_of, of_file
from wikisearch.exchange.trec_lines import (
    COLUMNS,
    GRADE,
    MORE,
    NAN,
    NO_TAG,
    SCORE,
    explain_qrels,
    explain_run,
    qrels_records,
    run_records,
)
from wikisearch.files.formats import without_packing_suffix
from wikisearch.frames import conform, ranking, with_rank

REFUSE, COLLAPSE = "refuse", "collapse"
_RUN, _QRELS = "run", "qrels"  # what messages call the files
_ADVICE = "correct the file, or read it leniently"
# Names of run files end so; other suffixes may tell two runs apart (bm25.k1=0.9).
_SUFFIXES = (".run", ".txt", ".trec", ".tsv", ".res", ".results", ".out")
# What lenient reading makes of lines, by their fault.
_RUN_FAULTS = {
    COLUMNS: "have too few columns and are left out",
    NO_TAG: "have five columns: the file's name stands for the tag",
    SCORE: "have a score that is not a number: what it begins with is taken, or 0",
    NAN: "have the score NaN and are left out",
}
_QRELS_FAULTS = {
    COLUMNS: "have too few columns and are left out",
    MORE: "have more than four columns: the others are not looked at",
    GRADE: "have a grade that is not a whole number: what it begins with is taken, or 0",
}


def _patterns(patterns: str | Sequence[str]) -> Sequence[str]:
    return [patterns] if isinstance(patterns, str) else patterns


def stem(path: str) -> str:
    """A run file's name without its folder, the suffix of its packing, and one such as `.run` or `.txt`.

    >>> stem("runs/bm25.k1=0.9.run.gz")
    'bm25.k1=0.9'
    """
    name = os.path.basename(without_packing_suffix(path.rstrip("/")))
    root, suffix = os.path.splitext(name)
    return root if root and suffix.lower() in _SUFFIXES else name


def _check_stems(files: Sequence[TextFile]) -> None:
    seen: dict[str, str] = {}
    for file in files:
        name = stem(file.path)
        if name in seen:
            raise InputError(
                f"{_RUN} '{file.path}': would be system '{name}', as '{seen[name]}' is; rename one of them"
            )
        seen[name] = file.path


def systems_of_files(patterns: str | Sequence[str]) -> list[str]:
    """The systems that run files are read as by their names, in the order of the files.

    Raises:
        InputError: a file cannot be read, or two files give one name.
    """
    files = find_text_files(_patterns(patterns), _RUN)
    _check_stems(files)
    return [stem(file.path) for file in files]


def read_run_lines(
    spark: SparkSession,
    patterns: str | Sequence[str],
    *,
    split: str,
    system: str | None = None,
    by_file: bool = False,
    lenient: bool = False,
    check: bool = True,
) -> DataFrame:
    """What run files say of each document, one row a line, not ranked (acts once, to check every line).

    The second column and the ranks are not looked at. That a document stands twice in a list is not found
    here.

    Args:
        spark: the session.
        patterns: paths, patterns and folders, see `find_text_files`.
        split: the split that the rows are given.
        system: the name that the system is given; None takes each line's tag.
        by_file: name each system by its file, see `stem`, whatever the tags are.
        lenient: do not fail at a faulty line but make of it what C's atof would, and log how many there are;
            lines with too few columns or the score NaN are left out; of a document that stands twice in a
            list the last line is taken.
        check: False: do not act. Then the rows have a column `fault` too, NULL where the line is right; who
            reads them all must count it, and call again with `check` to raise if there is one. Not with `lenient`.

    Returns:
        system, query_id, doc_id, score, split as in table `runs`; file, position as in `read_lines`.

    Raises:
        InputError: a file cannot be read, a line is not a run's (named with its reason), or two files give one
            name by `by_file`.
        UsageError: both `system` and `by_file`.
    """
    if system is not None and by_file:
        raise UsageError("name the system, or take the systems' names from the files, not both")
    files = find_text_files(_patterns(patterns), _RUN)
    if by_file:
        _check_stems(files)
    lines = lines_of(spark, files, _RUN)
    records = run_records(lines, lenient=lenient)
    if lenient:
        records = usable_lines(records, _RUN, _RUN_FAULTS, left_out=(COLUMNS, NAN))
    elif check:
        check_lines(records, lines, _RUN, explain_run, _ADVICE)
    if system is not None:
        name = F.lit(system)
    elif by_file:
        name = _by_stem(files)
    else:
        name = F.coalesce("tag", _by_stem(files)) if lenient else F.col("tag")
    more = [] if check or lenient else ["fault"]
    rows = records.select(
        name.alias("system"), "query_id", "doc_id", "score", F.lit(split).alias("split"), "file", "position", *more
    )
    return last_of_each(rows, _RUN, ("system", "query_id", "doc_id")) if lenient else rows


def _by_stem(files: Sequence[TextFile]) -> Column:
    return of_file([stem(file.path) for file in files], F.col("position.file"))


def read_run(
    spark: SparkSession,
    patterns: str | Sequence[str],
    *,
    split: str,
    system: str | None = None,
    by_file: bool = False,
    lenient: bool = False,
) -> DataFrame:
    """The table `runs` from TREC run files; ranks are recomputed from the scores (acts once).

    Arguments and errors are those of `read_run_lines`.
    """
    rows = read_run_lines(spark, patterns, split=split, system=system, by_file=by_file, lenient=lenient)
    ranked = with_rank(rows.drop("file", "position"), ("system", "query_id"), ranking())
    return conform(ranked, "runs")


def read_qrels_lines(
    spark: SparkSession,
    patterns: str | Sequence[str],
    *,
    split: str,
    lenient: bool = False,
    subtopics: str = REFUSE,
) -> DataFrame:
    """What qrels files say of each document, one row a line (acts, to check every line).

    Where a document is judged several times for one query, with different second columns, the judgements are
    of subtopics, as the diversity task of the Web Tracks has them. Other repetitions are not found here.

    Args:
        spark: the session.
        patterns: paths, patterns and folders, see `find_text_files`.
        split: the split that the rows are given.
        lenient: do not fail at a faulty line but make of it what C's atol would, and log how many there are;
            lines with too few columns are left out; of a document that is judged twice the last line is taken.
        subtopics: `refuse` judgements of subtopics, or `collapse` them: each document gets its highest grade.

    Returns:
        query_id, doc_id, relevance, split as in table `qrels`; file, position as in `read_lines`.

    Raises:
        InputError: a file cannot be read, a line is not a judgement (named with its reason), or the judgements
            are of subtopics.
        UsageError: `subtopics` is another word.
    """
    if subtopics not in (REFUSE, COLLAPSE):
        raise UsageError(f"subtopics '{subtopics}': unknown; say {REFUSE} or {COLLAPSE}")
    lines = lines_of(spark, find_text_files(_patterns(patterns), _QRELS), _QRELS)
    records = qrels_records(lines, lenient=lenient)
    found = records.agg(
        F.count("fault").alias("num"), F.min("iteration").alias("first"), F.max("iteration").alias("last")
    ).collect()[0]
    if lenient:
        records = usable_lines(records, _QRELS, _QRELS_FAULTS, left_out=(COLUMNS,))
    elif found["num"]:
        raise_for_faults(records, lines, _QRELS, explain_qrels, _ADVICE)
    if found["first"] != found["last"]:
        if subtopics == COLLAPSE:
            best = F.max(F.struct("relevance", "file", "position")).alias("best")
            records = records.groupBy("query_id", "doc_id").agg(best).select("query_id", "doc_id", "best.*")
        else:
            _raise_for_subtopics(records)
    rows = records.select("query_id", "doc_id", "relevance", F.lit(split).alias("split"), "file", "position")
    return last_of_each(rows, _QRELS, ("query_id", "doc_id")) if lenient else rows


def read_qrels(
    spark: SparkSession,
    patterns: str | Sequence[str],
    *,
    split: str,
    lenient: bool = False,
    subtopics: str = REFUSE,
) -> DataFrame:
    """The table `qrels` from TREC qrels files (acts); arguments and errors are those of `read_qrels_lines`."""
    rows = read_qrels_lines(spark, patterns, split=split, lenient=lenient, subtopics=subtopics)
    return conform(rows.drop("file", "position"), "qrels")


def _raise_for_subtopics(records: DataFrame) -> None:
    """Raises if a document is judged for several subtopics of a query (acts)."""
    judged = records.groupBy("query_id", "doc_id").agg(
        F.min("iteration").alias("first"), F.max("iteration").alias("last"), F.min("file").alias("file")
    )
    several = judged.where(F.col("first") != F.col("last")).orderBy("query_id", "doc_id").first()
    if several is not None:
        raise InputError(
            f"{_QRELS} '{several['file']}': document '{several['doc_id']}' is judged several times for query "
            f"'{several['query_id']}', with '{several['first']}' and '{several['last']}' in the second column: "
            "these are judgements of subtopics (diversity qrels); give those of whole topics, or set "
            f"subtopics to {COLLAPSE}, which takes the highest grade"
        )
