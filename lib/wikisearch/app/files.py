"""Small text files that a process leaves behind: whole, or not at all."""

from pathlib import Path

from wikisearch.app.roots import is_local
from wikisearch.errors import InputError, UsageError
from wikisearch.exchange.files import whole_file


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

    Missing folders are made.

    Raises:
        InputError: if the file cannot be written; nothing of it is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"output {path}: cannot be written: {error.strerror or error}") from error
    with whole_file(path) as file:
        file.write(text)
