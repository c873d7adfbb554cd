"""What becomes of a template in running text: dropped, or a part of its parameters kept; and kinds of pages.

No template is expanded: that would need the template pages. A small table (`inline_templates.tsv`) says which
parameters of those that stand within sentences are the words that readers see.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from wikisearch.text.computed_templates import COMPUTED, FUNCTIONS
from wikisearch.text.datafiles import language_chain, read_rows
from wikisearch.text.titles import Site, split_prefix

# What a page is. Where several are said, the first of these holds.
DISAMBIGUATION, SET_INDEX, SOFT_REDIRECT, ARTICLE = "disambiguation", "set_index", "soft_redirect", "article"
KINDS = (DISAMBIGUATION, SET_INDEX, SOFT_REDIRECT, ARTICLE)

TEMPLATE = 10  # number of the namespace of templates

_PART = re.compile(
    r"\[([^\[\]{}?]*)\?([^\[\]{}]+)\]|\[([^\[\]{}]*)\{([^}]+)\}([^\[\]{}]*)\]|\{([^}]+)\}|([^{}\[\]]+)"
)
# `@pipe` in the table and the like: what its own syntax, or blanks at the end of a line, would hide.
_CONSTANTS = {"pipe": "|", "space": " ", "spaced dash": " – "}
_MAX_KEPT = 1 << 12  # names whose meaning is kept
_MAX_KEPT_NAME = 60  # characters; longer ones are met once
_MAX_PREFIXES = 5  # `subst:`, `msg:` and the like and the namespace, before one name
_MODIFIERS = frozenset({"subst", "safesubst", "msg", "msgnw", "raw"})  # words before the colon that change no name


@dataclass(frozen=True)
class Part:
    """A stretch of what is kept: parameter names to try in order, and the literals around it.

    A literal without parameters may need others to be given: all of one of the groups that it needs.
    """

    names: tuple[str, ...]
    before: str = ""
    after: str = ""
    needs: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class InlineRule:
    """What is kept of one template: parts in order, or the name of a rule in `COMPUTED`.

    A name that is none there is an error of the table, told when it is read.
    """

    parts: tuple[Part, ...] = ()
    computed: str = ""

    @cached_property
    def is_function(self) -> bool:
        """Whether it reads what stands after the colon of its name."""
        return self.computed in FUNCTIONS or any("0" in part.names for part in self.parts)

    @cached_property
    def constant(self) -> str | None:
        """What the template always shows; None where that depends on its parameters."""
        if self.computed or any(part.names or part.needs for part in self.parts):
            return None
        return "".join(part.before for part in self.parts)


def parse_rule(rule: str) -> InlineRule:
    """The rule that a line of `inline_templates.tsv` writes.

    >>> parse_rule("{1}[ ({2})]").parts[1]
    Part(names=('2',), before=' (', after=')')
    """
    if rule[1:] in _CONSTANTS:
        return InlineRule((Part((), _CONSTANTS[rule[1:]]),))
    if rule.startswith("@"):
        if rule[1:] not in COMPUTED:
            raise ValueError(f"inline_templates.tsv: no rule is called {rule}")
        return InlineRule(computed=rule[1:])
    parts: list[Part] = []
    literal = ""
    for found in _PART.finditer(rule):
        literal_if, needs, before, optional, after, plain, text = found.groups()
        if needs is not None:
            if literal:
                parts.append(Part((), literal))
            groups = tuple(tuple(group.split("&")) for group in needs.split("|"))
            parts.append(Part((), literal_if, needs=groups))
            literal = ""
        elif text is not None:
            literal += text
        elif optional is not None:
            if literal:
                parts.append(Part((), literal))
            parts.append(Part(tuple(optional.split("|")), before, after))
            literal = ""
        else:
            parts.append(Part(tuple(plain.split("|")), literal))
            literal = ""
    return InlineRule((*parts, Part((), literal)) if literal else tuple(parts))


# The rule of an inline template or None, the kind of page it marks, what stands after a function's colon.
TemplateMeaning = tuple[InlineRule | None, str, str]


class TemplateRules:
    """The template tables of one site: what to keep of a template, and which say what a page is."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[str, TemplateMeaning] = {}
        self._exact: dict[str, InlineRule] = {}
        self._endings: dict[str, InlineRule] = {}
        chain = ("*", *language_chain(site.language))
        for code in chain:
            for language, names, rule in read_rows("inline_templates.tsv"):
                if language == code:
                    self._add(names.lower(), parse_rule(rule))
        self._kinds = {
            name: kind
            for kind, code, names in read_rows("page_kinds.tsv")
            if code in chain
            for name in names.lower().split("|")
        }
        words = [listed for code, listed in read_rows("disambiguation_titles.tsv") if code in chain]
        self._title = re.compile(rf".*\((?:{'|'.join(words)})\)", re.IGNORECASE | re.DOTALL)

    def _add(self, names: str, rule: InlineRule) -> None:
        for name in names.split("|"):
            if name.endswith("-") and len(name) > 1:
                self._endings[name] = rule
            else:
                self._exact[name] = rule

    def normal_name(self, raw: str) -> str:
        """A template's name as the tables write it: lower case, blanks single, without namespace and `subst:`."""
        name = " ".join(raw.replace("_", " ").split()).lower()
        for _ in range(_MAX_PREFIXES):
            before, colon, after = name.partition(":")
            if not colon or (before not in _MODIFIERS and split_prefix(name, self._site)[0] != TEMPLATE):
                break
            name = after.lstrip()
        return name

    def find(self, raw: str) -> TemplateMeaning:
        """What a template's name means; answers for names that may come again are kept.

        Args:
            raw: what stands between `{{` and the first pipe.

        Returns:
            The rule of an inline template or None, the kind of page that the template marks or nothing, and, for a
            parser function (`formatnum:5`), what stands after its colon.
        """
        known = self._known.get(raw)
        if known is None:
            known = self._found(raw)
            if len(raw) <= _MAX_KEPT_NAME:
                if len(self._known) >= _MAX_KEPT:
                    self._known.clear()
                self._known[raw] = known
        return known

    def _found(self, raw: str) -> TemplateMeaning:
        """What any name means."""
        name = self.normal_name(raw)
        if name in self._kinds:
            return None, self._kinds[name], ""
        rule = self._exact.get(name)
        if rule is not None:
            return rule, "", ""
        function, colon, rest = name.partition(":")
        if colon:
            rule = self._exact.get(function)
            if rule is not None and rule.is_function:
                return rule, "", raw.partition(":")[2] if rest else ""
            return None, "", ""
        for dash in (m.end() for m in re.finditer("-", name[:24])):
            rule = self._endings.get(name[:dash])
            if rule is not None:
                return rule, "", ""
        return None, "", ""

    def is_disambiguation_title(self, title: str) -> bool:
        """Whether a title says itself that its page lists meanings."""
        return title.endswith(")") and self._title.fullmatch(title) is not None


@lru_cache(maxsize=32)
def rules_of(site: Site) -> TemplateRules:
    """The template tables of a site."""
    return TemplateRules(site)
