"""Page titles as MediaWiki reads them: namespace prefixes, interwiki prefixes and normalisation.

The rules are those of MediaWikiTitleCodec and of link parsing in MediaWiki (documented on mediawiki.org,
Manual:Page title and Help:Links): one level of percent decoding, entities decoded, runs of blanks and
underscores are one space, the first letter is upper-cased unless the site is case-sensitive.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from wikisearch.text.datafiles import language_chain, read_rows

MAX_TITLE_BYTES = 255
_LONGEST_NAME = 4 * MAX_TITLE_BYTES  # characters of a name with all its prefixes
_LONG_NUMBER = 1000  # digits
_TOO_LONG_NUMBER = re.compile(rf"&#[0-9]{{{_LONG_NUMBER},}}+;?")
MAX_OWN_NAMESPACE = 15  # of MediaWiki itself
_PROJECT = (4, 5)  # named after the wiki, and its talk pages
FILE_NAMESPACE, CATEGORY_NAMESPACE = 6, 14

_BLANKS = re.compile(r"[ _\t\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]+")
# What may not stand in a title: brackets, control characters, what is left of a percent escape or an entity,
# the replacement character of broken UTF-8, and signatures.
_ILLEGAL = re.compile(
    r"[\x00-\x1f\x7f<>\[\]{}|\ufffd]|%[0-9A-Fa-f]{2}|&(?:[A-Za-z0-9\x80-\uffff]+|#[0-9]+|#x[0-9A-Fa-f]+);|~~~"
)
_RELATIVE = re.compile(r"(?:^|/)\.\.?(?:/|$)")
# A target of such characters is already what it decodes to; most targets are. It has no prefix, section, entity,
# escape, underscore or unusual blank, and is at most 252 bytes long. The scanner's pattern has it inside.
PLAIN_TARGET = (
    r"[^\x00-\x20\x7f-\xa0./\[\]{}|<>%&#:_~\u1680\u180e\u2000-\u206f\u3000\ufffd]"
    r"[^\x00-\x1f\x7f-\xa0\[\]{}|<>%&#:_~\u1680\u180e\u2000-\u206f\u3000\ufffd]{0,62}+(?<! )"
)
_PLAIN = re.compile(PLAIN_TARGET)
_TURKIC = frozenset({"tr", "az", "kaa", "crh"})


@dataclass(frozen=True)
class Site:
    """What titles of one wiki depend on, as `siteinfo` of its dump states it.

    Args:
        language: language code of the content (`en`).
        is_case_sensitive: whether the first letter of a title keeps its case (`case` is `case-sensitive`).
        namespaces: number to local name; names of the language and canonical names are known anyway.
        aliases: further names of namespaces to their numbers.
        interwiki: prefixes of other wikis to whether they are languages of this one; None for Wikimedia's.
    """

    language: str
    is_case_sensitive: bool
    namespaces: Mapping[int, str] = field(default_factory=dict)
    aliases: Mapping[str, int] = field(default_factory=dict)
    interwiki: Mapping[str, bool] | None = None

    def __hash__(self) -> int:
        # Cheap, since tables are looked up by site for each title; equality compares the namespaces.
        return hash((self.language, self.is_case_sensitive, len(self.namespaces)))


class Title(NamedTuple):
    """A title in its normal form.

    `name` has no prefix; `interwiki` is the prefix of another wiki in lower case, else empty; `fragment` is the
    section after `#`, else empty; `is_interlanguage` tells margin links from text links.
    """

    namespace: int
    name: str
    prefix: str = ""
    interwiki: str = ""
    fragment: str = ""
    is_interlanguage: bool = False
    has_leading_colon: bool = False

    @property
    def full(self) -> str:
        """The title with the local name of its namespace before it."""
        return f"{self.prefix}:{self.name}" if self.prefix else self.name


def _rows_of(file: str, language: str) -> Iterator[tuple[int, list[str]]]:
    """Numbers and names of namespaces in a data file, those that hold for any language first."""
    rows = read_rows(file)
    for code in ("*", *language_chain(language)):
        for language_of_row, number, names in rows:
            if language_of_row == code:
                yield int(number), names.split("|")


def _names_of_wikipedias(site: Site) -> Iterator[tuple[int, list[str]]]:
    """Names that only Wikipedias have, where the site may be one: siteinfo names no aliases.

    A site that says nothing of its namespaces, or not how its project is called, is taken for a Wikipedia.
    """
    found = list(_rows_of("wikipedia_namespaces.tsv", site.language))
    if not site.namespaces:
        yield from found
        return
    project = site.namespaces.get(_PROJECT[0], "").lower()
    if project and all(number not in _PROJECT or project != names[0].lower() for number, names in found):
        return
    for number, names in found:
        if number in _PROJECT or number in site.namespaces:
            yield number, names


@lru_cache(maxsize=32)
def _prefixes(site: Site) -> tuple[dict[str, int], dict[int, str], dict[str, bool]]:
    """Lower-case namespace names to numbers, numbers to names, interwiki prefixes to is-interlanguage."""
    numbers: dict[str, int] = {}
    names: dict[int, str] = {}
    for number, listed in _rows_of("namespaces.tsv", site.language):
        names[number] = listed[0]
        numbers.update({alias.lower(): number for alias in listed})
    for number, listed in _names_of_wikipedias(site):
        if number > MAX_OWN_NAMESPACE or number in _PROJECT:
            names[number] = listed[0]
        numbers.update({alias.lower(): number for alias in listed})
    for key, name in site.namespaces.items():
        if name:
            names[key] = name
            numbers[_BLANKS.sub(" ", name).lower()] = key
    numbers.update({_BLANKS.sub(" ", alias).strip().lower(): key for alias, key in site.aliases.items()})
    foreign: dict[str, bool] = {}
    if site.interwiki is not None:
        foreign.update({prefix.lower(): is_language for prefix, is_language in site.interwiki.items()})
    else:
        for kind, prefixes in read_rows("interwiki.tsv"):
            foreign.update(dict.fromkeys(prefixes.split(), kind == "language"))
    return numbers, names, {prefix: kind for prefix, kind in foreign.items() if prefix not in numbers}


def upper_first(name: str, language: str) -> str:
    """The name with its first letter in upper case as MediaWiki does it: one letter stays one letter.

    MediaWiki keeps letters whose capital is several letters, and Georgian letters, as they are.

    >>> upper_first("éclair", "en"), upper_first("ßx", "de"), upper_first("ილია", "ka")
    ('Éclair', 'ßx', 'ილია')
    """
    first = name[:1]
    if "a" <= first <= "z" and (first != "i" or language not in _TURKIC):
        return first.upper() + name[1:]
    if first == "i":
        return "İ" + name[1:]
    if "\u10d0" <= first <= "\u10ff":
        return name
    upper = first.upper()
    if len(upper) != 1:
        upper = first.title()
    return upper + name[1:] if len(upper) == 1 else name


def split_prefix(full_title: str, site: Site) -> tuple[int, str]:
    """Namespace number and the rest of a title; (0, title) where what stands before the colon is no namespace.

    >>> split_prefix("Halcyon: The Gate", Site("en", False, {}))
    (0, 'Halcyon: The Gate')
    """
    before, colon, after = full_title.partition(":")
    if not colon:
        return 0, full_title
    number = _prefixes(site)[0].get(_BLANKS.sub(" ", before).strip().lower())
    return (0, full_title) if number is None else (number, after.strip(" _"))


def namespace_of(full_title: str, site: Site) -> int:
    """Namespace number of a title with its prefix; 0 for articles."""
    return split_prefix(full_title, site)[0]


def decoded(text: str) -> str:
    """The text with its character references decoded, each once.

    `html.unescape` raises an error on a number of thousands of digits, which Python reads no more.
    """
    if len(text) > _LONG_NUMBER:
        text = _TOO_LONG_NUMBER.sub("\ufffd", text)
    return unescape(text)


def decode_target(raw: str) -> str:
    """The characters that a link target stands for: one level of %XX, then entities, decoded once each."""
    if "%" in raw:
        raw = unquote_to_bytes(raw.encode("utf-8", "replace")).decode("utf-8", "replace")
    return decoded(raw) if "&" in raw else raw


def normalize_title(raw: str, site: Site) -> Title | None:
    """The title that a link target or a title as typed names, or None where it names no page.

    Args:
        raw: what stands before the pipe of a link, or any title.
        site: the wiki that the link stands on.

    Returns:
        The title in normal form. None for an empty title, one that is only a section, one with characters that
        titles cannot have, one of more than 255 bytes, and relative paths.
    """
    if _PLAIN.fullmatch(raw) is not None:
        plain = plain_title(raw, site)
        if plain is not None:
            return Title(0, plain)
    name, has_colon, fragment = _cleaned(raw)
    if len(name) > _LONGEST_NAME:
        return None
    number, prefix, interwiki, is_interlanguage = 0, "", "", False
    numbers, names, foreign = _prefixes(site)
    while ":" in name:
        before, _, after = name.partition(":")
        key = before.rstrip().lower()
        if key in numbers:
            number = numbers[key]
            prefix = names[number]
            name = after.lstrip()
            if number == 1 and split_prefix(name, site)[0]:
                return None  # Talk:File:X names nothing
        elif key in foreign:
            name = after.lstrip()
            if key == site.language:
                has_colon = name.startswith(":") or has_colon
                name = name.removeprefix(":").lstrip()
                continue  # a link to the own wiki by its own prefix
            interwiki, is_interlanguage = key, foreign[key]
        break
    if not interwiki and not _is_legal(name):
        return None
    if not interwiki and not site.is_case_sensitive:
        name = upper_first(name, site.language)
    return Title(number, name, prefix, interwiki, fragment, is_interlanguage and not has_colon, has_colon)


def plain_title(raw: str, site: Site) -> str | None:
    """The article title that a target which matches `PLAIN_TARGET` names; None where the full rules must decide.

    This is several times as fast as the full rules.
    """
    if "  " in raw or ("/" in raw and ("/." in raw or "./" in raw)):
        return None
    if site.is_case_sensitive or not raw[0].islower():
        return raw
    return upper_first(raw, site.language)


@lru_cache(maxsize=1)
def language_prefixes() -> frozenset[str]:
    """Prefixes, in lower case, by which wikis of one family name their languages."""
    rows = read_rows("interwiki.tsv")
    return frozenset(word for kind, words in rows if kind == "language" for word in words.split())


def interlanguage_prefixes(site: Site) -> frozenset[str]:
    """Prefixes, in lower case, of links that a page shows in its margin."""
    foreign = _prefixes(site)[2]
    return frozenset(key for key, is_language in foreign.items() if is_language and key != site.language)


def _cleaned(raw: str) -> tuple[str, bool, str]:
    """Decoded name without blanks around it, whether a colon led it, and its section."""
    name = decode_target(raw)
    if not name.isascii():
        name = _BLANKS.sub(" ", _MARKS.sub("", name))
    elif "_" in name or "  " in name or "\t" in name:
        name = _BLANKS.sub(" ", name)
    name = name.strip(" ")
    has_colon = name.startswith(":")
    if has_colon:
        name = name[1:].lstrip(" ")
    name, _, fragment = name.partition("#")
    return name.rstrip(" "), has_colon, fragment.strip(" ")


def _is_legal(name: str) -> bool:
    """Whether a name without prefix can be a page's."""
    if not name or name[0] == ":" or _ILLEGAL.search(name) is not None:
        return False
    if len(name) > MAX_TITLE_BYTES // 4 and len(name.encode("utf-8", "replace")) > MAX_TITLE_BYTES:
        return False
    return "." not in name or _RELATIVE.search(name) is None
