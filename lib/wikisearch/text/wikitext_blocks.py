"""Tables, headings and templates in a page that is scanned."""

import re

from wikisearch.text.inline_templates import MAX_INLINE_DEPTH, MAX_PARAMETERS, close_inline
from wikisearch.text.markup import BLOCK, BREAK, HEADING
from wikisearch.text.templates import rules_of
from wikisearch.text.titles import Site
from wikisearch.text.wikitext_state import COUNT, KIND, NAME, OPEN_TABLE, OPEN_TEMPLATE, PIPES, START, Kind
from wikisearch.text.wikitext_tags import TagReader
from wikisearch.text.wikitext_tokens import Places

_SPECIAL_IN_HEADING = re.compile(r"''|[{<&\[]|__|-\{")
_SPECIAL_IN_DROPPED_HEADING = re.compile(rf"{_SPECIAL_IN_HEADING.pattern}|\}}\}}|\]\]")
# What may follow the line break after a heading and is markup only together with it (or is no text).
_STARTS_AFTER_BREAK = "\n=*#:;{|- \t"
# Where a table that is never closed is taken to end: an empty line before something that is no row, or a heading.
_END_OF_OPEN_TABLE = re.compile(r"\n(?=\n(?![ \t]*[|!{\n])|=)")
_ROW = re.compile(r"\n\|(?![|}]|\Z)")
_OPEN_TABLE = "{|"
# Stretches that are read on their own: a label, a heading, a table without an end.
LABEL_SPAN, HEADING_SPAN, DROPPED_HEADING_SPAN, TABLE_SPAN = range(4)
_HEADING = "="  # the name of a heading that is dropped, among the tags that are open


