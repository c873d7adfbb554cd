"""Finds and opens the files that paths, patterns and URIs mean, on this machine and on what pyarrow knows."""

import fnmatch
import glob
import os
import re
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from wikisearch.errors import InputError

IS_PATTERN = re.compile(r"[*?\[]")
_URI = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_LOCAL_URI = re.compile(r"file:(?://(?:localhost)?(?=/))?(?=/)", re.IGNORECASE)
_SAME_SCHEMES = {"s3a": "s3", "s3n": "s3"}  # Hadoop's word: pyarrow's


def filesystem_of(path: str) -> tuple[fs.FileSystem, str]:
    """The file system that a path or URI means, and the path within it.

    Raises:
        OSError, pyarrow.ArrowInvalid: a URI that pyarrow does not know.
    """
    scheme = _URI.match(path)
    if _LOCAL_URI.match(path):
        return fs.LocalFileSystem(), unquote(_LOCAL_URI.sub("", path, count=1))
    if scheme:
        known = _SAME_SCHEMES.get(scheme[1].lower(), scheme[1])
        filesystem, inner = fs.FileSystem.from_uri(f"{known}://{path[scheme.end() :]}")
        return filesystem, inner
    return fs.LocalFileSystem(), os.path.abspath(path)


def open_file(path: str, what: str) -> pa.NativeFile:
    """The file, to be read by position; a path, or a URI that pyarrow knows (file, hdfs, s3, s3a, gs, abfs).

    Args:
        path: where it lies.
        what: what a message calls the file (dump, run, ...).

    Raises:
        InputError: it is not there or may not be read.
    """
    try:
        filesystem, inner = filesystem_of(path)
        return filesystem.open_input_file(inner)
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(path, what, error) from error


def matches(pattern: str, what: str) -> list[tuple[str, fs.FileInfo]]:
    """Paths that a pattern means, with what their file system says of them, by name.

    A pattern means the files among what it matches. A folder is returned where it is all that there is, and a
    path without a pattern even if nothing is there (its type says so).

    Args:
        pattern: a local path or a URI; `*`, `?` and `[…]` in the last part of a URI, anywhere in a local path.
        what: what a message calls the file (dump, run, ...).

    Raises:
        InputError: the file system cannot be asked.
    """
    try:
        if _URI.match(pattern) or _LOCAL_URI.match(pattern):
            found = _matches_of_uri(pattern)
        else:
            path = os.path.abspath(pattern)
            is_pattern = IS_PATTERN.search(path) and not os.path.exists(path)
            paths = sorted(glob.glob(path, recursive=True)) if is_pattern else [path]
            found = list(zip(paths, fs.LocalFileSystem().get_file_info(paths), strict=True))
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(pattern, what, error) from error
    is_one = len(found) == 1
    return [
        (path, info)
        for path, info in found
        if info.type == fs.FileType.File or (is_one and info.type == fs.FileType.Directory)
    ]


def files_in(folder: str, what: str) -> list[tuple[str, fs.FileInfo]]:
    """The files that lie in a folder itself, by name, without those that Hadoop hides (`.name`, `_name`).

    Args:
        folder: a local path or a URI.
        what: what a message calls the files (run, qrels, ...).

    Raises:
        InputError: the folder cannot be listed.
    """
    try:
        filesystem, inner = filesystem_of(folder)
        listed = filesystem.get_file_info(fs.FileSelector(inner))
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(folder, what, error) from error
    return sorted(
        (
            (f"{folder.rstrip('/')}/{info.base_name}", info)
            for info in listed
            if info.type == fs.FileType.File and not info.base_name.startswith((".", "_"))
        ),
        key=lambda each: each[0],
    )


def _matches_of_uri(pattern: str) -> list[tuple[str, fs.FileInfo]]:
    folder, _, name = pattern.rpartition("/")
    if not IS_PATTERN.search(name):
        filesystem, inner = filesystem_of(pattern)
        return [(pattern, filesystem.get_file_info(inner))]
    filesystem, inner = filesystem_of(folder)
    listed = filesystem.get_file_info(fs.FileSelector(inner, allow_not_found=True))
    found = [(f"{folder}/{info.base_name}", info) for info in listed if fnmatch.fnmatchcase(info.base_name, name)]
    return sorted(found, key=lambda each: each[0])


def _unreadable(path: str, what: str, error: BaseException) -> InputError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{what} '{path}': cannot be read ({reason})")
