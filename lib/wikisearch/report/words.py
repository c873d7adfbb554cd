"""Numbers as a reader of English likes them."""

from collections.abc import Sequence


def integer(number: int) -> str:
    """A count with commas.

    >>> integer(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def decimal(number: float | None, places: int) -> str:
    """A number with a fixed number of places; a dash where there is none.

    >>> decimal(1234.5, 2), decimal(None, 2)
    ('1,234.50', '–')
    """
    return "–" if number is None else f"{number:,.{places}f}"


def small(number: float) -> str:
    """A share whose size is far below 1, with four significant digits.

    >>> small(0.00012345)
    '1.234e-04'
    """
    return f"{number:.3e}"


def share(part: int, whole: int) -> str:
    """A part in per cent of the whole; a dash where there is no whole.

    >>> share(1, 8), share(0, 0)
    ('12.5 %', '–')
    """
    return f"{100 * part / whole:.1f} %" if whole else "–"


def duration(seconds: float) -> str:
    """Seconds with one place, and minutes from 100 seconds on.

    >>> duration(3.25), duration(754.0)
    ('3.2 s', '12 min 34 s')
    """
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{integer(minutes)} min {rest:02} s"


def size(num_bytes: int | None) -> str:
    """Bytes in the largest decimal unit that leaves at least 1; a dash where nobody measured.

    >>> size(999), size(36_548_940), size(None)
    ('999 B', '36.5 MB', '–')
    """
    if num_bytes is None:
        return "–"
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if num_bytes >= factor:
            return f"{num_bytes / factor:.1f} {unit}"
    return f"{num_bytes} B"


def listing(names: Sequence[str]) -> str:
    """Names with commas and a last 'and'; 'none' where there is none.

    >>> listing(["bm25", "tfidf", "fusion"]), listing([])
    ('bm25, tfidf and fusion', 'none')
    """
    *others, last = names or ["none"]
    return f"{', '.join(others)} and {last}" if others else last
