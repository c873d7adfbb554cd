"""Cuts the bytes of a split into whole pages; the rule by which each page belongs to exactly one split.

A page belongs to the split that owns the first byte of its `<page>` tag. Its split reads on, into what other
splits own, up to the page's end; the split in which it ends skips it. As `<` stands in text only as `&lt;`,
these tags occur nowhere else but in CDATA sections and comments, which are skipped (and which are why a file
that has any is read by one task: `siteinfo` looks).

A page of a history dump may be larger than memory: it comes out in parts, each of which ends after a revision.
What may not be longer than `max_page_bytes` is the stretch from one revision's end to the next, which is the
page where it has one revision.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wikisearch.files.chunks import Chunk

TRUNCATED, TOO_LARGE, CORRUPT = "truncated", "too_large", "corrupt"
CDATA, COMMENT = b"<![CDATA[", b"<!--"
_ENDS = {CDATA: b"]]>", COMMENT: b"-->"}
_TAG = re.compile(
    rb"<(?:(?P<open>page)(?=[\s/>])|(?P<close>/page)\s*>|(?P<hidden>!\[CDATA\[|!--)"
    rb"|(?P<end>/mediawiki)\s*>|(?P<root>mediawiki)(?=[\s>]))"
)
_TAG_BYTES = 64  # a tag with generous white space; what is at most this far from the end may be half a tag
_HEAD_BYTES = 4096  # of a page that is no whole page: enough for title, id and an excerpt
_PART_BYTES = 1 << 20
_REVISION_END = b"</revision>"


@dataclass(frozen=True)
class Cut:
    """A whole page (`reason` is None), the head of a page that is none, or a place that is unreadable.

    `reason` is truncated, too_large, or corrupt; `data` of the latter is a sentence. `is_part` says that the
    page goes on in the next cut.
    """

    data: bytes
    reason: str | None = None
    is_part: bool = False


@dataclass
class Cutter:
    """Cuts one split; counts while it does.

    Args:
        max_page_bytes: longest page that comes out whole; memory stays below it plus two chunks.
    """

    max_page_bytes: int
    num_page_starts: int = 0  # pages that the split owns
    num_open_roots: int = 0  # how many `<mediawiki>` the split owns beyond its `</mediawiki>`
    _buffer: bytearray = field(default_factory=bytearray)
    _num_own: int = 0  # bytes of the buffer that the split owns; the others follow them
    _scanned: int = 0  # every tag that starts before has been seen
    _until: bytes = b""  # what ends the CDATA section or comment that is open
    _page: int | None = None  # where the page that is open starts, or its part that has not come out
    _head: bytes = b""  # its first bytes, once parts of it have come out
    _searched: int = 0  # no revision of what is left of the open page ends before
    _is_too_large: bool = False  # the open page has come out already

    def cuts(self, chunks: Iterable[Chunk]) -> Iterator[Cut]:
        """All pages that the split owns, in order, and what is wrong with those that are not whole."""
        for chunk in chunks:
            if not chunk.is_own and not self._needs_more():
                return
            self._buffer += chunk.data
            if chunk.is_own:
                self._num_own = len(self._buffer)
            yield from self._scan()
            if chunk.fault is not None:
                yield from self._break_off()
                if chunk.is_own:
                    yield Cut(chunk.fault.encode(), CORRUPT)
        if self._until and self._page is None:
            yield Cut(f"a section that {self._until.decode()} should end does not end".encode(), CORRUPT)
        yield from self._break_off()

    def _needs_more(self) -> bool:
        """Whether what follows the split matters: a page is open, or its last bytes may be half a tag."""
        if self._page is not None:
            return not self._is_too_large
        if self._until:
            return False
        own_tail = self._buffer[self._scanned : self._num_own]
        return own_tail.rfind(b"<") > own_tail.rfind(b">") and len(self._buffer) - self._num_own < _TAG_BYTES

    def _scan(self) -> Iterator[Cut]:
        """Takes in the tags that are new in the buffer, and drops the bytes that are done with."""
        for tag in self._tags():
            kind = tag.lastgroup
            if self._page is not None:
                yield from self._finish(tag.end() if kind == "close" else tag.start(), is_whole=kind == "close")
            if tag.start() < self._num_own:
                if kind == "open":
                    self._page = tag.start()
                    self.num_page_starts += 1
                elif kind != "close":
                    self.num_open_roots += 1 if kind == "root" else -1
            self._scanned = tag.end()
        if self._page is not None and not self._is_too_large:
            yield from self._give_part()
            if len(self._buffer) - self._page > self.max_page_bytes:
                yield from self._too_large()
        self._drop(self._scanned if self._page is None or self._is_too_large else self._page)

    def _tags(self) -> Iterator[re.Match[bytes]]:
        """The tags from `_scanned` on, which the caller moves past each; what is hidden is skipped."""
        while True:
            if self._until:
                end = self._buffer.find(self._until, self._scanned)
                if end < 0:
                    self._scanned = max(self._scanned, len(self._buffer) - len(self._until) + 1)
                    return
                self._scanned, self._until = end + len(self._until), b""
            tag = _TAG.search(self._buffer, self._scanned)
            if tag is None:
                self._scanned = max(self._scanned, len(self._buffer) - _TAG_BYTES)
                return
            if tag.lastgroup == "hidden":
                self._scanned, self._until = tag.end(), _ENDS[tag[0]]
            else:
                yield tag

    def _give_part(self) -> Iterator[Cut]:
        """The open page up to its last whole revision, where it has become long."""
        start = self._page or 0
        if len(self._buffer) - start <= min(_PART_BYTES, self.max_page_bytes):
            return
        found = self._buffer.rfind(_REVISION_END, max(start, self._searched))
        if found < 0:
            self._searched = len(self._buffer) - len(_REVISION_END)
            return
        end = found + len(_REVISION_END)
        if self._is_too_long(start, end):
            yield from self._too_large()
            return
        part = bytes(memoryview(self._buffer)[start:end])
        self._head = self._head or part[:_HEAD_BYTES]
        self._page = self._searched = end
        yield Cut(part, is_part=True)

    def _is_too_long(self, start: int, end: int) -> bool:
        """Whether a stretch of the page without an end of a revision is longer than allowed."""
        while end - start > self.max_page_bytes:
            found = self._buffer.find(_REVISION_END, start, end)
            stop = end if found < 0 else found + len(_REVISION_END)
            if stop - start > self.max_page_bytes:
                return True
            start = stop
        return False

    def _finish(self, end: int, *, is_whole: bool) -> Iterator[Cut]:
        """The open page, which ends before `end`."""
        start = self._page or 0
        if self._is_too_long(start, end):
            yield from self._too_large()
        elif not self._is_too_large:
            last = end if is_whole else min(end, start + _HEAD_BYTES)
            data = bytes(memoryview(self._buffer)[start:last])
            yield Cut(data) if is_whole else Cut(self._head or data, TRUNCATED)
        self._page, self._head, self._is_too_large = None, b"", False

    def _too_large(self) -> Iterator[Cut]:
        if not self._is_too_large:
            start = self._page or 0
            yield Cut(self._head or bytes(self._buffer[start : start + _HEAD_BYTES]), TOO_LARGE)
        self._is_too_large = True

    def _drop(self, num_bytes: int) -> None:
        """Forgets the first bytes of the buffer."""
        del self._buffer[:num_bytes]
        self._num_own = max(0, self._num_own - num_bytes)
        self._scanned -= num_bytes
        self._searched = max(0, self._searched - num_bytes)
        if self._page is not None:
            self._page = max(0, self._page - num_bytes)

    def _break_off(self) -> Iterator[Cut]:
        """Nothing that follows belongs to what is in the buffer."""
        if self._page is not None:
            yield from self._finish(len(self._buffer), is_whole=False)
        self._buffer.clear()
        self._num_own = self._scanned = self._searched = 0
        self._until = b""
