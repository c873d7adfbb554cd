"""How a file is packed, by its first bytes."""

import os
import re

from wikisearch.errors import InputError
from wikisearch.files.streams import GZIP, XZ, ZSTD

BZIP2 = "bzip2"
HEAD_BYTES = 512  # as many as the functions here, and who looks for other kinds of files, need
_PACKED = (
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), BZIP2),
    (re.compile(rb"\x1f\x8b"), GZIP),
    (re.compile(rb"\xfd7zXZ\0"), XZ),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), ZSTD),  # a frame, or one to be skipped
)
_NOT_READ = (
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z e -so FILE"),
    (b"PK\x03\x04", "ZIP", "unzip -p FILE"),
    (b"\x5d\0\0", "LZMA", "xz -dc --format=lzma FILE"),
    (b"\x1f\x9d", "compress", "gzip -dc FILE"),
)
_SUFFIXES = {".bz2": BZIP2, ".gz": GZIP, ".xz": XZ, ".zst": ZSTD, ".zstd": ZSTD, ".7z": "7-Zip"}


def packing_of(path: str, head: bytes, what: str, example: str) -> str | None:
    """`bzip2`, `gzip`, `xz` or `zstd`, by the first bytes of a file; None: it is not packed.

    Args:
        path: named in a message.
        head: the first bytes.
        what: what a message calls the file (dump, run, ...).
        example: a name for the unpacked file in a message, such as dump.xml.

    Raises:
        InputError: it is packed in another way; the message says how, and what to do.
    """
    for magic, name in _PACKED:
        if magic.match(head):
            return name
    for start, name, command in _NOT_READ:
        if head.startswith(start):
            recipe = f"{command.replace('FILE', os.path.basename(path))} | bzip2 > {example}.bz2"
            raise InputError(f"{what} '{path}': is {name}, which is not read; convert it: {recipe}")
    return None


def packing_by_name(path: str) -> str | None:
    """How the last suffix of a file's name says that it is packed; None: it says nothing of it."""
    return _SUFFIXES.get(os.path.splitext(path)[1].lower())


def without_packing_suffix(path: str) -> str:
    """The path without the suffix that says how the file is packed, if it has one."""
    return os.path.splitext(path)[0] if packing_by_name(path) else path
