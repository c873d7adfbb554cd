"""Redirect pages: the word in every language, and the target."""

import re
from functools import lru_cache

from wikisearch.text.datafiles import language_chain, read_rows
from wikisearch.text.titles import Site, normalize_title

# Blank before the word, an optional colon after it, and a link; what follows the link is ignored.
_SHAPE = r"\s*+(?:%s)\s*+(?::\s*+)?\[\[:?\s*+([^\[\]{}|<>\n]{1,800}+)(?:\|[^\]\n]*+)?\]\]"


@lru_cache(maxsize=32)
def _pattern(language: str) -> re.Pattern[str]:
    """The head of a redirect page of a language."""
    words = [
        word
        for code, listed in read_rows("redirect_words.tsv")
        if code in ("*", *language_chain(language))
        for word in listed.split()
    ]
    marked = [word if word.startswith("＃") else f"#{word}" for word in dict.fromkeys(words)]
    return re.compile(_SHAPE % "|".join(map(re.escape, marked)), re.IGNORECASE)


def redirect_target(wikitext: str, site: Site) -> str | None:
    """Full title of the page that a redirect page leads to, without section; None for any other page.

    A redirect to another wiki leads to a title with that wiki's prefix, which no page of this one has.

    Args:
        wikitext: source text of a page; only its very start can make it a redirect.
        site: the wiki; its language says which words are known beside `#REDIRECT`.

    >>> redirect_target("#redirect [[lamp_guild#Origins]]", Site("en", False, {}))
    'Lamp guild'
    """
    found = _pattern(site.language).match(wikitext)
    if found is None:
        return None
    title = normalize_title(found[1], site)
    if title is None:
        return None
    return f"{title.interwiki}:{title.name}" if title.interwiki else title.full
