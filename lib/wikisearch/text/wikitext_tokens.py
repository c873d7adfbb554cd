"""The one regular expression that finds the markup in wikitext, and the tables of tags.

The pattern is an alternation in which every branch begins with a literal: Python's engine then skips plain text
by a table of first characters. No branch starts with a blank or `^` (that halves the speed). Each branch ends
with the group whose number names it, so that `match.lastindex` is the kind of token. Repetitions are possessive
and stop at the characters that open other markup, so that stretches looked at in vain never overlap: hostile
input stays linear.
"""

import re
from functools import lru_cache

from wikisearch.text.datafiles import language_chain, read_rows
from wikisearch.text.titles import PLAIN_TARGET

# Kinds of token: the number of the last group of its branch.
(LINK, LINK_OPEN, BRACKETS, LINK_CLOSE, EXTERNAL, QUOTED, QUOTES, TABLE_OPEN, TABLE_CLOSE, LINE) = (
    4, 6, 7, 8, 9, 11, 12, 13, 14, 15)  # fmt: skip
(HEADING, TEMPLATE, BRACES_OPEN, BRACES_CLOSE, ENTITY, REFERENCE, TAG, SWITCH, VARIANT, PIPE, CELL) = (
    16, 18, 21, 22, 23, 24, 26, 27, 28, 29, 30)  # fmt: skip


class Mode:
    """What is markup beside what always is. Plain integers: enum members are slow."""

    PLAIN = 0
    PIPES = 1  # in a template whose words are kept
    CELLS = 2  # in a table whose text is kept



_SCHEMES = (
    r"(?:(?:https?|ftps?|ircs?|gopher|telnet|nntp|git|svn|ssh|mms|worldwind|redis|gemini)://"
    r"|mailto:|news:|magnet:|urn:|geo:|sip:|tel:|xmpp:|//)"
)

_ADDRESS = re.compile(_SCHEMES.replace("|//", ""), re.IGNORECASE)

# Groups are repeated in (?>…): `(…)*+` is what Python before 3.11.5 gets wrong (gh-106052), `[…]*+` is not.
_BRANCHES = (
    # A target of plain words has a group of its own: it needs no more rules than the case of its first letter.
    rf"\[\[(?:({PLAIN_TARGET})(?=[|\]])|([^\[\]{{}}|<>\n]*+))(?>(?:\|([^\[\]{{}}<]*+))?)\]\](TRAIL)",
    r"\[\[([^\[\]{}|<>\n]*+)(\||(?=\{\{))",
    r"\[\[(?=\[)()",
    r"\]\](TRAIL)",
    rf"\[{_SCHEMES}[^\s\[\]<>\"]++[ \t]*+([^\[\]\n]*+(?>(?:\[\[[^\[\]\n]*+\]\][^\[\]\n]*+)*))\]",
    # A whole bold or italic stretch of plain words.
    r"''('?)((?>(?:[^'\n\[\]{}|<&]++|'(?!'))+))''\10(?!')",
    r"''('*+)",
    r"\n[ \t:*#;]*+\{\|(?!\})()",
    r"\n[ \t]*+\|\}(?!\})()",
    r"\n(?:[*#:;]++|-----*+)[ \t]*+()",
    r"\n=(?=[^\n]*=[ \t]*+(?:\n|\Z))()",
    r"\{\{([^{}|<>\[\]]*+)(?>(?:\|[^{}<\[\]]*+)?)\}\}()",
    r"\{\{(\{*+)([^{}|<>\[\]]*+)(\|?)",
    r"\}\}(\}*+)",
    r"&(?:#[0-9]++|#[xX][0-9a-fA-F]++|[A-Za-z][A-Za-z0-9]*+);()",
    r"<ref(?>(?:\s[^<>]*+)?)(?:(?<=/)>|>[^<\[{]*+(?>(?:\{\{[^{}\[<]*+\}\}[^<\[{]*+)*)</ref\s*+>)()",
    r"<(/?[A-Za-z][A-Za-z0-9]*+)([^<>]*+)>",
    r"__([^\W_]++(?>(?:_[^\W_]++)*))__",
)
# Chinese and other wikis with several scripts: -{zh-hans:A; zh-hant:B}-, one text in brackets.
_VARIANT = r"-\{([^{}\[\]<\n]*+)\}-"

_NEVER = r"\x00(?!)()"  # keeps the numbers of the groups, and begins with a literal as all branches do
_PIPE = r"\|()"
# A row, a caption or a cell with its attributes; cells within a line.
_ATTRIBUTES = r"(?>(?:[^\n|!\[\]{}<]*+\|(?!\|))?)"
_CELL = (
    rf"(?:\n[ \t]*+(?:\|-[^\n]*+|\|\+{_ATTRIBUTES}|\|(?!\}}){_ATTRIBUTES}|!{_ATTRIBUTES})"
    rf"|\|\|{_ATTRIBUTES}|!!{_ATTRIBUTES})[ \t]*+()"
)

_WITH_VARIANTS = frozenset({"zh", "gan", "wuu", "sr", "sh", "kk", "ku", "iu", "uz", "shi", "crh"})

# Between tags of these names nothing is markup. The text of VERBATIM is kept as it stands, that of others dropped.
OPAQUE = frozenset({"math", "nowiki", "pre", "source", "syntaxhighlight", "score", "timeline", "hiero", "chem",
                    "ce", "graph", "templatedata", "mapframe", "maplink", "templatestyles", "includeonly",
                    "phonos", "categorytree", "inputbox", "dynamicpagelist", "quiz"})  # fmt: skip
