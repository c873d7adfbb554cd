"""Templates whose words are computed from their parameters: measures, dates, numbers, transcriptions.

Each rule takes the text of the parameters by name or number (`0` is what stands after the colon of a function, `#`
the template's own name) and the title of the page. `inline_templates.tsv` names them with an @.
"""

import re
from collections.abc import Callable, Mapping

# Signs, digits and fractions, then a digit and what may follow in a number: the digit is the first after the last
# ± or ~, so that nothing is tried twice.
_NUMBER = re.compile(
    r"(?>(?:[\s+\-−.,/\d\u00bc-\u00be\u2150-\u215e]*+[±~])*)[\s+\-−.,/\u00bc-\u00be\u2150-\u215e]*+"
    r"\d[\s\d.,/+×xe^\-−\u00bc-\u00be\u2150-\u215e]*+"
)
_CONNECTORS = frozenset({"-", "–", "to", "and", "or", "by", "x", "×", "+", "to(-)", "and(-)", "±", "+/-", "&"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]+)*")
_FILE = re.compile(r".*\.(?:ogg|oga|wav|mp3|flac|webm|opus)", re.IGNORECASE)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_MAX_PARAMETERS = 40

Values = Mapping[str, str]


def _numbered(values: Values) -> list[str]:
    """Parameters without names up to the first that is missing, trimmed."""
    found: list[str] = []
    for position in range(1, _MAX_PARAMETERS):
        value = values.get(str(position))
        if value is None:
            break
        found.append(value.strip())
    return found


def _convert(values: Values, _: str) -> str:
    """Numbers and units of a measure as they were given; the converted value is not computed.

    >>> _convert({"1": "5", "2": "ft", "3": "6", "4": "in", "5": "m"}, "")
    '5 ft 6 in'
    """
    given = _numbered(values)
    words: list[str] = []
    position = 0
    while position < len(given) and given[position]:
        word = given[position]
        words.append(word)
        position += 1
        if _NUMBER.fullmatch(word) is None and word not in _CONNECTORS:
            pair = given[position : position + 2]
            if len(pair) < 2 or _NUMBER.fullmatch(pair[0]) is None or not pair[1] or _NUMBER.fullmatch(pair[1]):
                break  # what follows is the unit that is converted to, or a precision
    return " ".join(words).replace(" - ", "–").replace(" – ", "–")


def _fraction(values: Values, _: str) -> str:
    """A fraction on one line."""
    given = [values[key].strip() for key in ("1", "2", "3") if values.get(key, "").strip()]
    if len(given) == 1:
        return f"1/{given[0]}"
    return f"{given[0]} {given[1]}/{given[2]}" if len(given) == 3 else "/".join(given)


def _val(values: Values, _: str) -> str:
    """A number with its uncertainty, power of ten and unit.

    >>> _val({"1": "1.2", "2": "0.1", "e": "5", "u": "m"}, "")
    '1.2±0.1×10^5 m'
    """
    number, uncertainty = values.get("1", "").strip(), values.get("2", "").strip()
    power = values.get("e", "").strip()
    unit = next((values[key].strip() for key in ("u", "ul", "up", "upl") if values.get(key, "").strip()), "")
    text = number + (f"±{uncertainty}" if uncertainty else "") + (f"×10^{power}" if power else "")
    return f"{text} {unit}" if unit else text


def _date(values: Values, _: str) -> str:
    """A date given as year, month and day, as English readers see it; any other as it was given.

    >>> _date({"1": "1990", "2": "5", "3": "2"}, ""), _date({"1": "1990", "2": "05", "3": "2", "df": "y"}, "")
    ('May 2, 1990', '2 May 1990')
    """
    given = _numbered(values)
    if not given or not all(word.isdecimal() for word in given[:3]) or len(given[0]) < 3:
        return " ".join(word for word in given if word)
    year, month, day = [*given[:3], "", ""][:3]
    if not month or not 1 <= int(month[:3]) <= 12:
        return year
    name = _MONTHS[int(month[:3]) - 1]
    if not day:
        return f"{name} {year}"
    day = day.lstrip("0")
    return f"{day} {name} {year}" if values.get("df", "").strip() else f"{name} {day}, {year}"


def _as_of(values: Values, title: str) -> str:
    """`As of May 2010`."""
    words = "as of" if values.get("lc", "").strip() else "As of"
    if values.get("since", "").strip():
        words = "since" if words == "as of" else "Since"
    given = {**values, "df": values.get("df", "y") or "y"}
    return values.get("alt", "").strip() or f"{words} {_date(given, title)}"


def _ipa(values: Values, _: str) -> str:
    """A transcription: the first parameter, or the second after a language code."""
    first, second = values.get("1", "").strip(), values.get("2", "").strip()
    return second if second and _LANGUAGE.fullmatch(first) else first


def _ipa_parts(values: Values, _: str) -> str:
    """A transcription given sound by sound, without words about it and names of sound files."""
    sounds = [word for word in _numbered(values) if not _FILE.fullmatch(word)]
    while sounds and sounds[0].isascii() and len(sounds[0]) > 3 and sounds[0].isalpha():
        sounds.pop(0)  # `pron`, `lang`, `local` and the like
    joined = "".join(sound if sound != "_" else " " for sound in sounds)
    return f"/{joined}/" if joined else ""


def _ship(values: Values, _: str) -> str:
    """A ship's prefix and name."""
    return " ".join(word for word in (values["#"].upper(), values.get("1", "")) if word)


def _argument(change: Callable[[str], str]) -> Callable[[Values, str], str]:
    """A rule that changes what stands after the colon of a function."""
    return lambda values, _: change(values.get("0", values.get("1", "")).strip())


COMPUTED: dict[str, Callable[[Values, str], str]] = {
    "convert": _convert,
    "fraction": _fraction,
    "val": _val,
    "date": _date,
    "as of": _as_of,
    "ipa": _ipa,
    "ipa parts": _ipa_parts,
    "title": lambda _, title: title,
    "ship": _ship,
    "lower": _argument(str.lower),
    "upper": _argument(str.upper),
    "lower first": _argument(lambda text: text[:1].lower() + text[1:]),
    "upper first": _argument(lambda text: text[:1].upper() + text[1:]),
}

# Rules that read what stands after the colon of a parser function.
FUNCTIONS = frozenset({"lower", "upper", "lower first", "upper first"})
