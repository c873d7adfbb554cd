"""What a link target means on one site: an article, something visible that is no article, or nothing to see."""

import re
from functools import lru_cache

from wikisearch.text.titles import (
    CATEGORY_NAMESPACE,
    FILE_NAMESPACE,
    MAX_TITLE_BYTES,
    Site,
    decode_target,
    interlanguage_prefixes,
    normalize_title,
)
from wikisearch.text.wikitext_tokens import is_address

_NAMESPACE = re.compile(r"\A(?::[^:|]*+:|[^:|]*+:)")
_COMMA = re.compile("[,，]")


# What becomes of a link; kinds up to VISIBLE leave their words in the text. Plain integers: enum members are slow.
ARTICLE, VISIBLE, CATEGORY, HIDDEN, INVALID = range(5)


# A target as one site reads it: kind, title of the article or name of the category, words shown without a label.
LinkTarget = tuple[int, str, str]


def pipe_trick(target: str) -> str:
    """The words of a link whose label was left empty: its target without namespace, brackets and after a comma.

    >>> pipe_trick("Help:Gate (door)"), pipe_trick("Larch, Ohio")
    ('Gate', 'Larch')
    """
    words = _NAMESPACE.sub("", target[:MAX_TITLE_BYTES], count=1).strip()
    for opening, closing in ("()", "（）"):
        if words.endswith(closing):
            before, bracket, inside = words[:-1].rpartition(opening)
            if bracket and closing not in inside:
                words = before.rstrip()
                break
    return words if words != target.strip() else _COMMA.split(words, maxsplit=1)[0]


_MARGIN: LinkTarget = (HIDDEN, "", "")
_MAX_KEPT = 1 << 14


class LinkReader(dict[str, LinkTarget]):
    """Targets as written to their meaning on one site; answers for targets that may come again are kept.

    A dictionary that fills itself: the scanner asks once for each link, and this is the fastest way to be asked.
    """

    def __init__(self, site: Site) -> None:
        super().__init__()
        self._site = site
        self._languages = interlanguage_prefixes(site)

    def __missing__(self, raw: str) -> LinkTarget:
        if ":" in raw and raw.partition(":")[0] in self._languages:
            return _MARGIN  # each of these is met once
        target = _link_target(self._site, raw)
        if len(self) >= _MAX_KEPT:
            self.clear()
        self[raw] = target
        return target


def _link_target(site: Site, raw: str) -> LinkTarget:
    """What any target means."""
    shown = decode_target(raw)
    shown = shown.lstrip().removeprefix(":") if shown.lstrip().startswith(":") else shown
    title = None if is_address(raw) else normalize_title(raw, site)
    if title is None:
        stripped = raw.strip(" _").removeprefix(":")
        is_section = stripped.startswith("#") and len(stripped) > 1
        return (VISIBLE if is_section else INVALID), "", shown
    if title.interwiki:
        return (HIDDEN if title.is_interlanguage else VISIBLE), "", shown
    if title.namespace == 0:
        return ARTICLE, title.name, shown
    if title.has_leading_colon or title.namespace not in (FILE_NAMESPACE, CATEGORY_NAMESPACE):
        return VISIBLE, "", shown
    return (CATEGORY if title.namespace == CATEGORY_NAMESPACE else HIDDEN), title.name, shown


@lru_cache(maxsize=8)
def link_reader(site: Site) -> LinkReader:
    """The reader of a site's targets."""
    return LinkReader(site)
