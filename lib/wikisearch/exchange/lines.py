"""Lines of other tools' text files: many files at once, plain or packed, with their place in the file.

What a file is, its first bytes say, not its name. Spark's text reader reads plain files. Packed ones are read as
dumps are (bzip2 in splits, the others by one task a file): Spark's reader goes by the name, leaves out a
damaged bzip2 block without a word, and does not name the file that is damaged.
A line ends at LF, CR LF or CR.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
from pyarrow import fs
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.files.chunks import PLAIN, Chunk, Split, chunks
from wikisearch.files.formats import HEAD_BYTES, packing_by_name, packing_of
from wikisearch.files.paths import files_in, filesystem_of, matches, open_file
from wikisearch.files.streams import STREAMED

_LOG = logging.getLogger(__name__)
_BYTE_ORDER_MARK = "\ufeff"
# What Spark's reader takes for a pattern, does not see, cannot name, or unpacks by its name (Hadoop's codecs).
_NOT_FOR_SPARK = re.compile(r"[*?\[{\\]|/[._][^/]*$|:[^/]*$|\.(?:bz2|deflate|gz|lz4|snappy|zst)$", re.IGNORECASE)
# A bzip2 split: some 20 MB of text; it must decode a block that is another's.
_SPLIT_BYTES = 4 << 20
# A literal map is searched from its start: for so many files it is faster than a join.
_MAX_MAPPED = 16
_POSITION = (("file", "int"), ("block", "bigint"), ("place", "bigint"))
_LINES = "number INT, block LONG, place LONG, value BINARY"
_ARROW = pa.schema([("number", pa.int32()), ("block", pa.int64()), ("place", pa.int64()), ("value", pa.binary())])


@dataclass(frozen=True)
class TextFile:
    """A file of lines: where it lies, how it is packed (`plain`, `bzip2`, ...), and its size."""

    path: str
    format: str
    num_bytes: int


def find_text_files(patterns: Sequence[str], what: str) -> list[TextFile]:
    """The files that paths, patterns and folders mean: in the order given, those of one by name, each once.

    Args:
        patterns: local paths and URIs; a folder means the files that lie in it, but `.name` and `_name`.
        what: what a message calls the files (run, qrels, ...).

    Raises:
        InputError: nothing is found, or a file is packed in a way that is not read.
    """
    infos: dict[str, fs.FileInfo] = {}
    for pattern in patterns:
        found = matches(pattern, what)
        if len(found) == 1 and found[0][1].type == fs.FileType.Directory:
            found = files_in(found[0][0], what)
            if not found:
                raise InputError(f"{what} '{pattern}': is a folder with no files in it")
        if not found or found[0][1].type != fs.FileType.File:
            raise InputError(f"{what} '{pattern}': no such file")
        infos.update({path: info for path, info in found if path not in infos})
    return [_text_file(path, info.size, what) for path, info in infos.items()]


def _text_file(path: str, num_bytes: int, what: str) -> TextFile:
    with open_file(path, what) as file:
        found = packing_of(path, file.read_at(min(HEAD_BYTES, num_bytes), 0), what, "lines") or PLAIN
    said = packing_by_name(path) or found
    if said != found:
        _LOG.warning("%s '%s': is %s, not %s as its name says; it is read as such", what, path, found, said)
    if num_bytes == 0:
        _LOG.warning("%s '%s': is empty", what, path)
    if found in STREAMED:
        _LOG.info("%s '%s': %s data cannot be split: one task reads the file", what, path, found)
    return TextFile(path, found, num_bytes)


def read_lines(spark: SparkSession, patterns: Sequence[str], what: str) -> DataFrame:
    """All lines of text files, each once.

    Args:
        spark: the session.
        patterns: paths, patterns, folders, URIs; see `find_text_files`.
        what: what a message calls the files (run, qrels, ...).

    Returns:
        file STRING as found; position STRUCT<file INT, block LONG, place LONG>, ascending in the order of the
        files and of their lines, `position.file` counting files from 0; value STRING without its end of line.
        Bytes that are not UTF-8 are left as they are. A byte order mark at the start of a line (where files
        were put together) is removed.

    Raises:
        InputError: as `find_text_files`, and in a task, where a file is damaged or cut off.
    """
    return lines_of(spark, find_text_files(patterns, what), what)


def lines_of(spark: SparkSession, files: Sequence[TextFile], what: str) -> DataFrame:
    """The same of files that were found."""
    numbers = {file.path: number for number, file in enumerate(files)}
    is_for_spark = {file.path: file.format == PLAIN and not _NOT_FOR_SPARK.search(file.path) for file in files}
    parts = []
    native = [path for path, is_native in is_for_spark.items() if is_native]
    if native:
        parts.append(_read_by_spark(spark, {_spark_path(path): numbers[path] for path in native}, what))
    splits = [
        (numbers[file.path], split) for file in files if not is_for_spark[file.path] for split in _splits(file)
    ]
    if splits or not native:
        reader = LineReader(tuple(splits), what)
        parts.append(spark.range(0, len(splits), 1, max(len(splits), 1)).mapInArrow(reader, _LINES))
    value = F.col("value").cast("string")
    has_mark = value.startswith(_BYTE_ORDER_MARK)
    both = parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])
    return both.select(
        of_file([file.path for file in files], F.col("number")).alias("file"),
        F.struct(F.col("number").alias("file"), "block", "place").alias("position"),
        F.when(has_mark, F.substring(value, 2, 1 << 30)).otherwise(value).alias("value"),
    )


def of_file(values: Sequence[str], number: Column) -> Column:
    """The value of the file that has a number, of values in the order of the files."""
    return F.get(F.array(*(F.lit(value) for value in values)), number)


def _spark_path(path: str) -> str:
    filesystem, inner = filesystem_of(path)
    return inner if isinstance(filesystem, fs.LocalFileSystem) else path


def _read_by_spark(spark: SparkSession, numbers: dict[str, int], what: str) -> DataFrame:
    """Columns number, block, place, value of plain files, given with their numbers."""
    reader = spark.read.option("ignoreMissingFiles", "false").option("ignoreCorruptFiles", "false")
    try:
        text = reader.text(list(numbers))
    except AnalysisException as error:
        raise InputError(f"{what}: cannot be read by Spark: {str(error).splitlines()[0]}") from error
    lines = text.select(
        F.col("_metadata.file_path").alias("uri"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("place"),
        F.col("value").cast("binary").alias("value"),
    )
    by_uri = _numbers_by_uri(text.inputFiles(), numbers, what)
    rest = ["block", "place", "value"]
    if len(by_uri) == 1:
        return lines.select(F.lit(next(iter(by_uri.values()))).alias("number"), *rest)
    if len(by_uri) <= _MAX_MAPPED:
        mapped = F.create_map(*(F.lit(part) for pair in by_uri.items() for part in pair))
        return lines.select(mapped[F.col("uri")].alias("number"), *rest)
    table = spark.createDataFrame(list(by_uri.items()), "uri STRING, number INT")
    return lines.join(F.broadcast(table), on="uri", how="inner").select("number", *rest)


def _numbers_by_uri(uris: Iterable[str], numbers: dict[str, int], what: str) -> dict[str, int]:
    """The numbers of files by what `_metadata.file_path` calls them."""
    # Spark quotes a path, and may name a host that the URI given leaves to the configuration.
    given = {re.sub(r"^[\w+.-]+://[^/]*", "", path): path for path in numbers}
    found = {}
    for uri in uris:
        path = given.get(unquote(urlsplit(uri).path))
        if path is None:
            raise InputError(f"{what} '{uri}': cannot be told from the other files; give it by itself")
        found[re.sub(r"^(\w+):///", r"\1:/", uri)] = numbers[path]
    if len(found) != len(numbers):
        raise InputError(f"{what} '{next(iter(numbers))}': Spark finds {len(found)} of {len(numbers)} files")
    return found


def _splits(file: TextFile) -> list[Split]:
    size = file.num_bytes if file.format in STREAMED else _SPLIT_BYTES
    starts = range(0, file.num_bytes, max(size, 1))
    return [Split(file.path, file.format, start, min(start + size, file.num_bytes)) for start in starts]


@dataclass(frozen=True)
class LineReader:
    """What a Spark task calls: ids of splits in, batches of their lines out.

    Args:
        splits: with the number of the file of each.
        what: what a message calls the files.
    """

    splits: tuple[tuple[int, Split], ...]
    what: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Lines of the splits whose places the batches' column `id` holds."""
        for batch in batches:
            for place in batch.column("id").to_pylist():
                yield from self._lines(*self.splits[place])

    def _lines(self, number: int, split: Split) -> Iterator[pa.RecordBatch]:
        num_lines = 0
        with open_file(split.path, self.what) as file:
            for text in whole_lines(self._sound(chunks(file, split), split.path), is_first=split.start == 0):
                lines = text.splitlines()
                places = np.arange(num_lines, num_lines + len(lines), dtype=np.int64)
                num_lines += len(lines)
                columns = [
                    pa.array(np.full(len(lines), number, dtype=np.int32)),
                    pa.array(np.full(len(lines), split.start, dtype=np.int64)),
                    pa.array(places),
                    pa.array(lines, pa.binary()),
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)

    def _sound(self, given: Iterable[Chunk], path: str) -> Iterator[Chunk]:
        for chunk in given:
            yield chunk
            if chunk.fault is not None:
                raise InputError(f"{self.what} '{path}': {chunk.fault}; get the file again")


