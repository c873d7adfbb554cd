"""Small text files that a process leaves behind: whole, or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from wikisearch.app.roots import is_local
from wikisearch.errors import InputError, UsageError


def output_folder(output: str | None, root: str, name: str) -> Path:
    """The folder that the user named, else a folder of this name in the root.

    Raises:
        UsageError: the root is no folder of this machine, and the user named none.
    """
    if output is not None:
        return Path(output)
    if not is_local(root):
        raise UsageError(f"root {root} is no folder of this machine; name one with --output")
    return Path(root) / name


def write_text_atomically(path: Path, text: str) -> None:
    """Writes a UTF-8 text file so that a reader finds the old content or the new, never a part of it.

    The text goes to a file beside it, to the disk, then to its name in one step. Missing folders are made.

    Raises:
        InputError: if the file cannot be written; nothing of it is left behind.
    """
    # Beside the target, since a rename is atomic within one file system only; the process id keeps two
    # writers apart. Not tempfile: it makes files that nobody else may read.
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another folder") from error
