"""What the scanner has kept of a page so far, and what is still open in it."""


from typing import Final

from wikisearch.text.wikitext_tokens import Mode


class Kind:
    """What a frame waits for the end of. Plain integers: enum members are slow."""

    LINK = 0
    TEMPLATE = 1
    TABLE = 2
    HTML_TABLE = 3
    BOX = 4  # a division that floats beside the text
    INLINE = 5  # a template whose words are kept
    KEPT_TABLE = 6  # a table whose text is kept
    TAG = 7  # ref, gallery and the like: what is open outside cannot be closed inside


# One construct whose end has not come yet. A page may open a million, so this is a plain tuple: the garbage
# collector leaves tuples of numbers and strings alone, objects of a class it visits again and again.
Frame = tuple[int, int, int, int, int, int, int, str, list[tuple[int, int]] | None]
KIND: Final = 0
START: Final = 1  # where it began in the source
MARK: Final = 2  # the piece that stands for its opening
NUM_MENTIONS: Final = 3  # mentions and quotes before it
NUM_QUOTES: Final = 4
OUTSIDE: Final = 5  # what could be closed outside it
COUNT: Final = 6  # braces that opened it
NAME: Final = 7
PIPES: Final = 8  # of a template whose words are kept: the piece that is a pipe, where the source goes on after it

# What an end could close, as bits: inside a template or a reference nothing outside it.
OPEN_TEMPLATE, OPEN_TABLE, OPEN_HTML_TABLE, OPEN_BOX = 1, 2, 4, 8
_ALL = 15
# By kind of frame: which bits stay inside it, and which one it adds.
_STAYS = (_ALL, 0, _ALL, _ALL, _ALL, 0, _ALL, 0)
_ADDS = (0, OPEN_TEMPLATE, OPEN_TABLE, OPEN_HTML_TABLE, OPEN_BOX, OPEN_TEMPLATE, OPEN_TABLE, 0)

# Target, anchor, first piece of the anchor (-1 where it is not in the text) and how many they are: a small number
# is no object of its own, and pages may have millions of links.
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
        self.open = 0  # what an end could close here: bits of OPEN_TEMPLATE and so on
        self.open_tags: dict[str, int] = {}
        self.num_inline = 0
        self.num_kept_tables = 0
        self.mode = Mode.PLAIN
        self.is_blocked = False  # an end was met that could not close what was open further out
        self._hidden: list[tuple[int, int]] = []

    def push(
        self,
        kind: int,
        start: int,
        opening: str,
        count: int = 2,
        name: str = "",
        pipes: list[tuple[int, int]] | None = None,
    ) -> None:
        """Opens a frame; its opening is written out and stays if no end comes."""
        pieces = self.pieces
        outside = self.open
        self.stack.append(
            (kind, start, len(pieces), len(self.mentions), len(self.quotes), outside, count, name, pipes)
        )
        pieces.append(opening)
        self.open = outside & _STAYS[kind] | _ADDS[kind]
        if kind >= Kind.INLINE:
            self._count(kind, name, 1)

    def pop(self) -> Frame:
        """Closes the innermost frame; what it wrote stays as it is."""
        frame = self.stack.pop()
        self.open = frame[OUTSIDE]
        if frame[KIND] >= Kind.INLINE:
            self._count(frame[KIND], frame[NAME], -1)
        return frame

    def _count(self, kind: int, name: str, change: int) -> None:
        """Keeps account of the open frames that change what is markup inside them."""
        if kind == Kind.TAG:
            self.open_tags[name] = self.open_tags.get(name, 0) + change
            return
        if kind == Kind.INLINE:
            self.num_inline += change
        else:
            self.num_kept_tables += change
        self.mode = Mode.PIPES if self.num_inline else Mode.CELLS if self.num_kept_tables else Mode.PLAIN

    def pop_to(self, *kinds: int) -> Frame:
        """Closes frames up to the innermost of these kinds, which must be open, and that one too."""
        while True:
            frame = self.pop()
            if frame[KIND] in kinds:
                return frame
            self.leave_open(frame)

    def leave_open(self, frame: Frame) -> None:
        """Writes out braces that were not written yet, since more of them might have been closed."""
        if frame[KIND] == Kind.TEMPLATE and not self.pieces[frame[MARK]]:
            self.pieces[frame[MARK]] = "{" * frame[COUNT]

    def drop(self, frame: Frame) -> None:
        """Takes back all that was written since a frame opened; its mentions stay, outside the text."""
        del self.pieces[frame[MARK] :]
        if self.quotes:
            del self.quotes[frame[NUM_QUOTES] :]
        self.note_drop()
        if self.mentions:
            self.hide(frame[NUM_MENTIONS], len(self.mentions))

    def note_drop(self) -> None:
        """Remembers that something was left out here."""
        here = len(self.pieces)
        drops = self.drops
        while drops and drops[-1] >= here:
            drops.pop()
        drops.append(here)

    @property
    def ends_in_link(self) -> bool:
        """Whether the last piece so far is the end of a mention in the text."""
        if not self.mentions or (self._hidden and self._hidden[-1][1] == len(self.mentions)):
            return False
        return self.mentions[-1][2] + self.mentions[-1][3] == len(self.pieces)

    def hide(self, first: int, last: int) -> None:
        """Marks mentions as outside the text; stretches within stretches cost nothing."""
        if last == first:
            return
        hidden = self._hidden
        while hidden and hidden[-1][0] >= first:
            hidden.pop()
        hidden.append((first, last))

    def hide_from(self, piece: int, first: int) -> None:
        """Hides the last mentions, back to the one numbered `first`, that begin at a piece or after it."""
        last = len(self.mentions)
        place = len(self._hidden) - 1
        while last > first:
            if place >= 0 and self._hidden[place][1] == last:
                last = self._hidden[place][0]
                place -= 1
            elif self.mentions[last - 1][2] >= piece:
                last -= 1
            else:
                break
        self.hide(max(last, first), len(self.mentions))

    def finish(self) -> None:
        """Applies what `hide` remembered, and writes out what was left open."""
        for frame in self.stack:
            self.leave_open(frame)
        for first, last in self._hidden:
            self.mentions[first:last] = [(m[0], m[1], -1, 0) for m in self.mentions[first:last]]
        self._hidden.clear()
