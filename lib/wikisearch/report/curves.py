"""Means of measures as curves: precision at levels of recall, and measures at growing cutoffs."""

import re
from collections.abc import Mapping, Sequence

from wikisearch.report import plots
from wikisearch.report.blocks import NUMBER, Column, Figure, Table
from wikisearch.report.facts import Curve, MeasureFact
from wikisearch.report.words import decimal, listing

_AT = re.compile(r"(?P<name>[^@]+)@(?P<at>[0-9.]+)")
_PRECISION_AT_RECALL = "IPrec"
_MIN_POINTS = 3  # fewer are no curve
# What plots draw where nobody said which measures they want.
CURVE_MEASURES = (
    *(f"IPrec@{tenths / 10}" for tenths in range(11)),
    *(f"{name}@{cutoff}" for name in ("nDCG", "P", "R") for cutoff in (1, 2, 3, 5, 10, 20, 30, 50, 100)),
)


def is_point_of_recall(measure: str) -> bool:
    """Whether a measure is one point of a precision-recall curve, which tables leave to the curve."""
    return measure.startswith(_PRECISION_AT_RECALL)


def curves_of(group: Sequence[MeasureFact]) -> Mapping[str, tuple[Curve, ...]]:
    """The curves of each measure that has three points or more, by its name without what stands behind the @.

    Args:
        group: measures of one family, split and query set.
    """
    points: dict[str, dict[str, dict[float, float]]] = {}
    for fact in group:
        found = _AT.fullmatch(fact.measure)
        if found is not None:
            at = points.setdefault(found["name"], {}).setdefault(fact.system, {})
            at[float(found["at"])] = fact.mean
    return {
        name: tuple(Curve(system, tuple(sorted(at.items()))) for system, at in systems.items())
        for name, systems in sorted(points.items(), key=lambda each: (not is_point_of_recall(each[0]), each[0]))
        if min(len(at) for at in systems.values()) >= _MIN_POINTS
    }


def curve_plot(name: str, family: str, curves: Sequence[Curve]) -> plots.Plot:
    """The plot of one measure's curves."""
    if is_point_of_recall(name):
        return plots.curves_plot(curves, "recall", f"interpolated precision ({family})")
    return plots.curves_plot(curves, "cutoff (documents)", f"{name} ({family})")


def curve_figures(group: Sequence[MeasureFact]) -> list[Figure]:
    """A figure for each measure of `curves_of`, with the numbers that it shows where no table has them."""
    figures = []
    for name, curves in curves_of(group).items():
        some = group[0]
        what = "Interpolated precision at recall" if is_point_of_recall(name) else f"{name} by cutoff"
        systems = listing([curve.system for curve in curves])
        figures.append(
            Figure(
                caption=f"{what} on split {some.split}, by {some.family}, over {some.query_set}",
                alt=f"Lines of {what} for {systems}.",
                svg=curve_plot(name, some.family, curves).svg(),
                data=_data(what, curves) if is_point_of_recall(name) else None,
            )
        )
    return figures


def _data(what: str, curves: Sequence[Curve]) -> Table:
    columns = (Column("recall", NUMBER), *(Column(curve.system, NUMBER) for curve in curves))
    levels = sorted({x for curve in curves for x, _ in curve.points})
    by_system = [dict(curve.points) for curve in curves]
    rows = tuple((f"{level:g}", *(decimal(points.get(level), 4) for points in by_system)) for level in levels)
    return Table(what, columns, rows)
