"""The scanner: one pass over wikitext with an explicit stack of what is open.

What is open is written out as text at first. When its end comes, what was written since is dropped or trimmed;
when none comes, it simply stays, as MediaWiki shows it. No construct is looked at twice, except that a page in
which an end met something unclosed is scanned once more, with the unclosed openings as plain text.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from wikisearch.text import wikitext_tokens as tokens
from wikisearch.text.markup import BLOCK
from wikisearch.text.templates import DISAMBIGUATION
from wikisearch.text.titles import decoded, plain_title
from wikisearch.text.wikitext_blocks import LABEL_SPAN, BlockReader
from wikisearch.text.wikitext_links import ARTICLE, CATEGORY, INVALID, VISIBLE, link_reader, pipe_trick
from wikisearch.text.wikitext_state import COUNT, KIND, MARK, NAME, START, Frame, Kind
from wikisearch.text.wikitext_tokens import ENTITY, LINE, LINK, QUOTED

_SPECIAL_IN_LABEL = re.compile(r"''|[{<&\[]|__")
_VARIANT_NAME = re.compile(r"\s*[a-z]{2,3}(?:-[a-z]+)*\s*:")

decode_entity = lru_cache(maxsize=1 << 12)(decoded)


class Scanner(BlockReader):
    """One page while it is scanned; `run` fills the state that `PageState` describes."""

    def run(self) -> None:
        """Reads the page to its end."""
        self._targets = link_reader(self.site)
        self._prefix = tokens.link_prefix(self.site.language)
        self._last_link = 0
        language = self.site.language
        position = 0
        while position >= 0:
            position = self._read(tokens.token_pattern(language, self.mode), position)
        self.finish()

    def _read(self, pattern: re.Pattern[str], last: int) -> int:
        """Reads on until another pattern or another end holds; where that is, or -1 at the page's end."""
        # Frequent tokens are read here, all in local variables: this loop is where the time of a refresh goes.
        source, pieces, quotes, mentions = self.source, self.pieces, self.quotes, self.mentions
        stack, targets, site, own = self.stack, self._targets, self.site, self.title
        prefix, handlers, mode, end = self._prefix, _HANDLERS, self.mode, self.end
        append = pieces.append
        while True:
            for found in pattern.finditer(source, last, end):
                start, after = found.span()
                if start > last:
                    append(source[last:start])
                last = after
                token = found.lastindex
                if token == LINK:
                    plain, other, label, trail = found.group(1, 2, 3, 4)
                    if stack:
                        self._last_link = start
                    target = None if plain is None else plain_title(plain, site)
                    if target is None:
                        kind, target, plain = targets[plain or other]
                        if kind != ARTICLE:
                            last = self._link_elsewhere(found, kind, target, plain)
                            if last != after:
                                break
                            continue
                    if label is None:
                        label = plain
                    elif "''" in label or not label:
                        last = self._link_in_parts(found)
                        if last != after:
                            break
                        continue
                    elif "&" in label:
                        label = decoded(label)
                    if trail:
                        label += trail
                    if prefix is not None:
                        label = self._take_prefix(start) + label
                    if target != own:
                        mentions.append((target, label, len(pieces), 1))
                    append(label)
                elif token == QUOTED:
                    mark, words = found.group(10, 11)
                    if source[start - 1] == "\n":
                        quotes += [(len(pieces), 2 + len(mark)), (len(pieces) + 1, 2 + len(mark))]
                    append(words)
                elif token == LINE:
                    append(BLOCK)
                elif token == ENTITY:
                    append(decode_entity(found[0]))
                else:
                    last = handlers[token](self, found)  # type: ignore[index]
                    if last != after or self.mode != mode or self.end != end:
                        break
            else:
                return self.end_of_span(last)
            if self.mode != mode or self.end != end:
                return last

    def _take_prefix(self, start: int) -> str:
        """Takes the letters that join a link out of the words before it."""
        words, letter = self.pieces[-1], self._prefix
        if letter is None or self.source[start - len(words) : start] != words:
            return ""
        first = len(words)
        while first and letter.match(words, first - 1):
            first -= 1
        self.pieces[-1] = words[:first]
        return words[first:]

    def _link_elsewhere(self, found: re.Match[str], kind: int, value: str, shown: str) -> int:
        """A whole link that leads to no article, without brackets inside; where to go on."""
        label, trail = found.group(3, 4)
        if kind == INVALID:
            # Brackets around an address: the inner ones make a link of it.
            num_brackets = 1 if tokens.is_address(shown) else 2
            self.pieces.append("[" * num_brackets)
            return found.start() + num_brackets
        if kind == VISIBLE:
            if label is not None and ("''" in label or not label):
                return self._link_in_parts(found)
            self.pieces.append((shown if label is None else decoded(label)) + trail)
            return found.end()
        if kind == CATEGORY:
            self.categories.append(value)
        if self.source[found.start() - 1] != "\n":
            self.note_drop()
        return found.start(4)

    def _quotes(self, found: re.Match[str]) -> int:
        """A run of apostrophes that is not a whole bold or italic stretch of plain words."""
        length = found.end() - found.start()
        if length == 4 or length > 5:
            self.pieces.append("'" * (length - 3 if length == 4 else length - 5))
            length = 3 if length == 4 else 5
        self.quotes.append((len(self.pieces), length))
        return found.end()

    def _link_in_parts(self, found: re.Match[str]) -> int:
        """A whole link whose label has markup of its own: reads the label as any text."""
        plain, other, label = found.group(1, 2, 3)
        if not label:
            return self._link_without_label(found)
        self.push(Kind.LINK, found.start(), f"[[{plain or other}|", name=plain or other)
        return found.start(3)

    def _link_without_label(self, found: re.Match[str]) -> int:
        """`[[target|]]`: the pipe trick, which is normally resolved when a page is saved."""
        kind, value, shown = self._targets[found[1] or found[2]]
        words = pipe_trick(shown) + found[4]
        if kind == ARTICLE and value != self.title:
            self.mentions.append((value, words, len(self.pieces), 1))
        self.pieces.append(words)
        return found.end()

    def _link_open(self, found: re.Match[str]) -> int:
        """The beginning of a link with brackets, braces or tags inside."""
        opening, target, pipe = found.group(0, 5, 6)
        start = found.start()
        if start > self.last_brackets or (pipe and self._targets[target][0] == INVALID):
            self.pieces.append("[[")
            return start + 2
        # No brackets to count: 0 where the target goes on with a template, so that it is unknown.
        self.push(Kind.LINK, start, opening, 1 if pipe else 0, target)
        return start + len(opening)

    def _link_close(self, found: re.Match[str]) -> int:
        """`]]`, with the letters that join the link."""
        trail = found[8]
        if not self.stack or self.stack[-1][KIND] != Kind.LINK:
            self.is_blocked = self.is_blocked or bool(self.stack)
            return self.as_text(found)
        frame = self.pop()
        start, mark = frame[START], frame[MARK]
        kind, value, _ = self._targets[frame[NAME]] if frame[COUNT] else (VISIBLE, "", "")
        if kind > VISIBLE:
            self.drop(frame)
            if kind == CATEGORY:
                self.categories.append(value)
            self._last_link = start
            return found.start(8)
        if self._last_link > start:
            return self.as_text(found)  # a link in the label of a link: only the inner one is one
        self._last_link = start
        self.pieces[mark] = ""
        if not frame[COUNT]:
            self._blank_to_pipe(frame)
        end = found.end()
        if not trail and self.source.startswith("]", end) and "[" in "".join(self.pieces[mark + 1 :]):
            trail, end = "]", end + 1  # [[a|[b]]]: the first bracket belongs to the label
        if trail:
            self.pieces.append(trail)
        if kind == ARTICLE and value != self.title:
            label = self.pieces[mark + 1 :]
            self.mentions.append((value, "".join(label), mark + 1, len(label)))
        return end

    def _blank_to_pipe(self, frame: Frame) -> None:
        """Takes away the rest of a target that a template is part of."""
        pieces, mark = self.pieces, frame[MARK]
        for index in range(mark + 1, len(pieces)):
            _, pipe, after = pieces[index].partition("|")
            if pipe:
                pieces[mark + 1 : index] = [""] * (index - mark - 1)
                pieces[index] = after
                return
        pieces[mark] = frame[NAME]

    def _external(self, found: re.Match[str]) -> int:
        """`[http://... label]`: the label stays; without one there is only a number to see."""
        label = found[9]
        if not label:
            self.note_drop()
            return found.end()
        if _SPECIAL_IN_LABEL.search(label) is None:
            self.pieces.append(label)
            return found.end()
        self.spans.append((self.end, found.end(), LABEL_SPAN))
        self.end = found.end(9)
        return found.start(9)

    def _reference(self, found: re.Match[str]) -> int:
        """A reference with no link inside."""
        self.note_drop()
        return found.end()

    def _switch(self, found: re.Match[str]) -> int:
        """A word between double underscores."""
        word = found[27].lower()
        if word not in tokens.switches_of(self.site.language):
            return self.as_text(found)
        if word == "disambig":
            self.kinds.add(DISAMBIGUATION)
        self.note_drop()
        return found.end()

    def _variant(self, found: re.Match[str]) -> int:
        """Text in several scripts: the first one; what only declares a conversion is not shown."""
        flags, pipe, text = found[28].rpartition("|")
        if pipe and not {"A", "R", "D", "N", ""} >= set(flags.split(";")):
            return found.end()
        first = next((part for part in text.split(";") if part.strip()), "")
        name = _VARIANT_NAME.match(first)
        self.pieces.append(first[name.end() :] if name else text)
        return found.end()

    def unclosed(self) -> frozenset[int]:
        """Where what is still open began, if another scan with these as text would read the page better."""
        better = {Kind.TABLE, Kind.HTML_TABLE, Kind.BOX, Kind.TAG}
        if not self.is_blocked and all(frame[KIND] not in better for frame in self.stack):
            return frozenset()
        return frozenset(f[START] for f in self.stack if f[KIND] not in (Kind.LINK, Kind.KEPT_TABLE))


# A table of functions, not of bound methods: those would make every scanner garbage that only a collector finds.
_HANDLERS: dict[int, Callable[[Scanner, re.Match[str]], int]] = {
    tokens.LINK_OPEN: Scanner._link_open,
    tokens.BRACKETS: Scanner.as_text,
    tokens.LINK_CLOSE: Scanner._link_close,
    tokens.EXTERNAL: Scanner._external,
    tokens.QUOTES: Scanner._quotes,
    tokens.TABLE_OPEN: Scanner.table_open,
    tokens.TABLE_CLOSE: Scanner.table_close,
    tokens.HEADING: Scanner.heading,
    tokens.TEMPLATE: Scanner.template,
    tokens.BRACES_OPEN: Scanner.braces_open,
    tokens.BRACES_CLOSE: Scanner.braces_close,
    tokens.REFERENCE: Scanner._reference,
    tokens.TAG: Scanner.read_tag,
    tokens.SWITCH: Scanner._switch,
    tokens.VARIANT: Scanner._variant,
    tokens.PIPE: Scanner.pipe,
    tokens.CELL: Scanner.cell,
}
