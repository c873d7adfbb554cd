"""Reads dump files in parallel: one task a split, and what each task makes of its bytes.

Spark's own text reader is not used: with a record delimiter of one's own, Hadoop 3.3.4's bzip2 codec hands the
record at a split's boundary to both sides, and the codec is chosen by the file's name.
"""

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import types as T

from wikisearch.dump.cut import CORRUPT, Cut, Cutter
from wikisearch.dump.fields import EXCERPT_CHARS, PageReader, Reject, reject
from wikisearch.dump.files import DumpFile, open_dump
from wikisearch.files.chunks import Chunk, Split, chunks
from wikisearch.files.formats import BZIP2
from wikisearch.files.streams import STREAMED
from wikisearch.text.titles import Site

_LOG = logging.getLogger("wikisearch.dump")
PAGE, REJECT, FAULT, SPLIT = "page", "reject", "fault", "split"
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 1000

_FIELDS: tuple[tuple[str, T.DataType, pa.DataType], ...] = (
    ("kind", T.StringType(), pa.string()),
    ("source", T.StringType(), pa.string()),
    ("position", T.LongType(), pa.int64()),
    ("page_id", T.LongType(), pa.int64()),
    ("namespace", T.IntegerType(), pa.int32()),
    ("title", T.StringType(), pa.string()),
    ("revision_id", T.LongType(), pa.int64()),
    ("revised_at", T.TimestampType(), pa.timestamp("us", tz="UTC")),
    ("sha1", T.StringType(), pa.string()),
    ("model", T.StringType(), pa.string()),
    ("redirect_title", T.StringType(), pa.string()),
    ("wikitext", T.StringType(), pa.string()),
    ("reason", T.StringType(), pa.string()),
    ("excerpt", T.StringType(), pa.string()),
    ("num_page_starts", T.LongType(), pa.int64()),
    ("num_open_roots", T.LongType(), pa.int64()),
    ("num_older_revisions", T.LongType(), pa.int64()),
    ("num_texts", T.LongType(), pa.int64()),
)
RECORDS = T.StructType([T.StructField(name, spark_type, True) for name, spark_type, _ in _FIELDS])
_ARROW = pa.schema([(name, arrow_type) for name, _, arrow_type in _FIELDS])

Row = dict[str, object]
Task = tuple[Split, ...]


def plan_tasks(
    files: Sequence[DumpFile],
    split_bytes: int,
    plain_split_bytes: int,
    limit: int | None,
    *,
    has_sections: bool = False,
) -> list[Task]:
    """The splits that each task reads, in file order: one each, or with a limit all files in one task.

    Args:
        files: dump files.
        split_bytes: length of a split of a bzip2 file, in bytes as they lie there.
        plain_split_bytes: the same for plain XML; what else there is reads from its start only, one split a file.
        limit: pages to read; None reads all.
        has_sections: whether the files have CDATA sections or comments: then each is one split.
    """
    if limit is not None:
        return [tuple(Split(file.path, file.format, 0, file.num_bytes) for file in files)]
    tasks: list[Task] = []
    for file in files:
        num_bytes = split_bytes if file.format == BZIP2 else plain_split_bytes
        is_whole = has_sections or file.format in STREAMED
        if is_whole and file.num_bytes > num_bytes:
            why = f"{file.format} data" if file.format in STREAMED else "CDATA sections or comments"
            _LOG.info("dump '%s': %s cannot be split: one task reads the file", file.path, why)
        tasks += [(split,) for split in _splits(file, file.num_bytes if is_whole else num_bytes)]
    return tasks


def _splits(file: DumpFile, split_bytes: int) -> list[Split]:
    """Ranges of nearly equal length that cover the file."""
    num_splits = max(1, -(-file.num_bytes // split_bytes))
    bounds = [file.num_bytes * number // num_splits for number in range(num_splits + 1)]
    return [Split(file.path, file.format, start, end) for start, end in itertools.pairwise(bounds)]


@dataclass(frozen=True)
class RecordReader:
    """What a Spark task calls: ids of tasks in, batches of records out.

    Args:
        tasks: splits by task.
        site: of the dump.
        max_page_bytes: longest page that is read.
        limit: pages that one task reads at most; None for all.
    """

    tasks: tuple[Task, ...]
    site: Site
    max_page_bytes: int
    limit: int | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Records of the tasks whose numbers the batches' column `id` holds."""
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from sliced(self.rows(number), _ARROW, lambda row: len(str(row.get("wikitext") or "")))

    def rows(self, number: int) -> Iterator[Row]:
        """Records of one task: its pages and rejects in order, and one `split` record for each split."""
        num_pages = 0
        for part, split in enumerate(self.tasks[number]):
            reader = _SplitReader(Cutter(self.max_page_bytes), self.site)
            # Unique over all files, and ascending in file order whatever the splits are.
            position = (number + part) << 32
            with open_dump(split.path) as file:
                for row in reader.rows(chunks(file, split)):
                    yield row | {"source": split.path, "position": position}
                    position += 1
                    num_pages += row["kind"] == PAGE
                    if num_pages == self.limit:
                        break
            yield reader.counts() | {"kind": SPLIT, "source": split.path, "position": position}
            if num_pages == self.limit:
                return


@dataclass
class _SplitReader:
    """Makes records of what is cut out of one split, and counts."""

    cutter: Cutter
    site: Site
    num_older_revisions: int = 0
    num_texts: int = 0

    def rows(self, given: Iterable[Chunk]) -> Iterator[Row]:
        """Pages, rejects and faults, in order."""
        begun: PageReader | None = None
        for cut in self.cutter.cuts(given):
            if cut.is_part:
                begun = begun or PageReader(self.site)
                begun.feed(cut.data)
            elif cut.reason is None:
                yield self._page_row(begun or PageReader(self.site), cut)
                begun = None
            elif cut.reason == CORRUPT:
                yield {"kind": FAULT, "reason": CORRUPT, "excerpt": cut.data.decode()[:EXCERPT_CHARS]}
            else:
                yield {"kind": REJECT} | vars(reject(cut.reason, cut.data))
                begun = None

    def _page_row(self, reader: PageReader, cut: Cut) -> Row:
        found = reader.close(cut.data)
        if isinstance(found, Reject):
            return {"kind": REJECT} | vars(found)
        self.num_older_revisions += max(0, reader.num_revisions - 1)
        self.num_texts += found.wikitext is not None
        return {"kind": PAGE} | vars(found)

    def counts(self) -> Row:
        """What was counted."""
        return {
            "num_page_starts": self.cutter.num_page_starts,
            "num_open_roots": self.cutter.num_open_roots,
            "num_older_revisions": self.num_older_revisions,
            "num_texts": self.num_texts,
        }


def sliced(rows: Iterable[Row], schema: pa.Schema, size_of: Callable[[Row], int]) -> Iterator[pa.RecordBatch]:
    """Arrow batches of rows, each of some megabytes at most (Spark's own bound counts rows, not bytes).

    Args:
        rows: by column name; a column that a row lacks is NULL.
        schema: columns of the batches.
        size_of: about how many bytes a row takes.
    """
    batch: list[Row] = []
    num_bytes = 0
    for row in rows:
        batch.append(row)
        num_bytes += size_of(row)
        if num_bytes >= _BATCH_BYTES or len(batch) >= _BATCH_ROWS:
            yield pa.RecordBatch.from_pylist(batch, schema)
            batch, num_bytes = [], 0
    if batch:
        yield pa.RecordBatch.from_pylist(batch, schema)
