"""What the head of a dump says of its wiki, from export schema 0.3 (2005) to 0.11."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit
from xml.parsers import expat

from wikisearch.dump.cut import CDATA, COMMENT
from wikisearch.dump.files import DumpFile, check_is_xml, open_dump
from wikisearch.errors import InputError
from wikisearch.files.chunks import Split, chunks
from wikisearch.text.titles import Site

FIRST_LETTER, CASE_SENSITIVE = "first-letter", "case-sensitive"
_HEAD_BYTES = 4 << 20  # siteinfo of the largest wikis is some 10 kB
_PIECE_BYTES = 1 << 14
_NAMESPACE_VERSION = re.compile(r"export-(\d+\.\d+)")
_DATE_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
# Names of MediaWiki's own namespaces, for excerpts that come without siteinfo.
_CANONICAL_NAMESPACES = {
    -2: "Media",
    -1: "Special",
    0: "",
    1: "Talk",
    2: "User",
    3: "User talk",
    4: "Project",
    5: "Project talk",
    6: "File",
    7: "File talk",
    8: "MediaWiki",
    9: "MediaWiki talk",
    10: "Template",
    11: "Template talk",
    12: "Help",
    13: "Help talk",
    14: "Category",
    15: "Category talk",
}
# Families of wikis whose database is named by another word than their domain.
_FAMILY_SUFFIX = {"wikipedia": "wiki"}


@dataclass(frozen=True)
class SiteInfo:
    """One row of `sites` without its files: the wiki, its language, who wrote the dump, and its namespaces.

    `has_sections` says that the first pages hold CDATA sections or comments (MediaWiki writes none). Tags may
    stand in these that are none, and who begins to read inside of one cannot know.
    """

    wiki: str
    language: str
    dump_date: str | None
    generator: str | None
    schema_version: str
    case_rule: str
    base_url: str | None
    namespaces: Mapping[int, str]
    has_sections: bool = False

    @property
    def site(self) -> Site:
        """What the rules of titles and wikitext need to know."""
        return Site(self.language, self.case_rule == CASE_SENSITIVE, dict(self.namespaces))


class _Done(Exception):  # noqa: N818 - it is no error, it ends the parse
    """Siteinfo is complete."""


class _Head:
    """Collects, while expat reads, what stands before the first page."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.attributes: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.namespaces: dict[int, str] = {}
        self._key = ""
        self._text = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._text = ""
        if self.root is None:
            self.root, self.attributes = name, attributes
            if name != "mediawiki":
                raise _Done
        elif name == "page":
            raise _Done
        elif name == "namespace":
            self._key = attributes.get("key", "")

    def characters(self, text: str) -> None:
        self._text += text

    def end(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        if name == "namespace":
            if re.fullmatch(r"-?\d{1,9}", self._key):
                self.namespaces[int(self._key)] = text
        elif name in ("siteinfo", "mediawiki"):
            raise _Done
        else:
            self.values[name] = text


def site_of_files(files: Sequence[DumpFile]) -> SiteInfo:
    """What the heads of all files say, which must be the same wiki; the newest date of their names.

    Raises:
        InputError: a file is no dump, or two files are of different wikis.
    """
    infos = [read_siteinfo(file) for file in files]
    first = infos[0]
    for file, info in zip(files, infos, strict=True):
        if (info.wiki, info.language) != (first.wiki, first.language):
            raise InputError(
                f"dump '{file.path}': is of {info.wiki} ({info.language}), but '{files[0].path}' is of "
                f"{first.wiki} ({first.language}); give the files of one wiki"
            )
    return replace(
        first,
        dump_date=max((info.dump_date for info in infos if info.dump_date), default=None),
        has_sections=any(info.has_sections for info in infos),
    )


def read_siteinfo(file: DumpFile) -> SiteInfo:
    """What the head of one dump file says; reads no further than its first page.

    Raises:
        InputError: it is no MediaWiki dump.
    """
    head, has_sections = _Head(), False
    parser = expat.ParserCreate()
    parser.StartElementHandler = head.start
    parser.EndElementHandler = head.end
    parser.CharacterDataHandler = head.characters
    num_bytes = 0
    try:
        for data in _plain_head(file):
            if num_bytes == 0:
                check_is_xml(file.path, data)
            num_bytes += len(data)
            has_sections = has_sections or _has_sections(data)
            # Expat would read all of it before the first page is noticed.
            for at in range(0, len(data), _PIECE_BYTES):
                parser.Parse(data[at : at + _PIECE_BYTES], False)
            if num_bytes > _HEAD_BYTES:
                break
    except _Done:
        pass
    except expat.ExpatError as error:
        raise InputError(f"dump '{file.path}': is not well-formed at its head ({error})") from error
    if head.root != "mediawiki":
        found = (
            f"its root is <{head.root}>" if head.root else f"it ends before any of its {file.format} can be read"
        )
        raise InputError(
            f"dump '{file.path}': is no MediaWiki export ({found}); give a pages-articles file, downloaded whole"
        )
    return replace(_info(file, head), has_sections=has_sections)


def _has_sections(data: bytes) -> bool:
    """Whether CDATA sections or comments follow the first page's start; in siteinfo they do no harm."""
    start = data.find(b"<page")
    return start >= 0 and (data.find(CDATA, start) >= 0 or data.find(COMMENT, start) >= 0)


def _plain_head(file: DumpFile) -> Iterator[bytes]:
    """The first bytes of the file, unpacked, in pieces; the first one is long enough to tell what it is."""
    begun = b""
    with open_dump(file.path) as handle:
        split = Split(file.path, file.format, 0, min(file.num_bytes, _HEAD_BYTES))
        for chunk in chunks(handle, split):
            if chunk.fault is not None and not chunk.data:
                raise InputError(f"dump '{file.path}': {chunk.fault}; give a file that is downloaded whole")
            begun += chunk.data
            if len(begun) >= _PIECE_BYTES:
                yield begun
                begun = b""
    if begun:
        yield begun


def _info(file: DumpFile, head: _Head) -> SiteInfo:
    base_url = head.values.get("base") or None
    language = head.attributes.get("xml:lang", "").strip().lower() or "en"
    version = head.attributes.get("version") or _version_of(head.attributes.get("xmlns", ""))
    case = head.values.get("case", FIRST_LETTER)
    return SiteInfo(
        wiki=head.values.get("dbname") or _wiki_of_host(base_url) or f"{language.replace('-', '_')}wiki",
        language=language,
        dump_date=date_of_name(file.path),
        generator=head.values.get("generator") or None,
        schema_version=version,
        case_rule=CASE_SENSITIVE if case == CASE_SENSITIVE else FIRST_LETTER,
        base_url=base_url,
        namespaces=head.namespaces or dict(_CANONICAL_NAMESPACES),
    )


def _version_of(xmlns: str) -> str:
    found = _NAMESPACE_VERSION.search(xmlns)
    return found[1] if found else "unknown"


def _wiki_of_host(base_url: str | None) -> str | None:
    """A database name made from the host of the base URL, as old dumps have none.

    >>> _wiki_of_host("http://en.wikipedia.org/wiki/Main_Page")
    'enwiki'
    >>> _wiki_of_host("http://zh-min-nan.wiktionary.org/wiki/X")
    'zh_min_nanwiktionary'
    >>> _wiki_of_host("http://wiki.example.net:8080/index.php")
    'wiki_example_net'
    """
    host = (urlsplit(base_url or "").hostname or "").removeprefix("www.")
    labels = host.split(".")
    if len(labels) == 3 and labels[1].startswith("wik") and labels[2] == "org":
        return labels[0].replace("-", "_") + _FAMILY_SUFFIX.get(labels[1], labels[1])
    return re.sub(r"\W+", "_", host) or None


def date_of_name(path: str) -> str | None:
    """The date in a dump's file name, as YYYY-MM-DD.

    >>> date_of_name("/data/enwiki-20060303-pages-articles.xml.bz2")
    '2006-03-03'
    >>> date_of_name("enwiki-latest-pages-articles.xml.bz2") is None
    True
    """
    found = _DATE_IN_NAME.search(os.path.basename(path))
    return "-".join(found.groups()) if found else None
