"""Which licence the text of a dump is under, from its wiki and its date."""

from urllib.parse import urlsplit

# Wikipedia's text was under the GFDL alone until its licence update of 15 June 2009 added CC BY-SA 3.0; the
# terms of use of 7 June 2023 moved it to CC BY-SA 4.0.
CC_BY_SA_3_SINCE = "2009-06-15"
CC_BY_SA_4_SINCE = "2023-06-07"

UNKNOWN = "The licence of this dump is not known here: see the dump's own terms."


def licence_notice(base_url: str | None, dump_date: str | None) -> str:
    """The licence notice that belongs to whatever is made from the text of a dump.

    Args:
        base_url: URL of the wiki's main page (`sites.base_url`); only Wikipedia's licences are known here.
        dump_date: YYYY-MM-DD (`sites.dump_date`).

    >>> licence_notice("https://en.wikipedia.org/wiki/Main_Page", None).endswith("see the dump's own terms.")
    True
    """
    host = _host(base_url or "")
    if not dump_date or not (host == "wikipedia.org" or host.endswith(".wikipedia.org")):
        return UNKNOWN
    if dump_date < CC_BY_SA_3_SINCE:
        terms = (
            "under the GNU Free Documentation License, version 1.2 or any later version: at the date of this "
            "dump it was the only licence of Wikipedia's text, with no Creative Commons licence beside it"
        )
    else:
        version = "4.0" if dump_date >= CC_BY_SA_4_SINCE else "3.0"
        terms = (
            f"under the Creative Commons Attribution-ShareAlike License {version} (CC BY-SA {version}); most "
            "of it is also under the GNU Free Documentation License (GFDL)"
        )
    return (
        f"Titles and text come from {host}, written by its contributors, whom the history of each page "
        f"names, {terms}. What is made from them stays under the same terms."
    )


def _host(url: str) -> str:
    """The host of a URL in small letters; empty where it has none or is no URL."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
