"""Finds the dump files that paths and patterns mean, and says by their first bytes what they are."""

import fnmatch
import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from pyarrow import fs

from wikisearch.dump.chunks import BZIP2, GZIP, PLAIN
from wikisearch.errors import InputError

_HEAD_BYTES = 512
_BZIP2_HEAD = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_OTHER_FORMATS = (
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z e -so FILE | bzip2 > dump.xml.bz2"),
    (b"\xfd7zXZ\0", "xz", "xz -dc FILE | bzip2 > dump.xml.bz2"),
    (b"\x28\xb5\x2f\xfd", "Zstandard", "zstd -dc FILE | bzip2 > dump.xml.bz2"),
    (b"PK\x03\x04", "ZIP", "unzip -p FILE | bzip2 > dump.xml.bz2"),
)
_SUFFIXES = {".xml": PLAIN, ".bz2": BZIP2, ".gz": GZIP}
_UTF8_MARK = b"\xef\xbb\xbf"
_IS_URI = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_IS_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class DumpFile:
    """One dump file: where it lies, what it is by its first bytes, its size and the time of its last change."""

    path: str
    format: str
    num_bytes: int
    modified_at: datetime


def open_file(path: str) -> pa.NativeFile:
    """The file, to be read by position; a path or a URI that pyarrow knows (file, hdfs, s3, gs).

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

    Args:
        patterns: local paths and URIs; `*`, `?` and `[…]` in the last part of a URI, anywhere in a local path.

    Raises:
        InputError: nothing is found, or a file is no XML, bzip2 or gzip, or is not what its name says.
    """
    paths: dict[str, fs.FileInfo] = {}
    for pattern in patterns:
        found = _matches(pattern)
        if not found:
            raise InputError(f"dump '{pattern}': no such file; check the path given with --dump")
        paths.update({path: info for path, info in found if path not in paths})
    return [_checked(path, info) for path, info in paths.items()]


def _filesystem(path: str) -> tuple[fs.FileSystem, str]:
    if _IS_URI.match(path):
        filesystem, inner = fs.FileSystem.from_uri(path)
        return filesystem, inner
    return fs.LocalFileSystem(), os.path.abspath(path)


def _matches(pattern: str) -> list[tuple[str, fs.FileInfo]]:
    """Paths that a pattern means, with what their file system says of them, by name."""
    try:
        if _IS_URI.match(pattern):
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
    said = _SUFFIXES.get(os.path.splitext(path)[1].lower())
    if said is not None and said != found:
        right = next(suffix for suffix, name in _SUFFIXES.items() if name == found)
        raise InputError(f"dump '{path}': is {found}, not {said} as its name says; rename it to end in {right}")
    modified_at = info.mtime or datetime.fromtimestamp(0, UTC)
    return DumpFile(path, found, info.size, modified_at.astimezone(UTC))


def format_of(path: str, head: bytes) -> str:
    """`xml`, `bzip2` or `gzip`, by the first bytes of a file.

    Raises:
        InputError: they are something else; the message says what, and what to do.
    """
    if _BZIP2_HEAD.match(head):
        return BZIP2
    if head.startswith(b"\x1f\x8b"):
        return GZIP
    for magic, name, command in _OTHER_FORMATS:
        if head.startswith(magic):
            recipe = command.replace("FILE", os.path.basename(path))
            raise InputError(f"dump '{path}': is {name}, which is not read in parts; convert it: {recipe}")
    check_is_xml(path, head)
    return PLAIN


def check_is_xml(path: str, head: bytes) -> None:
    """Raises unless plain bytes look like the start of XML.

    Raises:
        InputError: naming what was found.
    """
    text = head.removeprefix(_UTF8_MARK).lstrip()
    if text[:1] == b"<" and not text[:14].lower().startswith((b"<!doctype html", b"<html")):
        return
    shown = text[:40].decode("utf-8", "replace")
    kind = "an HTML page, such as a server sends for an error" if text[:1] == b"<" else f"no XML: {shown!r}"
    raise InputError(
        f"dump '{path}': is {kind}; give a pages-articles file of dumps.wikimedia.org, as XML, bz2 or gz"
    )


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def file_states(patterns: Sequence[str]) -> dict[str, object]:
    """Size in bytes and time of the last change (ISO 8601, UTC) of each file that the patterns mean, by path."""
    return {file.path: [file.num_bytes, file.modified_at.isoformat()] for file in find_dump_files(patterns)}
