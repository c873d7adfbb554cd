"""Renew what the data files of lib/wikisearch/text say of one language, from a wiki's own API.

Read are the answers of api.php?action=query&meta=siteinfo: names of namespaces, redirect words, behaviour
switches, letters that join links, and (of an English wiki) prefixes of other wikis. Words that the files have and
the wiki no longer knows stay: old dumps have them. Needs the network, unless --file names a saved answer.
"""

import argparse
import datetime
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from wikisearch.app.failures import DONE, WRONG_USAGE, run_and_report
from wikisearch.app.files import write_text_atomically
from wikisearch.app.wiki_facts import interwiki_from, namespaces_from, read_json
from wikisearch.errors import InputError, UsageError
from wikisearch.text.titles import MAX_OWN_NAMESPACE

NAME = "renew_wiki_facts"
FOLDER = Path(__file__).parents[1] / "text"
_QUERY = (
    "?action=query&format=json&meta=siteinfo"
    "&siprop=general%7Cnamespaces%7Cnamespacealiases%7Cmagicwords%7Cinterwikimap"
)
_PROJECT = (4, 5)  # named after the wiki
_TIMEOUT = 60  # seconds

_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]+)*")
_PHP_PATTERN = re.compile(r"/\^\((?P<letters>.*)\)\(\.\*\)\$/[A-Za-z]*", re.DOTALL)
_PHP_CODE_POINT = re.compile(r"\\x\{([0-9a-fA-F]+)\}")
_DATE = re.compile(r"Renewed \d{4}-\d\d-\d\d")

Row = tuple[str, ...]


def namespace_rows(answer: Any, language: str, known: Iterable[Row]) -> list[Row]:
    """Rows of namespaces.tsv: language, number, names with the local one first."""
    names, aliases = namespaces_from(answer)
    older = {int(number): listed.split("|") for code, number, listed in known if code == language}
    rows: list[Row] = []
    for number in sorted(names):
        if 0 != number <= MAX_OWN_NAMESPACE and number not in _PROJECT:
            others = [alias for alias, of in aliases.items() if of == number] + older.get(number, [])
            rows.append((language, str(number), "|".join(dict.fromkeys([names[number], *others]))))
    return rows


def _magic_words(answer: Any) -> Mapping[str, list[str]]:
    """Aliases by name of magic word."""
    listed = answer.get("query", answer).get("magicwords", []) if isinstance(answer, dict) else []
    return {word["name"]: list(word["aliases"]) for word in listed}


def _word_row(language: str, words: Iterable[str], known: Iterable[Row]) -> list[Row]:
    """The row of a language whose words come from a wiki and from the file, each once without regard to case."""
    older = [word for row in known if row[0] == language for word in row[1].split()]
    usual = {word.casefold() for row in known if row[0] == "*" for word in row[1].split()}
    found = {word.casefold(): word for word in [*older, *words][::-1] if word.casefold() not in usual}
    return [(language, " ".join(sorted(found.values())))] if found else []


def redirect_rows(answer: Any, language: str, known: Sequence[Row]) -> list[Row]:
    """Rows of redirect_words.tsv."""
    words = [word.removeprefix("#") for word in _magic_words(answer).get("redirect", [])]
    return _word_row(language, words, known)


def switch_rows(answer: Any, language: str, known: Sequence[Row]) -> list[Row]:
    """Rows of switches.tsv."""
    aliases = [alias for listed in _magic_words(answer).values() for alias in listed]
    marked = [alias.replace("＿", "_") for alias in aliases]
    words = [word[2:-2].lower() for word in marked if word.startswith("__") and word.endswith("__")]
    return _word_row(language, words, known)


def python_letters(pattern: str) -> str | None:
    """The letters of a link trail as a regular expression of Python; None where it cannot be turned into one.

    >>> python_letters("/^([äöa-z]+)(.*)$/sDu"), python_letters("/^()(.*)$/sD")
    ('[äöa-z]*+', '(?:)')
    """
    found = _PHP_PATTERN.fullmatch(pattern)
    if found is None:
        return None
    letters = _PHP_CODE_POINT.sub(lambda m: f"\\U{int(m[1], 16):08x}", found["letters"])
    letters = f"{letters[:-1]}*+" if letters.endswith("+") else letters or "(?:)"
    try:
        re.compile(letters)
    except re.error:
        return None
    return letters


def _general(answer: Any) -> Mapping[str, Any]:
    general = answer.get("query", answer).get("general", {}) if isinstance(answer, dict) else {}
    return general if isinstance(general, dict) else {}


