"""Cuts the bytes of a split into whole pages; the rule by which each page belongs to exactly one split.

A page belongs to the split that owns the first byte of its `<page>` tag. Its split reads on, into what other
splits own, up to the page's end; the split in which it ends skips it. As `<` stands in text only as `&lt;`,
these tags occur nowhere else.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wikisearch.dump.chunks import Chunk

TRUNCATED, TOO_LARGE, CORRUPT = "truncated", "too_large", "corrupt"
_TAG = re.compile(rb"<(?:(page)(?=[\s/>])|(/page)\s*>|/mediawiki\s*>)")
_TAG_BYTES = 64  # a tag with generous white space; what is at most this far from the end may be half a tag
_HEAD_BYTES = 4096  # of a page that is no whole page: enough for title, id and an excerpt


@dataclass(frozen=True)
class Cut:
    """A whole page (`reason` is None), the head of a page that is none, or a place that is unreadable.

    `reason` is truncated, too_large, or corrupt; `data` of the latter is a sentence.
    """

    data: bytes
    reason: str | None = None


@dataclass
class Cutter:
    """Cuts one split; counts while it does.

    Args:
        max_page_bytes: longest page that comes out whole; memory stays below it plus two chunks.
    """

    max_page_bytes: int
    num_page_starts: int = 0  # pages that the split owns
    is_closed: bool = False  # whether the split owns a `</mediawiki>`
    _buffer: bytearray = field(default_factory=bytearray)
    _num_own: int = 0  # bytes of the buffer that the split owns; the others follow them
    _scanned: int = 0  # every tag that starts before has been seen
    _page: int | None = None  # where the page that is open starts
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
        yield from self._break_off()

    def _needs_more(self) -> bool:
        """Whether what follows the split matters: a page is open, or its last bytes may be half a tag."""
        if self._page is not None:
            return not self._is_too_large
        own_tail = self._buffer[self._scanned : self._num_own]
        return own_tail.rfind(b"<") > own_tail.rfind(b">") and len(self._buffer) - self._num_own < _TAG_BYTES

    def _scan(self) -> Iterator[Cut]:
        """Takes in the tags that are new in the buffer, and drops the bytes that are done with."""
        for tag in _TAG.finditer(self._buffer, self._scanned):
            is_open, is_close = tag[1] is not None, tag[2] is not None
            if self._page is not None:
                yield from self._finish(tag.end() if is_close else tag.start(), is_whole=is_close)
            if tag.start() < self._num_own and is_open:
                self._page = tag.start()
                self.num_page_starts += 1
            elif tag.start() < self._num_own and not is_close:
                self.is_closed = True
            self._scanned = tag.end()
        self._scanned = max(self._scanned, len(self._buffer) - _TAG_BYTES)
        if self._page is not None and len(self._buffer) - self._page > self.max_page_bytes:
            yield from self._too_large()
        self._drop(self._scanned if self._page is None or self._is_too_large else self._page)

    def _finish(self, end: int, *, is_whole: bool) -> Iterator[Cut]:
        """The open page, which ends before `end`."""
        start = self._page or 0
        if end - start > self.max_page_bytes:
            yield from self._too_large()
        elif not self._is_too_large:
            last = end if is_whole else min(end, start + _HEAD_BYTES)
            yield Cut(bytes(memoryview(self._buffer)[start:last]), None if is_whole else TRUNCATED)
        self._page, self._is_too_large = None, False

    def _too_large(self) -> Iterator[Cut]:
        if not self._is_too_large:
            start = self._page or 0
            yield Cut(bytes(self._buffer[start : start + _HEAD_BYTES]), TOO_LARGE)
        self._is_too_large = True

    def _drop(self, num_bytes: int) -> None:
        """Forgets the first bytes of the buffer."""
        del self._buffer[:num_bytes]
        self._num_own = max(0, self._num_own - num_bytes)
        self._scanned -= num_bytes
        if self._page is not None:
            self._page = max(0, self._page - num_bytes)

    def _break_off(self) -> Iterator[Cut]:
        """Nothing that follows belongs to what is in the buffer."""
        if self._page is not None:
            yield from self._finish(len(self._buffer), is_whole=False)
        self._buffer.clear()
        self._num_own = self._scanned = 0
