"""Finds the dump files that paths and patterns mean, and says by their first bytes what they are."""

import fnmatch
import glob
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from wikisearch.dump.chunks import BZIP2, PLAIN
from wikisearch.dump.streams import GZIP, XZ, ZSTD
from wikisearch.errors import InputError

_LOG = logging.getLogger("wikisearch.dump")
_HEAD_BYTES = 512
_FORMATS = (
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), BZIP2),
    (re.compile(rb"\x1f\x8b"), GZIP),
    (re.compile(rb"\xfd7zXZ\0"), XZ),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), ZSTD),  # a frame, or one to be skipped
)
_OTHER_FORMATS = (
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z e -so FILE | bzip2 > dump.xml.bz2"),
    (b"PK\x03\x04", "ZIP", "unzip -p FILE | bzip2 > dump.xml.bz2"),
    (b"\x5d\0\0", "LZMA", "xz -dc --format=lzma FILE | bzip2 > dump.xml.bz2"),
    (b"\x1f\x9d", "compress", "gzip -dc FILE | bzip2 > dump.xml.bz2"),
)
_SUFFIXES = {".xml": PLAIN, ".bz2": BZIP2, ".gz": GZIP, ".xz": XZ, ".zst": ZSTD, ".zstd": ZSTD, ".7z": "7-Zip"}
_UTF8_MARK = b"\xef\xbb\xbf"
_URI = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_LOCAL_URI = re.compile(r"file:(?://(?:localhost)?(?=/))?(?=/)", re.IGNORECASE)
_SAME_SCHEMES = {"s3a": "s3", "s3n": "s3"}  # Hadoop's word: pyarrow's
_IS_PATTERN = re.compile(r"[*?\[]")
_INDEX_NAME = re.compile(r"-index\d*\.txt(?:-p\d+p\d+)?(?:\.\w+)?$")
# What people give for a dump, by how its plain bytes begin.
_KINDS = (
    (re.compile(rb"<(?:!doctype html|html)", re.IGNORECASE), "an HTML page, such as a server sends for an error"),
    (re.compile(rb"\d+:\d+:"), "the index of a multistream dump: give the dump itself, which needs no index"),
    (re.compile(rb"(?:--|/\*|INSERT |CREATE |DROP )"), "a table in SQL"),
    (re.compile(rb"[\[{]"), "JSON"),
    (re.compile(rb".{257}ustar", re.DOTALL), "a tar archive: unpack it"),
)


@dataclass(frozen=True)
class DumpFile:
    """One dump file: where it lies, what it is by its first bytes, its size and the time of its last change."""

    path: str
    format: str
    num_bytes: int
    modified_at: datetime


def open_file(path: str) -> pa.NativeFile:
    """The file, to be read by position; a path, or a URI that pyarrow knows (file, hdfs, s3, s3a, gs, abfs).

    Raises:
        InputError: it is not there or may not be read.
    """
    try:
        filesystem, inner = _filesystem(path)
        return filesystem.open_input_file(inner)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"dump '{path}': cannot be read ({_first_line(error)})") from error


def find_dump_files(patterns: Sequence[str]) -> list[DumpFile]:
    """The files that paths and patterns mean: in the order given, those of a pattern by name, each once.

    What a file is, its first bytes say; a name that says something else is logged. The index of a multistream
    dump that a pattern catches is left out, and that is logged too.

    Args:
        patterns: local paths and URIs; `*`, `?` and `[…]` in the last part of a URI, anywhere in a local path.

    Raises:
        InputError: nothing is found, or a file is none of XML, bzip2, gzip, xz and Zstandard.
    """
    files, notes = _found(patterns)
    for note in notes:
        _LOG.warning("%s", note)
    return files


def file_states(patterns: Sequence[str]) -> dict[str, object]:
    """Size in bytes and time of the last change (ISO 8601, UTC) of each file that the patterns mean, by path."""
    return {file.path: [file.num_bytes, file.modified_at.isoformat()] for file in _found(patterns)[0]}


