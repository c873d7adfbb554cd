"""Tags of HTML and of MediaWiki's extensions in a page that is scanned."""

import re

from wikisearch.text import wikitext_tokens as tokens
from wikisearch.text.markup import BLOCK, BREAK
from wikisearch.text.titles import decoded
from wikisearch.text.wikitext_state import KIND, NAME, OPEN_BOX, OPEN_HTML_TABLE, Kind, PageState

_REF_OPENING = re.compile(r"<ref(?:\s[^<>/]*+)?>", re.IGNORECASE)
_FLOATS = re.compile(r"float\s*+:\s*+(?:left|right)")
_CLASS = re.compile(r"class\s*+=\s*+[\"']?+([^\"']*+)")
_FLOATING_CLASS = re.compile(r"\b(?:float|tright|tleft|infobox|noprint)")
# Where the text of tables is kept.
_TABLE_TAGS = {"table": BLOCK, "/table": BREAK, "tr": BLOCK, "caption": BLOCK, "td": "", "th": "",
               "/tr": "", "/td": "", "/th": "", "/caption": ""}  # fmt: skip
_BLANKS = re.compile(r"[ \t]*+")
_NOWIKI = re.compile(r"</?nowiki\s*/?>", re.IGNORECASE)


def _floats(attributes: str) -> bool:
    """Whether a division with these attributes stands beside the text."""
    classes = (_FLOATING_CLASS.search(found[1]) for found in _CLASS.finditer(attributes))
    return _FLOATS.search(attributes) is not None or any(classes)


class TagReader(PageState):
    """The part of the scanner that reads tags."""

    def __init__(self, source: str, literal: frozenset[int], *, keep_tables: bool = False) -> None:
        """Prepares a scan.

        Args:
            source: wikitext without comments, with a line break before it.
            literal: positions of openings that are known to have no end.
            keep_tables: whether the text of tables stays.
        """
        super().__init__()
        self.keep_tables = keep_tables
        self.source = source
        self.end = len(source)
        self.literal = literal
        # What opens after the last end of its kind is never closed.
        self.last_braces, self.last_brackets = source.rfind("}}"), source.rfind("]]")
        self.last_table_end = source.rfind("|}")
        self._closers = tokens.Closers(source)
        self._ref_openings = tokens.Places(source, _REF_OPENING)
        self._poem = -1

    def as_text(self, found: re.Match[str]) -> int:
        """A token that is text after all."""
        self.pieces.append(found[0])
        return found.end()

    def read_tag(self, found: re.Match[str]) -> int:
        """Any tag; what is no tag of MediaWiki is text."""
        name, after = found[25].lower(), found.end()
        if name in tokens.INLINE_TAGS:
            return after
        is_alone = found[26].endswith("/")
        if self.keep_tables and name in _TABLE_TAGS:
            if name in ("td", "th"):
                self.begin_cell()
            else:
                self.pieces.append(_TABLE_TAGS[name])
            return self._after_blanks(after)
        if name.removeprefix("/") in tokens.BLOCK_TAGS:
            if name.endswith("div") and not is_alone:
                self._division(name, found)
            self._block_tag(name)
            return self._after_blanks(after)
        if name in tokens.OPAQUE:
            return after if is_alone else self._opaque(name, after)
        if name in tokens.HIDDEN:
            if not is_alone and found.start() not in self.literal:
                self._hidden_tag(name, found)
            return after
        if name[0] == "/":
            name = name[1:]
            if name in tokens.HIDDEN:
                self.close_hidden(name)
                return after
            if name in tokens.INLINE_TAGS or name in tokens.OPAQUE:
                return after
        return self.as_text(found)

    def _after_blanks(self, position: int) -> int:
        """Where a line goes on after the blanks at its beginning."""
        found = _BLANKS.match(self.source, position, self.end)
        return found.end() if found else position

    def begin_cell(self) -> None:
        """Parts a cell of a table whose text is kept from the one before it in its row."""
        pieces = self.pieces
        if not self.ends_in_link:
            pieces[-1] = pieces[-1].rstrip(" \t")
        last = next((piece for piece in reversed(pieces[-4:]) if piece), "")
        if last[-1:] not in (BLOCK, BREAK, "\n"):
            pieces.append("\t")

    def _division(self, name: str, found: re.Match[str]) -> None:
        """`<div>`: one that floats, and all in it, stands beside the text as an infobox does."""
        if name == "div":
            if (self.open & OPEN_BOX or _floats(found[26])) and found.start() not in self.literal:
                self.push(Kind.BOX, found.start(), "")
        elif self.open & OPEN_BOX:
            self.drop(self.pop_to(Kind.BOX))

    def _block_tag(self, name: str) -> None:
        """A tag that begins a line; lines of a poem stay lines."""
        pieces = self.pieces
        if name == "poem":
            self._poem = len(pieces)
        elif name == "/poem" and self._poem >= 0:
            for index in range(self._poem, len(pieces)):
                pieces[index] = pieces[index].replace("\n", BREAK)
            self._poem = -1
        pieces.append(BREAK)

    def _opaque(self, name: str, start: int) -> int:
        """Content that is no markup: kept as it stands or left out; without an end the tag alone vanishes."""
        close = self._closers.after(name, start)
        if close is None or close[1] > self.end:
            return start
        if name in tokens.VERBATIM:
            content = self.source[start : close[0]]
            if name == "pre":
                content = _NOWIKI.sub("", content)
            content = decoded(content).replace("\n", BREAK)
            self.pieces.append(content if name == "nowiki" else f"{BREAK}{content}{BREAK}")
        else:
            self.note_drop()
        return close[1]

    def _hidden_tag(self, name: str, found: re.Match[str]) -> None:
        """A tag whose content leaves the text, if it has an end before the next one of its kind begins."""
        close = self._closers.after(name, found.end())
        if close is None or close[1] > self.end:
            return
        if name == "ref":
            following = self._ref_openings.after(found.end())
            if following is not None and following[1] <= close[0]:
                return
        if name == "table":
            self.push(Kind.HTML_TABLE, found.start(), "")
        else:
            self.open_hidden(name, found.start())

    def open_hidden(self, name: str, start: int) -> None:
        """Opens a stretch that leaves the text; what is open outside cannot be closed inside."""
        self.push(Kind.TAG, start, "", name=name)

    def close_hidden(self, name: str) -> None:
        """The end of a tag whose content leaves the text."""
        if name == "table":
            if self.open & OPEN_HTML_TABLE:
                self.drop(self.pop_to(Kind.HTML_TABLE))
                self.pieces.append(BREAK)
            return
        if self.open_tags.get(name):
            while True:
                frame = self.pop()
                if frame[KIND] == Kind.TAG and frame[NAME] == name:
                    break
                self.leave_open(frame)
            self.drop(frame)