class BlockReader(TagReader):
    """The part of the scanner that reads what spans lines; it knows the page's title and wiki."""

    def __init__(
        self,
        source: str,
        title: str,
        site: Site,
        literal: frozenset[int] = frozenset(),
        *,
        keep_tables: bool = False,
        keep_headings: bool = True,
    ) -> None:
        """Prepares a scan.

        Args:
            source: wikitext without comments, with a line break before it.
            title: title of the page.
            site: its wiki.
            literal: positions of openings that are known to have no end.
            keep_tables: whether the text of tables stays.
            keep_headings: whether headings stay.
        """
        super().__init__(source, literal, keep_tables=keep_tables)
        self._keep_headings = keep_headings
        self.title = title
        self.site = site
        self.spans: list[tuple[int, int, int]] = []  # end outside, where to go on, kind
        self._templates = rules_of(site)
        self._ends_of_tables = Places(source, _END_OF_OPEN_TABLE)

    def end_of_span(self, last: int) -> int:
        """Writes the rest of a span (the page, a heading, a label); where to go on, or -1 at the page's end."""
        if last < self.end:
            self.pieces.append(self.source[last : self.end])
        if not self.spans:
            return -1
        self.end, position, kind = self.spans.pop()
        if kind == TABLE_SPAN:
            self.close_hidden(_OPEN_TABLE)
        elif kind == DROPPED_HEADING_SPAN:
            self.close_hidden(_HEADING)
        return self._after_heading(position) if kind in (HEADING_SPAN, DROPPED_HEADING_SPAN) else position

    def _after_heading(self, position: int) -> int:
        """Where to go on after the line of a heading: the next line begins a paragraph, unless it is markup."""
        if self.source[position + 1 : position + 2] in _STARTS_AFTER_BREAK:
            return position
        self.pieces.append(BREAK)
        return position + 1

    def table_open(self, found: re.Match[str]) -> int:
        """`{|` at the beginning of a line."""
        if not self.keep_tables:
            self._open_table(found.start(), found.end(), found[0])
            return found.end()
        self.push(Kind.KEPT_TABLE, found.start(), BLOCK)
        end = self.source.find("\n", found.end(), self.end)
        return self.end if end < 0 else end

    def _open_table(self, start: int, after: int, opening: str) -> None:
        """Opens a table; one known to have no end reaches to an empty line before something that is no row."""
        if start not in self.literal and start <= self.last_table_end:
            self.push(Kind.TABLE, start, opening)
        elif not self.open_tags.get(_OPEN_TABLE):
            stop = self._ends_of_tables.after(after)
            last = min(stop[0], self.end) if stop else self.end
            self.spans.append((self.end, last, TABLE_SPAN))
            self.end = last
            self.open_hidden(_OPEN_TABLE, start)

    def after_template(self, after: int) -> int:
        """Goes on after a template that was dropped; rows that follow it belong to a table that it opened."""
        self.note_drop()
        if not self.stack and _ROW.match(self.source, after) is not None:
            if self.keep_tables:
                self.push(Kind.KEPT_TABLE, after, BLOCK)
            else:
                self._open_table(after, after, "")
        return after

    def table_close(self, found: re.Match[str]) -> int:
        """`|}` at the beginning of a line: the table and what it holds leave the text."""
        if not self.open & OPEN_TABLE:
            self.is_blocked = self.is_blocked or bool(self.stack)
            return self.as_text(found)
        frame = self.pop_to(Kind.TABLE, Kind.KEPT_TABLE)
        if frame[KIND] == Kind.TABLE:
            self.drop(frame)
        self.pieces.append("\n" + BREAK)
        return found.end()

    def cell(self, found: re.Match[str]) -> int:
        """The beginning of a row, caption or cell of a table whose text is kept."""
        if not self.stack or self.stack[-1][KIND] != Kind.KEPT_TABLE:
            mark = found.start() + 1
            self.pieces.append(self.source[found.start() : mark])  # the rest is read again: it may be markup
            return mark
        if found[0].lstrip("\n \t").startswith(("|-", "|+")):
            self.pieces.append(BLOCK)
        else:
            self.begin_cell()
        return found.end()

    def heading(self, found: re.Match[str]) -> int:
        """A line between equals signs; its inside is read as text up to the closing signs."""
        source, start = self.source, found.start() + 1
        line_end = source.find("\n", start, self.end)
        line_end = self.end if line_end < 0 else line_end
        line = source[start:line_end].rstrip(" \t")
        body = line.lstrip("=")
        level = min(len(line) - len(body), len(body) - len(body.rstrip("=")), 6) if body else (len(line) - 1) // 2
        if level < 1:
            self.pieces.append("\n=")
            return found.end()
        while self.stack and self.stack[-1][KIND] == Kind.LINK:
            self.pop()  # no label reaches over a heading: the link is not closed
        inside = line[level : len(line) - level].rstrip(" \t")
        words = inside.lstrip(" \t")
        self.pieces.append(HEADING)
        first = start + level + len(inside) - len(words)
        if self._keep_headings:
            if _SPECIAL_IN_HEADING.search(words) is None:
                self.pieces.append(words)
                return self._after_heading(line_end)
            self.spans.append((self.end, line_end, HEADING_SPAN))
        else:
            if _SPECIAL_IN_DROPPED_HEADING.search(words) is None:
                self.note_drop()
                return self._after_heading(line_end)
            self.spans.append((self.end, line_end, DROPPED_HEADING_SPAN))
            self.open_hidden(_HEADING, start)
        self.end = first + len(words)
        return first

    def template(self, found: re.Match[str]) -> int:
        """A whole template without brackets or braces inside: dropped here, or opened if its words are kept."""
        name = found[17]
        rule, kind, _ = self._templates.find(name)
        if kind:
            self.kinds.add(kind)
        if rule is None or self.num_inline >= MAX_INLINE_DEPTH:
            return self.after_template(found.end())
        if rule.constant is not None:
            self.pieces.append(rule.constant)
            return found.end()
        return self._open_inline(found.start(), name, self.source[found.end(17)] == "|")

    def _open_inline(self, start: int, name: str, has_pipe: bool) -> int:
        """Opens a template whose words are kept; where its first parameter begins, or its end."""
        pipes: list[tuple[int, int]] = []
        self.push(Kind.INLINE, start, "{{" + name, name=name, pipes=pipes)
        position = start + 2 + len(name)
        if has_pipe:
            position += 1
            self.pieces.append("|")
            pipes.append((len(self.pieces) - 1, position))
        return position

    def braces_open(self, found: re.Match[str]) -> int:
        """`{{` or more, of a template or a parameter with markup inside."""
        start = found.start()
        opening, more, name, pipe = found.group(0, 19, 20, 21)
        if start in self.literal or start > self.last_braces:
            words = opening if name.isalnum() else "{{" + more  # the rest may be markup
            self.pieces.append(words)
            return start + len(words)
        if not more:
            rule, kind, rest = self._templates.find(name)
            if rule is not None or kind:
                is_named = bool(pipe) or self.source.startswith("}}", start + len(opening))
                if kind and is_named:
                    self.kinds.add(kind)
                is_whole = is_named or bool(rest) or name.endswith(":")
                if rule is not None and is_whole and self.num_inline < MAX_INLINE_DEPTH:
                    return self._open_inline(start, name, bool(pipe))
        self.push(Kind.TEMPLATE, start, opening, 2 + len(more))
        return start + len(opening)

    def braces_close(self, found: re.Match[str]) -> int:
        """`}}` or more: closes templates from the inside out, by MediaWiki's count of braces."""
        left, stack = 2 + len(found[22]), self.stack
        if left == 2 and stack and stack[-1][KIND] == Kind.TEMPLATE and stack[-1][COUNT] == 2:  # the usual case
            self.drop(self.pop())
            return found.end() if stack else self.after_template(found.end())
        is_dropped = False
        while left >= 2 and self.open & OPEN_TEMPLATE:
            frame = self.pop_to(Kind.TEMPLATE, Kind.INLINE)
            if frame[KIND] == Kind.INLINE:
                left -= 2
                is_dropped = False
                rule, _, argument = self._templates.find(frame[NAME])
                if rule is not None:
                    close_inline(self, frame, rule, argument, self.source, self.title)
                continue
            rest = frame[COUNT]
            while rest >= 2 and left >= 2:
                used = min(rest, left, 3)
                left -= used
                rest -= used
            self.drop(frame)
            is_dropped = True
            if rest >= 2:
                # Its braces are written when it is known how many stay: a million could be closed one by one.
                self.push(Kind.TEMPLATE, frame[START], "", rest)
            elif rest:
                self.pieces.append("{")
        if left:
            self.is_blocked = self.is_blocked or (left > 1 and bool(self.stack))
            self.pieces.append("}" * left)
            is_dropped = False
        return self.after_template(found.end()) if is_dropped else found.end()

    def pipe(self, found: re.Match[str]) -> int:
        """A pipe while a template whose words are kept is open."""
        self.pieces.append("|")
        pipes = self.stack[-1][PIPES] if self.stack else None
        if pipes is not None and len(pipes) < MAX_PARAMETERS:
            pipes.append((len(self.pieces) - 1, found.end()))
        return found.end()
