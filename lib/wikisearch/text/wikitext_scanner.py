"""The scanner: one pass over wikitext with an explicit stack of what is open.

What is open is written out as text at first. When its end comes, what was written since is dropped or trimmed;
when none comes, it simply stays, as MediaWiki shows it. No construct is looked at twice, except that a page in
which an end met something unclosed is scanned once more, with the unclosed openings as plain text.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape

from wikisearch.text import wikitext_tokens as tokens
from wikisearch.text.inline_templates import MAX_INLINE_DEPTH, close_inline
from wikisearch.text.markup import BLOCK, BREAK, HEADING
from wikisearch.text.templates import rules_of
from wikisearch.text.titles import Site
from wikisearch.text.wikitext_links import ARTICLE, CATEGORY, INVALID, VISIBLE, link_reader, pipe_trick
from wikisearch.text.wikitext_state import Frame, Kind
from wikisearch.text.wikitext_tags import TagReader
from wikisearch.text.wikitext_tokens import ENTITY, LINE, LINK, QUOTES

_SPECIAL_IN_LABEL = re.compile(r"''|[{<&]|__")
_SPECIAL_IN_HEADING = re.compile(r"''|[{<&\[]|__|-\{")
# What may follow the line break after a heading and is markup only together with it (or is no text).
_STARTS_AFTER_BREAK = "\n=*#:;{|- \t"
# Where a table that is never closed is taken to end: an empty line before something that is no row, or a heading.
_END_OF_OPEN_TABLE = re.compile(r"\n(?=\n(?![ \t]*[|!{\n])|=)")
_OPEN_TABLE = "{|"
# Stretches that are read on their own: a label, a heading, a table without an end.
_LABEL_SPAN, _HEADING_SPAN, _TABLE_SPAN = range(3)
_VARIANT_NAME = re.compile(r"\s*[a-z]{2,3}(?:-[a-z]+)*\s*:")

decode_entity = lru_cache(maxsize=1 << 12)(unescape)


class Scanner(TagReader):
    """One page while it is scanned; `run` fills the state that `PageState` describes."""

    def __init__(self, source: str, title: str, site: Site, literal: frozenset[int] = frozenset()) -> None:
        """Prepares a scan.

        Args:
            source: wikitext without comments, with a line break before it.
            title: title of the page.
            site: its wiki.
            literal: positions of openings that are known to have no end.
        """
        super().__init__(source, literal)
        self.title = title
        self.site = site
        self._spans: list[tuple[int, int, int]] = []  # end outside, where to go on, kind
        self._templates = rules_of(site)
        self._targets = link_reader(site)
        self._last_link = 0
        self._handlers: dict[int, Callable[[re.Match[str]], int]] = {
            tokens.LINK: self._link_in_parts,
            tokens.LINK_OPEN: self._link_open,
            tokens.BRACKETS: self._as_text,
            tokens.LINK_CLOSE: self._link_close,
            tokens.EXTERNAL: self._external,
            tokens.TABLE_OPEN: self._table_open,
            tokens.TABLE_CLOSE: self._table_close,
            tokens.HEADING: self._heading,
            tokens.TEMPLATE: self._template,
            tokens.BRACES_OPEN: self._braces_open,
            tokens.BRACES_CLOSE: self._braces_close,
            tokens.REFERENCE: self._reference,
            tokens.TAG: self.read_tag,
            tokens.SWITCH: self._switch,
            tokens.VARIANT: self._variant,
            tokens.PIPE: self._pipe,
        }

    def run(self) -> None:
        """Reads the page to its end."""
        language = self.site.language
        plain = tokens.token_pattern(language, False)
        with_pipes = tokens.token_pattern(language, True)
        position = 0
        while True:
            position = self._run_until_jump(with_pipes if self.num_inline else plain, position)
            if position < 0:
                break
        self.finish()

    def _run_until_jump(self, pattern: re.Pattern[str], last: int) -> int:
        """Reads on to the first token that is no plain link, quote, list item or entity; where to go on, or -1."""
        source, append, quotes, mentions = self.source, self.pieces.append, self.quotes, self.mentions
        pieces, stack, targets, handlers, own = self.pieces, self.stack, self._targets, self._handlers, self.title
        depth = self.num_inline
        for found in pattern.finditer(source, last, self.end):
            start, after = found.span()
            if start > last:
                append(source[last:start])
            last = after
            token = found.lastindex
            if token == LINK:
                target, label, trail = found.group(1, 2, 3)
                kind, value, shown = targets[target]
                if stack:
                    self._last_link = start
                if kind <= VISIBLE:
                    if label is None:
                        label = shown
                    elif "''" in label or not label:
                        return self._link_in_parts(found)
                    elif "&" in label:
                        label = unescape(label)
                    if trail:
                        label += trail
                    append(label)
                    if kind == ARTICLE and value != own:
                        here = len(pieces)
                        mentions.append((value, label, here - 1, here))
                elif kind == INVALID:
                    append("[[")
                    return start + 2
                else:
                    if kind == CATEGORY:
                        self.categories.append(value)
                    if trail:
                        last = after - len(trail)
            elif token == QUOTES:
                length = after - start
                if length == 4 or length > 5:
                    append("'" * (length - 3 if length == 4 else length - 5))
                    length = 3 if length == 4 else 5
                quotes.append((len(pieces), length))
            elif token == LINE:
                append(BLOCK)
            elif token == ENTITY:
                append(decode_entity(found[0]))
            else:
                last = handlers[token](found)  # type: ignore[index]
                if last != after or self._spans or self.num_inline != depth:
                    return last
        return self._end_of_span(last)

    def _end_of_span(self, last: int) -> int:
        """Writes the rest of a span (the page, a heading, a label); where to go on, or -1 at the end of the page."""
        if last < self.end:
            self.pieces.append(self.source[last : self.end])
        if not self._spans:
            return -1
        self.end, position, kind = self._spans.pop()
        if kind == _TABLE_SPAN:
            self.close_hidden(_OPEN_TABLE)
        return self._after_heading(position) if kind == _HEADING_SPAN else position

    def _after_heading(self, position: int) -> int:
        """Where to go on after the line of a heading: the next line begins a paragraph, unless it is markup."""
        if self.source[position + 1 : position + 2] in _STARTS_AFTER_BREAK:
            return position
        self.pieces.append(BREAK)
        return position + 1

    def _as_text(self, found: re.Match[str]) -> int:
        """A token that is text after all."""
        self.pieces.append(found[0])
        return found.end()

    def _link_in_parts(self, found: re.Match[str]) -> int:
        """A whole link whose label has markup of its own: reads the label as any text."""
        target, label = found.group(1, 2)
        if not label:
            return self._link_without_label(found)
        self.push(Kind.LINK, found.start(), f"[[{target}|").name = target
        return found.start(2)

    def _link_without_label(self, found: re.Match[str]) -> int:
        """`[[target|]]`: the pipe trick, which is normally resolved when a page is saved."""
        kind, value, shown = self._targets[found[1]]
        self.pieces.append(pipe_trick(shown) + found[3])
        if kind == ARTICLE and value != self.title:
            self._mention(value, len(self.pieces) - 1)
        return found.end()

    def _mention(self, target: str, first: int) -> None:
        """Notes a link whose words are the pieces from `first` on."""
        last = len(self.pieces)
        self.mentions.append((target, "".join(self.pieces[first:last]), first, last))

    def _link_open(self, found: re.Match[str]) -> int:
        """The beginning of a link with brackets, braces or tags inside."""
        target, pipe = found.group(4, 5)
        if pipe and self._targets[target][0] == INVALID:
            self.pieces.append("[[")
            return found.start() + 2
        frame = self.push(Kind.LINK, found.start(), found[0])
        frame.name = target
        frame.count = 1 if pipe else 0  # 0: the target goes on with a template, so it is unknown
        return found.end()

    def _link_close(self, found: re.Match[str]) -> int:
        """`]]`, with the letters that join the link."""
        trail = found[7]
        if not self.stack or self.stack[-1].kind != Kind.LINK:
            self.is_blocked = self.is_blocked or bool(self.stack)
            return self._as_text(found)
        frame = self.pop()
        kind, value, _ = self._targets[frame.name] if frame.count else (VISIBLE, "", "")
        if kind > VISIBLE:
            self.drop(frame)
            if kind == CATEGORY:
                self.categories.append(value)
            self._last_link = frame.start
            return found.start(7)
        if self._last_link > frame.start:
            return self._as_text(found)  # a link in the label of a link: only the inner one is one
        self._last_link = frame.start
        self.pieces[frame.mark] = ""
        if not frame.count:
            self._blank_to_pipe(frame)
        end = found.end()
        if not trail and self.source.startswith("]", end) and "[" in "".join(self.pieces[frame.mark + 1 :]):
            trail, end = "]", end + 1  # [[a|[b]]]: the first bracket belongs to the label
        if trail:
            self.pieces.append(trail)
        if kind == ARTICLE and value != self.title:
            self._mention(value, frame.mark + 1)
        return end

    def _blank_to_pipe(self, frame: Frame) -> None:
        """Takes away the rest of a target that a template is part of."""
        pieces = self.pieces
        for index in range(frame.mark + 1, len(pieces)):
            before, pipe, after = pieces[index].partition("|")
            if pipe:
                pieces[frame.mark + 1 : index] = [""] * (index - frame.mark - 1)
                pieces[index] = after
                return
        pieces[frame.mark] = frame.name

    def _external(self, found: re.Match[str]) -> int:
        """`[http://... label]`: the label stays; without one there is only a number to see."""
        label = found[8]
        if not label:
            self.note_drop()
            return found.end()
        if _SPECIAL_IN_LABEL.search(label) is None:
            self.pieces.append(label)
            return found.end()
        self._spans.append((self.end, found.end(), _LABEL_SPAN))
        self.end = found.end(8)
        return found.start(8)

    def _table_open(self, found: re.Match[str]) -> int:
        """`{|` at the beginning of a line."""
        self._open_table(found.start(), found.end(), found[0])
        return found.end()

    def _open_table(self, start: int, after: int, opening: str) -> None:
        """Opens a table; one that is known to have no end reaches to an empty line before something that is no row."""
        if start not in self.literal:
            self.push(Kind.TABLE, start, opening)
        elif not self.open_tags.get(_OPEN_TABLE):
            stop = _END_OF_OPEN_TABLE.search(self.source, after, self.end)
            self._spans.append((self.end, stop.start() if stop else self.end, _TABLE_SPAN))
            self.end = self._spans[-1][1]
            self.open_hidden(_OPEN_TABLE, start)

    def _after_template(self, after: int) -> int:
        """Goes on after a template that was dropped; rows that follow it belong to a table that it opened."""
        self.note_drop()
        if not self.stack and self.source.startswith("\n|", after) and self.source[after + 2 : after + 3] not in "}|":
            self._open_table(after, after, "")
        return after

    def _table_close(self, found: re.Match[str]) -> int:
        """`|}` at the beginning of a line: the table and what it holds leave the text."""
        if not self.open_tables:
            self.is_blocked = self.is_blocked or bool(self.stack)
            return self._as_text(found)
        self.drop(self.pop_to(Kind.TABLE))
        self.pieces.append("\n")
        return found.end()

    def _heading(self, found: re.Match[str]) -> int:
        """A line between equals signs; its inside is read as text up to the closing signs."""
        source, start = self.source, found.start() + 1
        line_end = source.find("\n", start, self.end)
        line_end = self.end if line_end < 0 else line_end
        line = source[start:line_end].rstrip(" \t")
        inner = line.strip("=")
        level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
        if not inner:
            level = (len(line) - 1) // 2
        if level < 1:
            self.pieces.append("\n=")
            return found.end()
        while self.stack and self.stack[-1].kind == Kind.LINK:
            self.pop()  # no label reaches over a heading: the link is not closed
        first, last = start + level, start + len(line) - level
        while first < last and source[first] in " \t":
            first += 1
        while first < last and source[last - 1] in " \t":
            last -= 1
        self.pieces.append(HEADING)
        if _SPECIAL_IN_HEADING.search(source, first, last) is None:
            self.pieces.append(source[first:last])
            return self._after_heading(line_end)
        self._spans.append((self.end, line_end, _HEADING_SPAN))
        self.end = last
        return first

    def _template(self, found: re.Match[str]) -> int:
        """A whole template without brackets or braces inside: dropped here, or opened if its words are kept."""
        name = found[14]
        rule, is_disambiguation, _ = self._templates.find(name)
        self.is_disambiguation = self.is_disambiguation or is_disambiguation
        if rule is None or self.num_inline >= MAX_INLINE_DEPTH:
            return self._after_template(found.end())
        return self._open_inline(found.start(), name, self.source[found.end(14)] == "|")

    def _open_inline(self, start: int, name: str, has_pipe: bool) -> int:
        """Opens a template whose words are kept; where its first parameter begins, or its end."""
        frame = self.push(Kind.INLINE, start, "{{" + name)
        frame.name = name
        position = start + 2 + len(name)
        if has_pipe:
            position += 1
            self.pieces.append("|")
            frame.pipes.append((len(self.pieces) - 1, position))
        return position

    def _braces_open(self, found: re.Match[str]) -> int:
        """`{{` or more, of a template or a parameter with markup inside."""
        start, name_start = found.start(), found.start(17)
        if start in self.literal:
            self.pieces.append(self.source[start:name_start])
            return name_start
        name, pipe = found.group(17, 18)
        count = name_start - start
        if count == 2:
            rule, is_disambiguation, rest = self._templates.find(name)
            is_named = bool(pipe) or self.source.startswith("}}", found.end())
            self.is_disambiguation = self.is_disambiguation or (is_disambiguation and is_named)
            if rule is not None and (is_named or rest or name.endswith(":")) and self.num_inline < MAX_INLINE_DEPTH:
                return self._open_inline(start, name, bool(pipe))
        self.push(Kind.TEMPLATE, start, found[0]).count = count
        return found.end()

    def _braces_close(self, found: re.Match[str]) -> int:
        """`}}` or more: closes templates from the inside out, by MediaWiki's count of braces."""
        left = 2 + len(found[19])
        is_dropped = False
        while left >= 2 and self.open_templates:
            frame = self.pop_to(Kind.TEMPLATE, Kind.INLINE)
            if frame.kind == Kind.INLINE:
                left -= 2
                rule, _, rest = self._templates.find(frame.name)
                if rule is not None:
                    close_inline(self, frame, rule, rest, self.source, self.title)
                continue
            used = min(frame.count, left, 3)
            left -= used
            rest = frame.count - used
            self.drop(frame)
            is_dropped = True
            if rest >= 2:
                self.push(Kind.TEMPLATE, frame.start, "{" * rest).count = rest
            elif rest:
                self.pieces.append("{")
        if left:
            self.is_blocked = self.is_blocked or (left > 1 and bool(self.stack))
            self.pieces.append("}" * left)
            is_dropped = False
        return self._after_template(found.end()) if is_dropped else found.end()

    def _pipe(self, found: re.Match[str]) -> int:
        """A pipe while a template whose words are kept is open."""
        self.pieces.append("|")
        if self.stack and self.stack[-1].kind == Kind.INLINE:
            self.stack[-1].pipes.append((len(self.pieces) - 1, found.end()))
        return found.end()

    def _reference(self, found: re.Match[str]) -> int:
        """A reference with no link inside."""
        self.note_drop()
        return found.end()

    def _switch(self, found: re.Match[str]) -> int:
        """A word between double underscores."""
        word = found[24].lower()
        if word not in tokens.switches_of(self.site.language):
            return self._as_text(found)
        self.is_disambiguation = self.is_disambiguation or word == "disambig"
        self.note_drop()
        return found.end()

    def _variant(self, found: re.Match[str]) -> int:
        """Text in several scripts: the first one; what only declares a conversion is not shown."""
        flags, pipe, text = found[25].rpartition("|")
        if pipe and not {"A", "R", "D", "N", ""} >= set(flags.split(";")):
            return found.end()
        first = next((part for part in text.split(";") if part.strip()), "")
        name = _VARIANT_NAME.match(first)
        self.pieces.append(first[name.end() :] if name else text)
        return found.end()

    def unclosed(self) -> frozenset[int]:
        """Where what is still open began, if another scan with these as text would read the page better."""
        is_better = self.is_blocked or any(frame.kind > Kind.INLINE for frame in self.stack)
        return frozenset(f.start for f in self.stack if f.kind != Kind.LINK) if is_better else frozenset()
