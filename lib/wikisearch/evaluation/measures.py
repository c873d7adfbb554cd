"""Names of measures: the spelling of ir_measures, parsed by its own parser, with the family that defines each.

`nDCG@10` is nDCG of the first ten documents, `P(rel=2)@5` is precision where only grades of 2 and more count
as relevant (MacAvaney, Macdonald & Ounis, Streamlining Evaluation with ir-measures, ECIR 2022). Tools mean
different things by one name, so that every measure belongs to a family, whose name may stand before it:
`gdeval:nDCG@20`, `letor:nDCG@10`. Without it `ERR@20` and `nDCG(dcg='exp-log2')@20` are gdeval's, RBP and
Judged are ir_measures', and all others trec_eval's.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import ir_measures

from wikisearch.errors import UsageError

DEFAULT_MEASURES = ("nDCG@5", "nDCG@10", "nDCG@20", "P@5", "P@10", "P@20", "AP", "RR", "R@100")
FAMILIES = TREC_EVAL, GDEVAL, LETOR, IR_MEASURES = "trec_eval", "gdeval", "letor", "ir_measures"

Param = int | float | bool


@dataclass(frozen=True)
class _Param:
    """A parameter: its default, what may be given for it, and how messages write it."""

    default: Param
    is_valid: Callable[[object], bool]
    shown: str


@dataclass(frozen=True)
class _Kind:
    """What may follow a measure's name: a cutoff (or level of recall) or not, and parameters."""

    cutoff: str
    params: tuple[str, ...] = ("rel",)

    def spelling(self, name: str) -> str:
        """How the measure may be written, for messages."""
        params = f"[({','.join(_PARAMS[param].shown for param in self.params)})]" if self.params else ""
        return name + params + _CUTOFF_SHOWN[self.cutoff]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


_REQUIRED, _OPTIONAL, _NONE, _RECALL = "required", "optional", "none", "recall"
_PARAMS: Mapping[str, _Param] = MappingProxyType(
    {
        "rel": _Param(1, _is_count, "rel=N"),
        "p": _Param(0.8, lambda value: isinstance(value, float) and 0 < value < 1, "p=0.8"),
        # Powers of two up to 2^30 are exact and far from what a grade may be.
        "max_grade": _Param(4, lambda value: _is_count(value) and value <= 30, "max_grade=N"),  # type: ignore[operator]
        _RECALL: _Param(-1.0, _is_share, "IPrec@0.1"),
        "padded": _Param(False, lambda value: isinstance(value, bool), "padded=True"),
    }
)
_CUTOFF_SHOWN = MappingProxyType({_REQUIRED: "@k", _OPTIONAL: "[@k]", _NONE: "", _RECALL: "@0.1"})
# Blanks that end a measure: none in parentheses, none beside a sign that must be between two parts.
_BLANKS_BETWEEN = re.compile(r"(?<![@:(\s])\s+(?![@:(\s])(?![^()]*\))")
_MEAN_NDCG = "MeanNDCG"  # of LETOR's script; ir_measures does not know it
_EXPONENTIAL = "exp-log2"  # ir_measures' name of gdeval's gain and discount

