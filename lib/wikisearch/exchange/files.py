"""Single text files for other tools: written line by line on the driver, whole or not at all."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from wikisearch.errors import InputError


def check_output(path: str, *, overwrite: bool) -> None:
    """Raises unless a file may be written at a local path.

    Raises:
        InputError: its folder is not there, it is a folder itself, or it is there and may not be replaced.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"output {path}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise InputError(f"output {path}: is a folder; name a file")
    if target.exists() and not overwrite:
        raise InputError(f"output {path}: is there already; name another file or add --overwrite")


def write_lines(lines: Iterable[str], path: str, *, overwrite: bool = False) -> int:
    """Writes lines to a UTF-8 file and returns how many; a reader finds all of them or none.

    They go to a file beside the target, which then takes the target's name in one step: if `lines` raises,
    nothing of them is left.

    Args:
        lines: each without its end of line; read once, one after the other.
        path: a local file; its folder must be there.
        overwrite: whether a file that is there may be replaced.

    Raises:
        InputError: the file cannot be written.
    """
    check_output(path, overwrite=overwrite)
    num_lines = 0
    with whole_file(Path(path)) as file:
        for line in lines:
            file.write(line + "\n")
            num_lines += 1
    return num_lines


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 text file to write, which takes its name in one step at the end; nothing is left if that fails.

    Raises:
        InputError: the file cannot be written.
    """
    # Beside the target, since a rename is atomic within one file system only; the process id keeps two
    # writers apart. Not tempfile: it makes files that nobody else may read.
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with scratch.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        raise InputError(f"output {path}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()