def trail_rows(answer: Any, language: str, known: Iterable[Row]) -> list[Row]:
    """Rows of link_trails.tsv."""
    letters = python_letters(str(_general(answer).get("linktrail", "")))
    return [(language, letters)] if letters else [row for row in known if row[0] == language]


def prefix_rows(answer: Any, language: str, known: Iterable[Row]) -> list[Row]:
    """Rows of link_prefixes.tsv; none for a language whose links take no letters before them."""
    general = _general(answer)
    letters = str(general.get("linkprefixcharset", "")) if general.get("linkprefix") else ""
    letters = _PHP_CODE_POINT.sub(lambda m: f"\\U{int(m[1], 16):08x}", letters)
    return [(language, letters)] if letters else [row for row in known if row[0] == language]


def interwiki_rows(answer: Any, language: str, known: Iterable[Row]) -> list[Row]:
    """Rows of interwiki.tsv, which is that of Wikimedia's wikis; an English wiki's answer alone adds to it."""
    rows = list(known)
    found = {word: kind == "language" for kind, words in rows for word in words.split()}
    if language == "en":
        found |= interwiki_from(answer)
    kinds = (("language", True), ("site", False))
    return [(kind, " ".join(sorted(w for w, is_one in found.items() if is_one is flag))) for kind, flag in kinds]


FILES: dict[str, Callable[[Any, str, Sequence[Row]], list[Row]]] = {
    "namespaces.tsv": namespace_rows,
    "redirect_words.tsv": redirect_rows,
    "switches.tsv": switch_rows,
    "link_trails.tsv": trail_rows,
    "link_prefixes.tsv": prefix_rows,
    "interwiki.tsv": interwiki_rows,
}


def renewed(text: str, name: str, answer: Any, language: str, today: str) -> str:
    """The text of a data file after it was renewed for one language; its head names the day.

    Args:
        text: of the file.
        name: of the file, a key of `FILES`.
        answer: of a wiki's API.
        language: code of the wiki's language.
        today: as YYYY-MM-DD.
    """
    lines = text.splitlines()
    head = [line for line in lines if line.startswith("# ")]
    rows = [tuple(line.split("\t")) for line in lines if line and not line.startswith("# ")]
    made = FILES[name](answer, language, rows)
    others = [] if name == "interwiki.tsv" else [row for row in rows if row[0] != language]
    if made == [row for row in rows if row not in others]:
        return text
    rows = sorted([*others, *made], key=lambda row: (row[0] != "*", row[0]))
    head = [_DATE.sub(f"Renewed {today}", line) for line in head]
    return "\n".join([*head, *("\t".join(row) for row in rows)]) + "\n"


def fetched(site: str) -> Any:
    """The answer of a wiki's API.

    Raises:
        InputError: there is none, or it is no JSON.
    """
    url = site if site.endswith("api.php") else site.rstrip("/") + "/w/api.php"
    if not url.startswith(("https://", "http://")):
        raise UsageError(f"--site {site}: is no address such as https://de.wikipedia.org")
    request = Request(url + _QUERY, headers={"User-Agent": "wikisearch (renews its language data)"})
    try:
        with urlopen(request, timeout=_TIMEOUT) as response:
            return json.loads(response.read())
    except (URLError, OSError, ValueError) as error:
        raise InputError(f"{url}: no answer that can be used: {error}") from error


def main(argv: Sequence[str] | None = None) -> int:
    """Renews the data files; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"python -m wikisearch.app.{NAME}",
        description=(__doc__ or "").strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--language", required=True, metavar="CODE", help="language of the wiki")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--site", metavar="URL", help="a wiki: https://de.wikipedia.org, or its api.php")
    source.add_argument("--file", metavar="JSON", help="a saved answer of the API")
    parser.add_argument(
        "--folder", metavar="PATH", default=str(FOLDER), help="folder of the data files (default: the package's)"
    )
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:
        return DONE if end.code in (None, 0) else WRONG_USAGE

    def work() -> None:
        if _LANGUAGE.fullmatch(arguments.language) is None:
            raise UsageError(f"--language {arguments.language}: is no language code such as de")
        answer = read_json(arguments.file) if arguments.file else fetched(arguments.site)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        try:
            texts = {name: (Path(arguments.folder) / name).read_text(encoding="utf-8") for name in FILES}
        except OSError as error:
            raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error
        for name, text in texts.items():
            made = renewed(text, name, answer, arguments.language, today)
            if made != text:
                write_text_atomically(Path(arguments.folder) / name, made)
            sys.stdout.write(f"{name}: {'renewed' if made != text else 'as it was'}\n")

    return run_and_report(NAME, work, is_debug=False)


if __name__ == "__main__":
    sys.exit(main())