_KINDS: Mapping[str, Mapping[str, _Kind]] = MappingProxyType(
    {
        TREC_EVAL: {
            "nDCG": _Kind(_OPTIONAL, ()),
            "P": _Kind(_REQUIRED),
            "R": _Kind(_REQUIRED),
            "AP": _Kind(_OPTIONAL),
            "RR": _Kind(_OPTIONAL),
            "Rprec": _Kind(_NONE),
            "Success": _Kind(_REQUIRED),
            "Bpref": _Kind(_NONE),
            "infAP": _Kind(_NONE),
            "IPrec": _Kind(_RECALL),
        },
        GDEVAL: {"nDCG": _Kind(_OPTIONAL, ()), "ERR": _Kind(_OPTIONAL, ("max_grade",))},
        LETOR: {
            "nDCG": _Kind(_REQUIRED, ("padded",)),
            _MEAN_NDCG: _Kind(_NONE, ()),
            "P": _Kind(_REQUIRED, ()),
            "AP": _Kind(_NONE, ()),
        },
        IR_MEASURES: {"RBP": _Kind(_OPTIONAL, ("p", "rel")), "Judged": _Kind(_REQUIRED, ())},
    }
)


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes:
        family: whose definition it has; one of `FAMILIES`.
        name: its name in ir_measures, never an alias; or `MeanNDCG`.
        cutoff: how many documents of a ranked list count; None for all of them.
        params: parameters that differ from their defaults, by name, in the order of the names.
    """

    family: str
    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, Param], ...] = ()

    def param(self, name: str) -> Param:
        """The value of a parameter that the measure has, or its default."""
        return dict(self.params).get(name, _PARAMS[name].default)

    @property
    def level(self) -> int:
        """The smallest grade that counts as relevant."""
        return int(self.param("rel"))

    @property
    def spelling(self) -> str:
        """The one spelling of the measure within its family.

        >>> parse_measure("MAP(rel=2) @ 100").spelling
        'AP(rel=2)@100'
        """
        params = ",".join(f"{name}={value}" for name, value in self.params if name != _RECALL)
        at = dict(self.params).get(_RECALL, self.cutoff)
        return self.name + (f"({params})" if params else "") + ("" if at is None else f"@{at}")

    def __str__(self) -> str:
        """Its spelling after its family.

        >>> str(parse_measure("nDCG(dcg='exp-log2')@20"))
        'gdeval:nDCG@20'
        """
        return f"{self.family}:{self.spelling}"


def known_measures() -> str:
    """The spellings that `parse_measure` takes, for messages: `nDCG[@k], ..., gdeval:nDCG[@k], ...`."""
    return ", ".join(
        ("" if _default_family(name, {}) == family else f"{family}:") + kind.spelling(name)
        for family, kinds in _KINDS.items()
        for name, kind in kinds.items()
    )


def _default_family(name: str, params: Mapping[str, object]) -> str:
    if params.get("dcg") == _EXPONENTIAL:
        return GDEVAL
    return next((family for family in FAMILIES if name in _KINDS[family]), TREC_EVAL)


def _unusable(spelling: str, fault: str) -> UsageError:
    return UsageError(f"measure '{spelling}': {fault}; the known ones are: {known_measures()}")


def _parsed(spelling: str, text: str) -> tuple[str, dict[str, object]]:
    """The measure's name and parameters, the cutoff among them, by the parser of ir_measures."""
    if text == _MEAN_NDCG:
        return text, {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python's, of texts that are no measures
            found = ir_measures.parse_measure(text)
    except NameError as error:
        name = str(error).rpartition(" ")[2]
        raise _unusable(spelling, f"there is no measure '{name}'") from error
    except (ValueError, TypeError, RecursionError, MemoryError, OverflowError) as error:
        raise _unusable(spelling, "is not written as a measure") from error
    return str(found.NAME), dict(found.params)


def parse_measure(spelling: str) -> Measure:
    """The measure that a spelling of ir_measures names, with or without a family before it.

    >>> parse_measure("P(rel=2)@5")
    Measure(family='trec_eval', name='P', cutoff=5, params=(('rel', 2),))
    >>> parse_measure("nDCG(dcg='exp-log2')@10") == parse_measure("gdeval:NDCG@10")
    True

    Args:
        spelling: such as `nDCG@10`, `AP`, `P(rel=2)@5`, `gdeval:nDCG@20`; blanks and ir_measures' aliases
            (`MAP`) are allowed.

    Raises:
        UsageError: the family, the measure, its parameter or its cutoff is not known; the message lists what is.
    """
    prefix, colon, rest = spelling.partition(":")
    # A colon may stand in parameters, too: `nDCG(gains={1:2})`.
    is_prefixed = bool(colon) and prefix.strip().isidentifier()
    name, params = _parsed(spelling, (rest if is_prefixed else spelling).strip())
    family = prefix.strip() if is_prefixed else _default_family(name, params)
    if family not in FAMILIES:
        raise _unusable(spelling, f"there is no family '{family}', only {', '.join(FAMILIES)}")
    kind = _KINDS[family].get(name)
    if kind is None:
        raise _unusable(spelling, f"{family} has no measure {name}")
    if name == "nDCG" and params.get("dcg") == (_EXPONENTIAL if family == GDEVAL else "log2"):
        del params["dcg"]
    cutoff = params.pop("cutoff", None)
    if cutoff is None and kind.cutoff == _REQUIRED:
        raise _unusable(spelling, f"{name} needs a cutoff, as in {name}@10")
    if cutoff is not None and kind.cutoff == _NONE:
        raise _unusable(spelling, f"{name} takes no cutoff")
    if cutoff is not None and not _is_count(cutoff):
        raise _unusable(spelling, f"the cutoff is {cutoff!r}, not a number from 1")
    if kind.cutoff == _RECALL and _RECALL not in params:
        raise _unusable(spelling, f"{name} needs a level of recall, as in {name}@0.1")
    for param, value in params.items():
        if param not in (*kind.params, kind.cutoff):
            raise _unusable(spelling, f"{name} has no parameter '{param}' here")
        if not _PARAMS[param].is_valid(value):
            raise _unusable(spelling, f"{param} cannot be {value!r}; write {_PARAMS[param].shown}")
    if kind.cutoff == _RECALL:
        params[_RECALL] = float(params[_RECALL])  # type: ignore[arg-type]
    told = {param: value for param, value in params.items() if value != _PARAMS[param].default}
    return Measure(family, name, cutoff, tuple(sorted(told.items())))  # type: ignore[arg-type]


def parse_measures(spellings: Iterable[str]) -> tuple[Measure, ...]:
    """The measures that some spellings name, in their order, each once.

    Args:
        spellings: as for `parse_measure`; several with blanks between may stand in one text.

    Raises:
        UsageError: one is not known, or there is none.
    """
    words = (word for spelling in spellings for word in _BLANKS_BETWEEN.split(spelling.strip()) if word)
    measures = tuple(dict.fromkeys(parse_measure(word) for word in words))
    if not measures:
        raise UsageError(f"no measure is given; the known ones are: {known_measures()}")
    return measures
