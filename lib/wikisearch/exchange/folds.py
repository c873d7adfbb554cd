"""The fold of each query, as a file: lines of a query's id, a tab, and its fold; `#` begins a remark."""

from collections.abc import Mapping
from pathlib import Path

from wikisearch.errors import InputError
from wikisearch.exchange.files import write_lines


def read_folds(path: str) -> dict[str, str]:
    """The fold of each query.

    Args:
        path: a local file.

    Raises:
        InputError: the file cannot be read, a line has not two words, or a query stands twice; the first fault
            is named with its line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"folds '{path}': cannot be read ({error})") from error
    folds: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 2:
            raise InputError(f"folds '{path}', line {number}: expected a query and its fold, got {line[:100]!r}")
        if words[0] in folds:
            raise InputError(f"folds '{path}', line {number}: query '{words[0]}' stands there twice")
        folds[words[0]] = words[1]
    if not folds:
        raise InputError(f"folds '{path}': names no query")
    return folds


def write_folds(folds: Mapping[str, str], path: str, remark: str, *, overwrite: bool = False) -> int:
    """Writes the fold of each query, by fold and query, below a remark; returns the number of lines.

    Args:
        folds: the fold of each query.
        path: a local file; its folder must be there.
        remark: how the folds were drawn.
        overwrite: whether a file that is there may be replaced.

    Raises:
        InputError: the file cannot be written.
    """

    def order(query: str) -> tuple[int, str, str]:
        fold = folds[query]
        return (int(fold) if fold.isdecimal() else 0, fold, query)

    lines = [f"# {remark}", *(f"{query}\t{folds[query]}" for query in sorted(folds, key=order))]
    return write_lines(lines, path, overwrite=overwrite)