def _found(patterns: Sequence[str]) -> tuple[list[DumpFile], list[str]]:
    """The files, and what there is to say of them."""
    infos: dict[str, fs.FileInfo] = {}
    notes = []
    for pattern in patterns:
        found = _matches(pattern)
        is_index = {path: len(found) > 1 and _INDEX_NAME.search(path) is not None for path, _ in found}
        notes += [f"dump '{path}': is left out: by its name an index" for path in is_index if is_index[path]]
        kept = [(path, info) for path, info in found if not is_index[path]]
        if not kept:
            raise InputError(f"dump '{pattern}': no such file; check the path given with --dump")
        infos.update({path: info for path, info in kept if path not in infos})
    files = [_checked(path, info) for path, info in infos.items()]
    for file in files:
        said = _SUFFIXES.get(os.path.splitext(file.path)[1].lower(), file.format)
        if said != file.format:
            notes.append(f"dump '{file.path}': is {file.format}, not {said} as its name says; it is read as such")
    return files, notes


def _filesystem(path: str) -> tuple[fs.FileSystem, str]:
    scheme = _URI.match(path)
    if _LOCAL_URI.match(path):
        return fs.LocalFileSystem(), unquote(_LOCAL_URI.sub("", path, count=1))
    if scheme:
        known = _SAME_SCHEMES.get(scheme[1].lower(), scheme[1])
        filesystem, inner = fs.FileSystem.from_uri(f"{known}://{path[scheme.end() :]}")
        return filesystem, inner
    return fs.LocalFileSystem(), os.path.abspath(path)


def _matches(pattern: str) -> list[tuple[str, fs.FileInfo]]:
    """Paths that a pattern means, with what their file system says of them, by name."""
    try:
        if _URI.match(pattern) or _LOCAL_URI.match(pattern):
            found = _matches_of_uri(pattern)
        else:
            path = os.path.abspath(pattern)
            is_pattern = _IS_PATTERN.search(path) and not os.path.exists(path)
            paths = sorted(glob.glob(path, recursive=True)) if is_pattern else [path]
            found = list(zip(paths, fs.LocalFileSystem().get_file_info(paths), strict=True))
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"dump '{pattern}': cannot be read ({_first_line(error)})") from error
    # A pattern means the files among what it matches; a folder that is given by name is told as a mistake.
    is_one = len(found) == 1
    return [
        (path, info)
        for path, info in found
        if info.type == fs.FileType.File or (is_one and info.type == fs.FileType.Directory)
    ]


def _matches_of_uri(pattern: str) -> list[tuple[str, fs.FileInfo]]:
    folder, _, name = pattern.rpartition("/")
    if not _IS_PATTERN.search(name):
        filesystem, inner = _filesystem(pattern)
        return [(pattern, filesystem.get_file_info(inner))]
    filesystem, inner = _filesystem(folder)
    listed = filesystem.get_file_info(fs.FileSelector(inner, allow_not_found=True))
    found = [(f"{folder}/{info.base_name}", info) for info in listed if fnmatch.fnmatchcase(info.base_name, name)]
    return sorted(found, key=lambda each: each[0])


def _checked(path: str, info: fs.FileInfo) -> DumpFile:
    """The file, if its first bytes are those of a dump."""
    if info.type != fs.FileType.File:
        raise InputError(f"dump '{path}': is a folder; give its files, for example {path.rstrip('/')}/*.bz2")
    if info.size == 0:
        raise InputError(f"dump '{path}': is empty; download it again")
    with open_file(path) as file:
        found = format_of(path, file.read_at(_HEAD_BYTES, 0))
    modified_at = info.mtime or datetime.fromtimestamp(0, UTC)
    return DumpFile(path, found, info.size, modified_at.astimezone(UTC))


def format_of(path: str, head: bytes) -> str:
    """`xml`, `bzip2`, `gzip`, `xz` or `zstd`, by the first bytes of a file.

    Raises:
        InputError: they are something else; the message says what, and what to do.
    """
    for magic, name in _FORMATS:
        if magic.match(head):
            return name
    for start, name, command in _OTHER_FORMATS:
        if head.startswith(start):
            recipe = command.replace("FILE", os.path.basename(path))
            raise InputError(f"dump '{path}': is {name}, which is not read; convert it: {recipe}")
    check_is_xml(path, head)
    return PLAIN


def check_is_xml(path: str, head: bytes) -> None:
    """Raises unless plain bytes look like the start of XML.

    Raises:
        InputError: naming what was found.
    """
    text = head.removeprefix(_UTF8_MARK).lstrip()
    kind = next((words for start, words in _KINDS if start.match(text)), None)
    if kind is None and text[:1] == b"<":
        return
    if kind is None:
        kind = f"no XML: {text[:40].decode('utf-8', 'replace')!r}"
    raise InputError(
        f"dump '{path}': is {kind}; give a pages-articles file of dumps.wikimedia.org: XML, plain or as bz2, gz, "
        "xz or zst"
    )


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
