"""What the scanner has kept of a page so far, and what is still open in it."""


class Kind:
    """What a frame waits for the end of. Plain integers: enum members are slow."""

    LINK = 0
    TEMPLATE = 1
    INLINE = 2  # a template whose words are kept
    TABLE = 3
    HTML_TABLE = 4
    BOX = 5  # a division that floats beside the text
    KEPT_TABLE = 6  # a table whose text is kept
    TAG = 7  # ref, gallery and the like: what is open outside cannot be closed inside


class Frame:
    """One construct whose end has not come yet.

    `mark` is the piece that stands for its opening; `saved` are the counters of what could be closed outside it,
    None where they are the same inside.
    """

    __slots__ = ("count", "kind", "mark", "name", "num_mentions", "num_quotes", "pipes", "saved", "start")

    def __init__(
        self,
        kind: int,
        start: int,
        mark: int,
        num_mentions: int,
        num_quotes: int,
        saved: tuple[int, int, int, int] | None,
    ) -> None:
        self.kind = kind
        self.start = start
        self.mark = mark
        self.num_mentions = num_mentions
        self.num_quotes = num_quotes
        self.saved = saved
        self.count = 2  # braces that opened it
        self.name = ""
        # Of a template whose words are kept: the piece that is a pipe, and where the source goes on after it. One
        # object less for the garbage collector where there is none: it is what deep nesting costs most.
        self.pipes: list[tuple[int, int]] | None = None


_LINK = Kind.LINK

# Target, anchor, first and last-plus-one piece of the anchor; -1 where it is not in the text.
RawMention = tuple[str, str, int, int]


class PageState:
    """Pieces of text, mentions and open frames of one page while it is scanned."""

    def __init__(self) -> None:
        self.pieces: list[str] = ["\n"]
        self.mentions: list[RawMention] = []
        self.quotes: list[tuple[int, int]] = []
        self.drops: list[int] = []
        self.categories: list[str] = []
        self.kinds: set[str] = set()  # what templates and switches say that the page is
        self.stack: list[Frame] = []
        # Frames of each kind that an end could close here: inside a reference nothing outside it.
        self.open_templates = self.open_tables = self.open_html_tables = self.open_boxes = 0
        self.open_tags: dict[str, int] = {}
        self.num_inline = 0
        self.num_kept_tables = 0
        self.is_blocked = False  # an end was met that could not close what was open further out
        self._hidden: list[tuple[int, int]] = []

    def push(self, kind: int, start: int, opening: str) -> Frame:
        """Opens a frame; its opening is written out and stays if no end comes."""
        pieces = self.pieces
        num_pieces, num_mentions, num_quotes = len(pieces), len(self.mentions), len(self.quotes)
        pieces.append(opening)
        if kind == _LINK:  # the most frequent one
            frame = Frame(kind, start, num_pieces, num_mentions, num_quotes, None)
            self.stack.append(frame)
            return frame
        saved = (self.open_templates, self.open_tables, self.open_html_tables, self.open_boxes)
        frame = Frame(kind, start, num_pieces, num_mentions, num_quotes, saved)
        self.stack.append(frame)
        if kind <= Kind.INLINE:
            self.open_templates += 1
            self.open_tables = self.open_html_tables = self.open_boxes = 0
            self.num_inline += kind == Kind.INLINE
        elif kind in (Kind.TABLE, Kind.KEPT_TABLE):
            self.open_tables += 1
            self.num_kept_tables += kind == Kind.KEPT_TABLE
        elif kind == Kind.HTML_TABLE:
            self.open_html_tables += 1
        elif kind == Kind.BOX:
            self.open_boxes += 1
        elif kind == Kind.TAG:
            self.open_templates = self.open_tables = self.open_html_tables = self.open_boxes = 0
        return frame

    def pop(self) -> Frame:
        """Closes the innermost frame; what it wrote stays as it is."""
        frame = self.stack.pop()
        if frame.saved is None:
            return frame
        self.open_templates, self.open_tables, self.open_html_tables, self.open_boxes = frame.saved
        if frame.kind == Kind.INLINE:
            self.num_inline -= 1
        elif frame.kind == Kind.KEPT_TABLE:
            self.num_kept_tables -= 1
        elif frame.kind == Kind.TAG:
            self.open_tags[frame.name] -= 1
        return frame

    def pop_to(self, *kinds: int) -> Frame:
        """Closes frames up to the innermost of these kinds, which must be open, and that one too."""
        while True:
            frame = self.pop()
            if frame.kind in kinds:
                return frame
            self.leave_open(frame)

    def leave_open(self, frame: Frame) -> None:
        """Writes out braces that were not written yet, since more of them might have been closed."""
        if frame.kind == Kind.TEMPLATE and not self.pieces[frame.mark]:
            self.pieces[frame.mark] = "{" * frame.count

    def drop(self, frame: Frame) -> None:
        """Takes back all that was written since a frame opened; its mentions stay, outside the text."""
        mark = frame.mark
        del self.pieces[mark:]
        del self.quotes[frame.num_quotes :]
        self.note_drop()
        self.hide(frame.num_mentions, len(self.mentions))

    def note_drop(self) -> None:
        """Remembers that something was left out here."""
        here = len(self.pieces)
        drops = self.drops
        while drops and drops[-1] >= here:
            drops.pop()
        drops.append(here)

    def hide(self, first: int, last: int) -> None:
        """Marks mentions as outside the text; stretches within stretches cost nothing."""
        hidden = self._hidden
        while hidden and hidden[-1][0] >= first:
            hidden.pop()
        if last > first:
            hidden.append((first, last))

    def finish(self) -> None:
        """Applies what `hide` remembered, and writes out what was left open."""
        for frame in self.stack:
            self.leave_open(frame)
        for first, last in self._hidden:
            self.mentions[first:last] = [(m[0], m[1], -1, -1) for m in self.mentions[first:last]]
        self._hidden.clear()