VERBATIM = frozenset({"nowiki", "pre", "source", "syntaxhighlight"})
# The text between these is dropped, links in it are kept as mentions outside the text.
HIDDEN = frozenset({"ref", "references", "gallery", "imagemap", "table"})
# Tags that vanish, their content stays. What is in none of these tables is text.
INLINE_TAGS = frozenset({"b", "i", "u", "s", "strike", "del", "ins", "em", "strong", "small", "big", "sub", "sup",
                         "tt", "code", "kbd", "samp", "var", "span", "font", "cite", "abbr", "dfn", "q", "bdi",
                         "bdo", "mark", "time", "data", "ruby", "rb", "rp", "rt", "rtc", "wbr", "noinclude",
                         "onlyinclude", "section", "translate", "tvar", "langconvert", "indicator",
                         "meta", "link"})  # fmt: skip
BLOCK_TAGS = frozenset({"br", "p", "div", "center", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "hr", "h1",
                        "h2", "h3", "h4", "h5", "h6", "poem", "caption", "thead", "tbody", "tfoot", "tr", "td",
                        "th", "col", "colgroup", "figure", "figcaption", "rss"})  # fmt: skip

_COMMENT_OR_OPAQUE = re.compile(
    r"<(?:!--|(nowiki|pre|source|syntaxhighlight|math)(?>(?:\s[^<>]*+)?)(?<!/)>)", re.IGNORECASE
)


@lru_cache(maxsize=64)
def trail_of(language: str) -> str:
    """Regular expression of the letters after a link that belong to it."""
    by_language = {code: pattern for code, pattern in read_rows("link_trails.tsv")}  # noqa: C416, rows are wider
    for code in reversed(language_chain(language)):
        if code in by_language:
            return by_language[code]
    return by_language["*"]


@lru_cache(maxsize=64)
def link_prefix(language: str) -> re.Pattern[str] | None:
    """Pattern of a letter before a link that belongs to it; None in languages without any."""
    chain = language_chain(language)
    found = [letters for code, letters in read_rows("link_prefixes.tsv") if code in chain]
    return re.compile(f"[{found[-1]}]") if found else None


@lru_cache(maxsize=64)
def token_pattern(language: str, mode: int) -> re.Pattern[str]:
    """The pattern of one language's markup."""
    branches = list(_BRANCHES)
    branches.append(_VARIANT if language_chain(language)[0] in _WITH_VARIANTS else _NEVER)
    if mode == Mode.PIPES:
        branches.append(_PIPE)
    elif mode == Mode.CELLS:
        branches += (_NEVER, _CELL)
    return re.compile("|".join(branches).replace("TRAIL", trail_of(language)))


@lru_cache(maxsize=64)
def switches_of(language: str) -> frozenset[str]:
    """Words that are behaviour switches between double underscores, in lower case."""
    chain = ("*", *language_chain(language))
    return frozenset(word for code, words in read_rows("switches.tsv") if code in chain for word in words.split())


@lru_cache(maxsize=64)
def closing_tag(name: str) -> re.Pattern[str]:
    """Pattern of the closing tag of a name in lower case."""
    return re.compile(rf"</{re.escape(name)}\s*+>", re.IGNORECASE)


def is_address(target: str) -> bool:
    """Whether a link target is an address of the web: double brackets around one are no link of the wiki."""
    return ":" in target and _ADDRESS.match(target) is not None


class Places:
    """Where a pattern is found next; asked in ascending order, it looks at no stretch of the text twice."""

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text = text
        self._pattern = pattern
        self._searched = len(text) + 1  # the last search began here, and found the place or nothing
        self._place: tuple[int, int] | None = None

    def after(self, position: int) -> tuple[int, int] | None:
        """Start and end of the first match that begins at or after a position; None if there is none."""
        if position < self._searched or (self._place is not None and self._place[0] < position):
            found = self._pattern.search(self._text, position)
            self._searched, self._place = position, found.span() if found else None
        return self._place


class Closers:
    """Where the next closing tag of a name stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: dict[str, Places] = {}

    def after(self, name: str, position: int) -> tuple[int, int] | None:
        """Start and end of the first closing tag of a name at or after a position; None if there is none."""
        places = self._places.get(name)
        if places is None:
            places = self._places[name] = Places(self._text, closing_tag(name))
        return places.after(position)


def without_comments(text: str) -> str:
    """The text without HTML comments.

    One that is alone on its line goes with the line; an unclosed one reaches to the end of the page. As in
    MediaWiki's preprocessor, what stands in nowiki, pre and the like opens no comment.
    """
    if "<!--" not in text:
        return text
    closers = Closers(text)
    kept: list[str] = []
    last = position = 0
    while (found := _COMMENT_OR_OPAQUE.search(text, position)) is not None:
        start, position = found.span()
        if found[1] is not None:
            close = closers.after(found[1].lower(), position)
            position = close[1] if close else position
            continue
        end = text.find("-->", position)
        end = len(text) if end < 0 else end + 3
        head = start
        while head > last and text[head - 1] in " \t":
            head -= 1
        tail = end
        while tail < len(text) and text[tail] in " \t":
            tail += 1
        if text[head - 1 : head] in ("\n", "") and text[tail : tail + 1] == "\n":
            start, end = head, tail + 1
        kept.append(text[last:start])
        last = position = end
    kept.append(text[last:])
    return "".join(kept)
