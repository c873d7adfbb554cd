"""Reads the small tab-separated data files that lie beside the rules of this folder."""

from importlib.resources import files


def read_rows(name: str) -> list[tuple[str, ...]]:
    """The rows of a data file as tuples of fields, without comment lines (`#`) and empty lines.

    Args:
        name: file name in this folder, UTF-8, fields separated by one tab.
    """
    text = files("wikisearch.text").joinpath(name).read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("# ")]


def language_chain(language: str) -> tuple[str, ...]:
    """The codes whose tables hold for a language, the weakest first.

    >>> language_chain("de-at")
    ('de', 'de-at')
    """
    base = language.partition("-")[0]
    return (base,) if base == language else (base, language)
