"""What a wiki says of itself, as JSON files: its namespaces and the prefixes of other wikis.

Read are plain lists and objects that people write, and the answers of a wiki's own API
(`api.php?action=query&meta=siteinfo&siprop=namespaces|namespacealiases|interwikimap&format=json`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wikisearch.errors import InputError
from wikisearch.text.titles import language_prefixes

_INTERWIKI_NEEDED = 'interwiki: a list of prefixes such as ["wikt", "fr"] is needed'
_NUMBER = re.compile(r"-?\d{1,6}")


def read_json(path: str) -> Any:
    """The value of a JSON file.

    Raises:
        InputError: it cannot be read, or is no JSON in UTF-8.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON in UTF-8: {error}") from error


def _answer(value: Any, key: str) -> Any:
    """One part of an API's answer; a value that is none, as it is."""
    if isinstance(value, dict) and isinstance(value.get("query"), dict):
        value = value["query"]
    return value[key] if isinstance(value, dict) and key in value else value


def _names(value: Any) -> Iterator[str]:
    """The names of one namespace, the local one first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (name for name in value if isinstance(name, str))
    elif isinstance(value, dict):
        for key in ("*", "name", "canonical"):
            if isinstance(value.get(key), str):
                yield value[key]
        yield from _names(value.get("aliases"))


def namespaces_from(value: Any) -> tuple[dict[int, str], dict[str, int]]:
    """Namespaces of a wiki: number to local name, and every other name to its number.

    Args:
        value: number to name, to a list of names with the local one first, or to an object of the API.

    Raises:
        InputError: it is none of these.

    >>> namespaces_from({"6": ["Datei", "Bild"]})
    ({6: 'Datei'}, {'Bild': 6})
    """
    listed = _answer(value, "namespaces")
    if not isinstance(listed, dict) or not all(_NUMBER.fullmatch(str(key)) for key in listed):
        raise InputError('namespaces: an object such as {"6": ["Datei", "Bild"]} is needed, numbers to names')
    names: dict[int, str] = {}
    aliases: dict[str, int] = {}
    for key, item in listed.items():
        local, *others = [*_names(item)] or [""]
        names[int(key)] = local
        aliases.update({name: int(key) for name in others if name and name != local})
    more = _answer(value, "namespacealiases")
    for item in more if isinstance(more, list) else ():
        number = item.get("id") if isinstance(item, dict) else None
        if isinstance(number, int):
            aliases.update(dict.fromkeys(_names({**item, "name": item.get("alias")}), number))
    return names, aliases


def interwiki_from(value: Any) -> dict[str, bool]:
    """Prefixes of other wikis, in lower case, to whether they are languages of the same wiki.

    Args:
        value: a list of prefixes, an object whose keys they are, or the interwiki map of the API.

    Raises:
        InputError: it is none of these.

    >>> interwiki_from(["wikt", "fr"])
    {'wikt': False, 'fr': True}
    """
    listed = _answer(value, "interwikimap")
    languages = language_prefixes()
    found: dict[str, bool] = {}
    if not isinstance(listed, (list, Mapping)):
        raise InputError(_INTERWIKI_NEEDED)
    items = listed.items() if isinstance(listed, Mapping) else [(item, None) for item in listed]
    for item, told in items:
        if isinstance(item, dict):
            prefix, is_language = item.get("prefix"), "language" in item
        else:
            prefix = item
            is_language = told if isinstance(told, bool) else str(item).lower() in languages
        if not isinstance(prefix, str) or not prefix:
            raise InputError(_INTERWIKI_NEEDED)
        found[prefix.lower()] = is_language
    return found
