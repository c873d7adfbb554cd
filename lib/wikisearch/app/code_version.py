"""One number that changes when the package does."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable


def package_files() -> Iterator[tuple[str, Traversable]]:
    """The package's own files by their path in it, sorted; nothing that Python made of them."""
    return _files_below(files("wikisearch"), "")


def _files_below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files_below(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield f"{prefix}{entry.name}", entry


@cache
def code_version() -> str:
    """sha256 over the names and bytes of the package's files: the same from a folder and from a zip."""
    digest = hashlib.sha256()
    for name, entry in package_files():
        digest.update(name.encode())
        digest.update(hashlib.sha256(entry.read_bytes()).digest())
    return digest.hexdigest()