def whole_lines(given: Iterable[Chunk], *, is_first: bool) -> Iterator[bytes]:
    """Pieces of whole lines: those that begin after the first LF of a split and up to its end.

    The line that begins right after a split's last byte is this split's, not the next one's: the next one
    leaves out what stands before its first LF, since it does not see whether a line ended before it.

    Args:
        given: what the split owns, then what follows it.
        is_first: whether the split is the first one of its file.
    """
    is_begun, rest = is_first, b""
    for chunk in given:
        if not chunk.is_own:
            if not is_begun:
                return
            end = chunk.data.find(b"\n") + 1
            rest += chunk.data[:end] if end else chunk.data
            if end:
                break
            continue
        data = rest + chunk.data
        start = 0 if is_begun else data.find(b"\n") + 1
        is_begun = is_begun or start > 0
        end = data.rfind(b"\n") + 1
        if is_begun and end > start:
            yield data[start:end]
        rest = data[end:] if is_begun else b""
    if rest:
        yield rest


def line_number(lines: DataFrame, file: str, position: Row) -> int:
    """The number of a line in its file, from 1 (acts: reads the files again).

    Args:
        lines: of `read_lines`, all of them.
        file: the line's.
        position: the line's.
    """
    place = F.struct(*(F.lit(position[name]).cast(kind).alias(name) for name, kind in _POSITION))
    return lines.where((F.col("file") == file) & (F.col("position") <= place)).count()
