"""Dump files → sites, pages, page_rejects: the checks that make a dump whole, and duplicates.

Records are what the tasks of `read_dump` hand out: `page`, `reject` (a page that is none), `fault` (a place
where compressed data is damaged) and one `split` for each split that was read, with what it counted.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from wikisearch.dump.cut import TRUNCATED
from wikisearch.dump.files import DumpFile, find_dump_files
from wikisearch.dump.params import DumpParams
from wikisearch.dump.reader import FAULT, PAGE, RECORDS, REJECT, RecordReader, plan_tasks
from wikisearch.dump.siteinfo import SiteInfo, site_of_files
from wikisearch.errors import InputError, WikisearchError
from wikisearch.schemas import TABLES
from wikisearch.text.titles import Site

_LOG = logging.getLogger("wikisearch.dump")


@dataclass(frozen=True)
class ParsedDump:
    """The three tables of a dump, and what was counted on the way."""

    sites: DataFrame
    pages: DataFrame
    page_rejects: DataFrame
    facts: Mapping[str, object]


@contextmanager
def parsed_dump(spark: SparkSession, params: DumpParams, root_wiki: str | None = None) -> Iterator[ParsedDump]:
    """The tables of a dump, checked; it is read once and kept on disk until the block ends (acts).

    Args:
        spark: session that reads.
        params: which files, and how.
        root_wiki: wiki of the tables that the root has already; None if it has none.

    Raises:
        InputError: a file is no dump, is cut off or damaged, or is of another wiki than the rest.
        WikisearchError: more pages than `max_reject_share` are unreadable, or the counts do not add up.
    """
    files = find_dump_files(params.dump)
    info = site_of_files(files)
    if root_wiki is not None and info.wiki != root_wiki:
        raise InputError(
            f"dump '{files[0].path}': is of {info.wiki}, but the root holds {root_wiki}; give another --root"
        )
    # Disk: as text, the pages of a wiki are larger than memory. Unpacking them once more costs more.
    records = read_dump(spark, files, info.site, params, has_sections=info.has_sections)
    records = records.persist(StorageLevel.DISK_ONLY)
    try:
        facts, newest = checked_counts(records, files, params)
        yield ParsedDump(
            sites=sites_from_info(spark, replace(info, dump_date=info.dump_date or newest), files),
            pages=pages_from_records(records),
            page_rejects=rejects_from_records(records),
            facts=facts,
        )
    finally:
        records.unpersist()


def read_dump(
    spark: SparkSession,
    files: Sequence[DumpFile],
    site: Site,
    params: DumpParams,
    *,
    has_sections: bool = False,
) -> DataFrame:
    """Records of all files: each page that starts in them once, whatever the splits are.

    Args:
        spark: session that reads; the files are read by its tasks.
        files: dump files, as `find_dump_files` gives them.
        site: of the dump.
        params: how long splits and pages may be, and how many pages to read.
        has_sections: whether the files hold CDATA sections or comments, as `site_of_files` found.

    Returns:
        DataFrame with the columns `reader.RECORDS`, unique by `position`, which ascends in file order.
    """
    tasks = plan_tasks(
        files, params.split_bytes, params.plain_split_bytes, params.limit, has_sections=has_sections
    )
    reader = RecordReader(tuple(tasks), site, params.max_page_bytes, params.limit)
    # A range of one number each partition: no shuffle, one task a partition.
    return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(reader, RECORDS)


def sites_from_info(spark: SparkSession, info: SiteInfo, files: Sequence[DumpFile]) -> DataFrame:
    """The table `sites`, one row.

    Args:
        spark: session that makes it.
        info: what the head of the dump says.
        files: the files that were read.
    """
    source_files = [Row(path=f.path, num_bytes=f.num_bytes, modified_at=f.modified_at) for f in files]
    values = vars(info) | {"namespaces": dict(info.namespaces), "source_files": source_files}
    table = TABLES["sites"]
    return spark.createDataFrame([tuple(values[name] for name in table.column_names)], table.struct)


def pages_from_records(records: DataFrame) -> DataFrame:
    """The table `pages`: of a page id that occurs more than once, the newest revision.

    Newest is the latest `revised_at`, then the largest revision id, then the last source by name and the last
    place in it. Only ids are shuffled; the pages are joined to the few ids that occur more than once.

    Args:
        records: of `read_dump`.

    Returns:
        Columns of `pages`, unique by `page_id`.
    """
    winners = _repeated(records).select("page_id", F.col("newest.position").alias("winner"))
    return (
        records.where(F.col("kind") == PAGE)
        .join(F.broadcast(winners), on="page_id", how="left")
        .where(F.col("winner").isNull() | (F.col("winner") == F.col("position")))
        .select(*TABLES["pages"].column_names)
    )


def _repeated(records: DataFrame) -> DataFrame:
    """Page ids that occur more than once: `page_id`, `num_pages`, `newest` (struct with `position`)."""
    age = F.struct("revised_at", "revision_id", "source", "position")
    return (
        records.where(F.col("kind") == PAGE)
        .groupBy("page_id")
        .agg(F.count("*").alias("num_pages"), F.max(age).alias("newest"))
        .where(F.col("num_pages") > 1)
    )


def rejects_from_records(records: DataFrame) -> DataFrame:
    """The table `page_rejects`: pages that are none and places that are damaged, each with its reason.

    Args:
        records: of `read_dump`.
    """
    return records.where(F.col("kind").isin(REJECT, FAULT)).select(*TABLES["page_rejects"].column_names)


def checked_counts(
    records: DataFrame, files: Sequence[DumpFile], params: DumpParams
) -> tuple[dict[str, object], str | None]:
    """What was counted, and the date of the newest revision as YYYY-MM-DD (acts: two aggregations).

    Args:
        records: of `read_dump`.
        files: the files that they were read from.
        params: what is allowed.

    Raises:
        InputError: a file is damaged, cut off, or holds no page.
        WikisearchError: too many rejects, or page starts are not pages + duplicates + rejects.
    """
    counted = {row["source"]: row for row in _counts(records).collect()}
    rows = [counted[file.path] for file in files if file.path in counted]
    if params.limit is None and not params.allow_truncated:
        _check_is_whole(rows)
    reasons: dict[str, int] = {}
    for row in records.where(F.col("reason").isNotNull()).groupBy("reason").count().orderBy("reason").collect():
        reasons[row["reason"]] = row["count"]
    num_losers = _repeated(records).agg(F.sum(F.col("num_pages") - 1)).collect()[0][0] or 0
    num_starts, num_pages, num_rejects = (
        sum(row[name] for row in rows) for name in ("num_page_starts", "num_pages", "num_rejects")
    )
    if num_starts != num_pages + num_rejects:
        raise WikisearchError(
            f"{num_starts} pages start in the dump, but {num_pages} were read and {num_rejects} rejected; "
            "this is a fault of wikisearch: please report it"
        )
    if num_pages == 0:
        raise InputError(f"dump '{files[0].path}': holds no page that can be read ({num_rejects} rejects)")
    _check_rejects(num_rejects, num_starts, reasons, params)
    newest = max((row["newest"] for row in rows if row["newest"] is not None), default=None)
    num_older = sum(row["num_older_revisions"] for row in rows)
    _log_what_is_odd(num_older, sum(row["num_texts"] for row in rows))
    facts: dict[str, object] = {
        "num_page_starts": num_starts,
        "num_pages": num_pages - int(num_losers),
        "num_duplicates": int(num_losers),
        "num_older_revisions": num_older,
        "num_rejects": num_rejects,
        "num_faults": sum(reasons.values()) - num_rejects,
        "rejects_by_reason": reasons,
    }
    return facts, newest


def _log_what_is_odd(num_older_revisions: int, num_texts: int) -> None:
    if num_older_revisions:
        _LOG.warning(
            "a history dump: the newest revision of each page is kept, %s older ones are left out",
            f"{num_older_revisions:,}",
        )
    if not num_texts:
        _LOG.warning("no page has a text, as in a dump of stubs: there will be no articles; give pages-articles")


def check_written(facts: Mapping[str, object], num_pages: int, num_rejects: int) -> None:
    """Raises unless the tables hold what was counted: page starts = pages + duplicates + rejects.

    Args:
        facts: of `ParsedDump`.
        num_pages: rows of `pages`.
        num_rejects: rows of `page_rejects`, damaged places included.

    Raises:
        WikisearchError: with the numbers.
    """
    counted = {name: int(str(facts[name])) for name in facts if name.startswith("num_")}
    num_found = num_pages + counted["num_duplicates"] + num_rejects - counted["num_faults"]
    if num_found != counted["num_page_starts"] or num_pages != counted["num_pages"]:
        raise WikisearchError(
            f"{counted['num_page_starts']} pages start in the dump, but {num_pages} pages and {num_rejects} "
            f"rejects were written, with {counted['num_duplicates']} duplicates and {counted['num_faults']} "
            "damaged places counted; build the snapshot again"
        )


def _counts(records: DataFrame) -> DataFrame:
    """One row a source: what its splits counted, and what came out."""

    def number_of(kind: str) -> Column:
        return F.sum((F.col("kind") == kind).cast("long"))

    return records.groupBy("source").agg(
        F.sum("num_page_starts").alias("num_page_starts"),
        number_of(PAGE).alias("num_pages"),
        number_of(REJECT).alias("num_rejects"),
        F.sum("num_open_roots").alias("num_open_roots"),
        F.sum("num_older_revisions").alias("num_older_revisions"),
        F.sum("num_texts").alias("num_texts"),
        F.min(F.when(F.col("kind") == FAULT, F.col("excerpt"))).alias("fault"),
        F.max(F.when(F.col("reason") == TRUNCATED, F.col("title"))).alias("truncated_title"),
        F.date_format(F.max("revised_at"), "yyyy-MM-dd").alias("newest"),
    )


def _check_is_whole(rows: Sequence[Row]) -> None:
    for row in rows:
        advice = "download it again, or use what can be read with --allow-truncated"
        if row["fault"] is not None:
            raise InputError(f"dump '{row['source']}': {row['fault']}; {advice}")
        if row["num_open_roots"] > 0:
            title = row["truncated_title"]
            place = f"ends in the middle of the page '{title}'" if title else "ends before </mediawiki>"
            raise InputError(
                f"dump '{row['source']}': is cut off: it {place}, after {row['num_pages']} whole pages; {advice}"
            )


def _check_rejects(num_rejects: int, num_starts: int, reasons: Mapping[str, int], params: DumpParams) -> None:
    # That a page is cut off is what --allow-truncated allows.
    num_counted = num_rejects - (reasons.get(TRUNCATED, 0) if params.allow_truncated else 0)
    if num_counted > params.max_reject_share * num_starts:
        shown = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        raise InputError(
            f"dump '{' '.join(params.dump)}': {num_counted} of {num_starts} pages cannot be read ({shown}); "
            f"allowed is a share of {params.max_reject_share}; see the dump, or raise --max-reject-share"
        )
