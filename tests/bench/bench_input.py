"""The dump that is measured: a small real one, copied under new ids and titles until it is large enough.

Copies add no variety of text, but each is compressed anew, so that bzip2 has its work. It is made once, into a
folder that git ignores, and made again where its size or check sum is not what was noted beside it.
"""

import bz2
import hashlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

COPIES, MANY_COPIES = 40, 160
PAGES_A_STREAM = 100  # as in Wikimedia's multistream dumps
_ID_STEP = 10_000_000_000  # larger than any id of the source
_PAGE = re.compile(rb"  <page>\n.*?</page>\n", re.DOTALL)
_TITLE = re.compile(rb"<title>(.*?)</title>")
_ID = re.compile(rb"(\n    <id>|<revision>\n      <id>)(\d+)</id>")
_NOTE = "input.json"
_FORMAT = 1  # of the files made here; another one makes them anew


@dataclass(frozen=True)
class BenchInput:
    """Files of the bench, and what is in them."""

    multistream: Path
    single_stream: Path
    num_bytes: int  # of XML
    num_pages: int


def bench_input(source: Path, folder: Path, copies: int) -> BenchInput:
    """The two bz2 files of one dump, in `folder`: made where they are not there yet or are not whole."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {kind: folder / f"bench-{copies}x-{kind}.xml.bz2" for kind in ("multistream", "single")}
    note_file = folder / f"bench-{copies}x-{_NOTE}"
    key = {"format": _FORMAT, "copies": copies, "source": _sha256(source)}
    if note_file.exists():
        note = json.loads(note_file.read_text())
        files = {kind: path.name for kind, path in names.items()}
        if note["key"] == key and all(_is_noted(folder / files[kind], note[kind]) for kind in names):
            return BenchInput(names["multistream"], names["single"], note["num_bytes"], note["num_pages"])
    xml = bz2.decompress(source.read_bytes())
    pieces = list(_pieces(xml, copies))
    with ProcessPoolExecutor(2) as pool:
        single = pool.submit(bz2.compress, b"".join(pieces))
        streams = pool.map(bz2.compress, pieces)
        names["multistream"].write_bytes(b"".join(streams))
        names["single"].write_bytes(single.result())
    made = BenchInput(
        names["multistream"],
        names["single"],
        sum(map(len, pieces)),
        copies * len(_PAGE.findall(xml)),
    )
    note = {"key": key, "num_bytes": made.num_bytes, "num_pages": made.num_pages}
    note |= {kind: asdict(_Noted.of(path)) for kind, path in names.items()}
    note_file.write_text(json.dumps(note, indent=1) + "\n")
    return made


@dataclass(frozen=True)
class _Noted:
    """How a whole file is known."""

    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "_Noted":
        return cls(path.stat().st_size, _sha256(path))


def _is_noted(path: Path, note: dict[str, object]) -> bool:
    return path.exists() and path.stat().st_size == note["size"] and asdict(_Noted.of(path)) == note


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _pieces(xml: bytes, copies: int) -> Iterator[bytes]:
    """The dump's bytes, a stream each: its head, some pages each, its end."""
    pages = _PAGE.findall(xml)
    first, last = xml.index(b"  <page>"), xml.rindex(b"</page>\n") + len(b"</page>\n")
    yield xml[:first]
    copied = [_copy(page, number) for number in range(1, copies + 1) for page in pages]
    for start in range(0, len(copied), PAGES_A_STREAM):
        yield b"".join(copied[start : start + PAGES_A_STREAM])
    yield xml[last:]


def _copy(page: bytes, number: int) -> bytes:
    """A page under the title and the ids of one copy; its text stays."""
    titled = _TITLE.sub(rb"<title>\1 (copy %d)</title>" % number, page, count=1)
    return _ID.sub(lambda found: b"%s%d</id>" % (found[1], int(found[2]) + number * _ID_STEP), titled, count=2)
