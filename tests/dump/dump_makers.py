"""Dumps of invented pages, and what an independent XML parser (lxml) reads in them."""

import bz2
import gzip
import hashlib
import io
import lzma
import random
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa
from lxml import etree

NAMESPACES = {-2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 4: "Wikipedia", 6: "File", 14: "Category"}
_WORDS = ["lamp", "wick", "oil", "œil", "灯", "«glow»", "&", "<", ">", '"', "'", "[[guild]]", "{{box|a=1}}", "𝔏"]


class Held:
    """Bytes in memory, read by position as a file is."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def size(self) -> int:
        return len(self.data)

    def read_at(self, nbytes: int, offset: int) -> bytes:
        return self.data[offset : offset + nbytes]


def head(version: str = "0.10", dbname: str | None = "xxwiki", language: str = "en") -> str:
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>\n' for key, name in NAMESPACES.items()
    )
    database = f"<dbname>{dbname}</dbname>\n" if dbname else ""
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" '
        f'xml:lang="{language}">\n<siteinfo>\n<sitename>Lamps</sitename>\n{database}'
        "<base>http://xx.wikipedia.org/wiki/Main_Page</base>\n<generator>MediaWiki 1.0</generator>\n"
        f"<case>first-letter</case>\n<namespaces>\n{names}</namespaces>\n</siteinfo>\n"
    )


def revision(text: str | None, revision_id: int = 7, timestamp: str = "2024-05-01T00:00:00Z") -> str:
    body = '<text deleted="deleted" />' if text is None else f'<text xml:space="preserve">{escape(text)}</text>'
    return (
        f"<revision>\n<id>{revision_id}</id>\n<timestamp>{timestamp}</timestamp>\n"
        "<contributor><username>Ana &amp; Ben</username><id>77</id></contributor>\n"
        f"<comment>&lt;page> of lamps</comment>\n{body}\n</revision>\n"
    )


def page(page_id: object, title: str, *revisions: str, namespace: int | None = 0, more: str = "") -> str:
    ns = "" if namespace is None else f"<ns>{namespace}</ns>\n"
    return f"<page>\n<title>{escape(title)}</title>\n{ns}<id>{page_id}</id>\n{more}{''.join(revisions)}</page>"


def dump(*pages: str, **of_head: str) -> bytes:
    return (head(**of_head) + "".join(pages) + "</mediawiki>\n").encode()


def random_pages(seed: int, num_pages: int, long_words: int = 0) -> list[str]:
    """Pages of random words, some next to each other without a line end; the middle one has `long_words`."""
    dice = random.Random(seed)
    pages = []
    for number in range(num_pages):
        num_words = long_words if long_words and number == num_pages // 2 else dice.randrange(60)
        words = dice.choices([*_WORDS, *(f"{dice.getrandbits(40):x}" for _ in range(20))], k=num_words)
        title = f"Lamp & {number} œ"
        pages.append(
            page(1000 + number, title, revision(" ".join(words), 5000 + number)) + dice.choice(["", "\n"])
        )
    return pages


def compressed(data: bytes, how: str) -> bytes:
    """The bytes as plain XML, in two members (gzip, xz, zst), or as bzip2 in small blocks: one stream, or many."""
    third = len(data) // 3
    if how == "xml":
        return data
    if how in STREAMED:
        return STREAMED[how](data[:third]) + STREAMED[how](data[third:])
    if how == "bz2":
        return bz2.compress(data, 1)
    third = max(third, 701)
    pieces = [data[:700], data[700:701], data[701:third], b"", data[third:]]
    return b"".join(bz2.compress(piece, 1) for piece in pieces)


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


STREAMED = {"gz": gzip.compress, "xz": xz, "zst": zstd}
SUFFIX = {
    "xml": ".xml",
    "gz": ".xml.gz",
    "xz": ".xml.xz",
    "zst": ".xml.zst",
    "bz2": ".xml.bz2",
    "multistream": "-multistream.xml.bz2",
}


def write(folder: Path, name: str, data: bytes, how: str = "xml") -> str:
    path = folder / (name + SUFFIX[how])
    path.write_bytes(compressed(data, how))
    return str(path)


def digest(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def oracle(data: bytes) -> list[tuple[int, str, str]]:
    """Page id, title and digest of the text of every page, as lxml reads them, in order."""
    found = []
    for _, element in etree.iterparse(io.BytesIO(data), tag="{*}page", huge_tree=True):
        text = element.findtext("{*}revision/{*}text") or ""
        found.append((int(element.findtext("{*}id")), element.findtext("{*}title").strip(), digest(text)))
        element.clear()
    return found
