"""Finds the dump files that paths and patterns mean, and says by their first bytes what they are."""

import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from pyarrow import fs

from wikisearch.errors import InputError
from wikisearch.files.formats import HEAD_BYTES, packing_by_name, packing_of
from wikisearch.files.paths import matches, open_file

_LOG = logging.getLogger("wikisearch.dump")
XML = "xml"  # the format of a dump that is not packed
_DUMP = "dump"  # what messages call the files
_UTF8_MARK = b"\xef\xbb\xbf"
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


def open_dump(path: str) -> pa.NativeFile:
    """The file, to be read by position; a path, or a URI that pyarrow knows (file, hdfs, s3, s3a, gs, abfs).

    Raises:
        InputError: it is not there or may not be read.
    """
    return open_file(path, _DUMP)


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
        found = matches(pattern, _DUMP)
        is_index = {path: len(found) > 1 and _INDEX_NAME.search(path) is not None for path, _ in found}
        notes += [f"dump '{path}': is left out: by its name an index" for path in is_index if is_index[path]]
        kept = [(path, info) for path, info in found if not is_index[path]]
        if not kept:
            raise InputError(f"dump '{pattern}': no such file; check the path given with --dump")
        infos.update({path: info for path, info in kept if path not in infos})
    files = [_checked(path, info) for path, info in infos.items()]
    for file in files:
        is_xml = os.path.splitext(file.path)[1].lower() == ".xml"
        said = XML if is_xml else packing_by_name(file.path) or file.format
        if said != file.format:
            notes.append(f"dump '{file.path}': is {file.format}, not {said} as its name says; it is read as such")
    return files, notes


def _checked(path: str, info: fs.FileInfo) -> DumpFile:
    """The file, if its first bytes are those of a dump."""
    if info.type != fs.FileType.File:
        raise InputError(f"dump '{path}': is a folder; give its files, for example {path.rstrip('/')}/*.bz2")
    if info.size == 0:
        raise InputError(f"dump '{path}': is empty; download it again")
    with open_dump(path) as file:
        found = format_of(path, file.read_at(HEAD_BYTES, 0))
    modified_at = info.mtime or datetime.fromtimestamp(0, UTC)
    return DumpFile(path, found, info.size, modified_at.astimezone(UTC))


def format_of(path: str, head: bytes) -> str:
    """`xml`, `bzip2`, `gzip`, `xz` or `zstd`, by the first bytes of a file.

    Raises:
        InputError: they are something else; the message says what, and what to do.
    """
    packing = packing_of(path, head, _DUMP, "dump.xml")
    if packing is None:
        check_is_xml(path, head)
    return packing or XML


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
