"""Names of measures: the spelling of ir_measures, parsed into values.

`nDCG@10` is nDCG of the first ten documents, `P(rel=2)@5` is precision where only grades of 2 and more count
as relevant (MacAvaney, Macdonald & Ounis, Streamlining Evaluation with ir-measures, ECIR 2022).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from wikisearch.errors import UsageError

DEFAULT_MEASURES = ("nDCG@5", "nDCG@10", "nDCG@20", "P@5", "P@10", "P@20", "AP", "RR", "R@100")


@dataclass(frozen=True)
class _Kind:
    """What may follow a measure's name: a cutoff or not, and parameters (all are integers from 1)."""

    cutoff: str
    params: tuple[str, ...] = ("rel",)

    def spelling(self, name: str) -> str:
        """How the measure may be written, for messages."""
        params = f"[({','.join(f'{param}=N' for param in self.params)})]" if self.params else ""
        return name + params + _CUTOFF_SHOWN[self.cutoff]


_REQUIRED, _OPTIONAL, _NONE = "required", "optional", "none"
_CUTOFF_SHOWN = MappingProxyType({_REQUIRED: "@k", _OPTIONAL: "[@k]", _NONE: ""})

_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "nDCG": _Kind(_OPTIONAL, ()),
        "P": _Kind(_REQUIRED),
        "R": _Kind(_REQUIRED),
        "AP": _Kind(_OPTIONAL),
        "RR": _Kind(_OPTIONAL),
        "Rprec": _Kind(_NONE),
        "Success": _Kind(_REQUIRED),
        "Bpref": _Kind(_NONE),
    }
)

# Other names of ir_measures for the same measures.
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "NDCG": "nDCG",
        "Precision": "P",
        "Recall": "R",
        "MAP": "AP",
        "MRR": "RR",
        "RPrec": "Rprec",
        "BPref": "Bpref",
    }
)

_DEFAULT_LEVEL = 1
_SPELLING = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:\((?P<params>[^()]*)\)\s*)?(?:@\s*(?P<cutoff>[1-9][0-9]{0,8})\s*)?",
    re.ASCII,
)
_PARAM = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>[1-9][0-9]{0,8})\s*", re.ASCII)


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes:
        name: its name in ir_measures, never an alias.
        cutoff: how many documents of a ranked list count; None for all of them.
        params: parameters that differ from their defaults, by name, in the order of the names.
    """

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, int], ...] = ()

    @property
    def level(self) -> int:
        """The smallest grade that counts as relevant."""
        return dict(self.params).get("rel", _DEFAULT_LEVEL)

    def __str__(self) -> str:
        """The one spelling of the measure.

        >>> str(parse_measure("MAP(rel=2) @ 100"))
        'AP(rel=2)@100'
        """
        params = ",".join(f"{name}={value}" for name, value in self.params)
        return (
            self.name + (f"({params})" if params else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")
        )


def known_measures() -> str:
    """The spellings that `parse_measure` takes, for messages: `nDCG[@k], P[(rel=N)]@k, ...`."""
    return ", ".join(kind.spelling(name) for name, kind in _KINDS.items())


def _unusable(spelling: str, fault: str) -> UsageError:
    return UsageError(f"measure '{spelling}': {fault}; the known ones are: {known_measures()}")


def _parsed_params(spelling: str, name: str, text: str) -> tuple[tuple[str, int], ...]:
    params: dict[str, int] = {}
    for part in text.split(",") if text.strip() else ():
        match = _PARAM.fullmatch(part)
        if match is None:
            raise _unusable(spelling, f"expected parameter=number (from 1), got '{part.strip()}'")
        if match["name"] not in _KINDS[name].params:
            raise _unusable(spelling, f"{name} has no parameter '{match['name']}'")
        if match["name"] in params:
            raise _unusable(spelling, f"parameter '{match['name']}' is given twice")
        params[match["name"]] = int(match["value"])
    if params.get("rel") == _DEFAULT_LEVEL:
        del params["rel"]
    return tuple(sorted(params.items()))


def parse_measure(spelling: str) -> Measure:
    """The measure that a spelling of ir_measures names.

    >>> parse_measure("P(rel=2)@5")
    Measure(name='P', cutoff=5, params=(('rel', 2),))
    >>> parse_measure("NDCG@10") == parse_measure("nDCG@10")
    True

    Args:
        spelling: such as `nDCG@10`, `AP`, `P(rel=2)@5`; blanks and ir_measures' aliases (`MAP`) are allowed.

    Raises:
        UsageError: the measure, its parameter or its cutoff is not known; the message lists the known ones.
    """
    match = _SPELLING.fullmatch(spelling)
    if match is None:
        raise _unusable(spelling, "is not written as a measure, with numbers from 1")
    name = _ALIASES.get(match["name"], match["name"])
    if name not in _KINDS:
        raise _unusable(spelling, f"there is no measure '{match['name']}'")
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    if cutoff is None and _KINDS[name].cutoff == _REQUIRED:
        raise _unusable(spelling, f"{name} needs a cutoff, as in {name}@10")
    if cutoff is not None and _KINDS[name].cutoff == _NONE:
        raise _unusable(spelling, f"{name} takes no cutoff")
    return Measure(name, cutoff, _parsed_params(spelling, name, match["params"] or ""))


def parse_measures(spellings: Iterable[str]) -> tuple[Measure, ...]:
    """The measures that some spellings name, in their order, each once.

    Raises:
        UsageError: one is not known, or there is none.
    """
    measures = tuple(dict.fromkeys(parse_measure(spelling) for spelling in spellings))
    if not measures:
        raise UsageError(f"no measure is given; the known ones are: {known_measures()}")
    return measures
