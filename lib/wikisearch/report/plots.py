"""The report's plots as SVG or PNG, equal byte by byte for equal facts.

Figures are made by matplotlib's objects, without pyplot and its global state. Letters are drawn as paths, so
that a plot looks the same on a machine without its font.
"""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from wikisearch.report.facts import Curve, Differences, Histogram, MeasureFact, measure_order

INK, MUTED, GRID = "#1f2937", "#4b5563", "#e5e7eb"
# Okabe & Ito's colours (2008), told apart with the common colour blindnesses; without their yellow, which is
# too pale on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#6b7280")
STYLE = {
    "svg.hashsalt": "wikisearch",  # ids of clip paths are random without it
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Plot:
    """One plot: its size in inches, and what draws it."""

    width: float
    height: float
    draw: Callable[[Axes], None]

    def svg(self) -> str:
        """SVG text."""
        return self._saved("svg", {"Date": None, "Creator": None}).decode("utf-8")

    def png(self) -> bytes:
        """A PNG image of 200 dots an inch."""
        return self._saved("png", {"Software": None})

    def _saved(self, form: str, metadata: Mapping[str, None]) -> bytes:
        with matplotlib.rc_context(STYLE):
            figure = Figure(figsize=(self.width, self.height), layout="constrained")
            self.draw(figure.subplots())
            buffer = io.BytesIO()
            figure.savefig(buffer, format=form, metadata=metadata, dpi=200)
        return buffer.getvalue()


def degree_plot(in_degrees: Histogram, out_degrees: Histogram) -> Plot:
    """Degree distributions on two logarithmic axes: share of articles per degree, the mean of each bin.

    At least one of the histograms has a bin.
    """

    def draw(axes: Axes) -> None:
        series = (("links to an article", in_degrees, "o"), ("links from an article", out_degrees, "s"))
        for (label, histogram, marker), colour in zip(series, COLOURS, strict=False):
            axes.plot(
                [math.sqrt(one.lower * (one.upper - 1)) for one in histogram.bins],
                [one.count / (one.upper - one.lower) / histogram.total for one in histogram.bins],
                marker=marker,
                markersize=5,
                linewidth=1.6,
                color=colour,
                label=label,
            )
        _logarithmic(axes)
        axes.set_xlabel("degree (links)")
        axes.set_ylabel("share of articles per degree")
        axes.legend(loc="upper right")

    return Plot(7.2, 4.0, draw)


def pagerank_plot(pageranks: Histogram) -> Plot:
    """Histogram of PageRank (of one bin at least) on logarithmic axes, with a line at its mean."""

    def draw(axes: Axes) -> None:
        bins = pageranks.bins
        axes.bar(
            [one.lower for one in bins],
            [one.count for one in bins],
            width=[one.upper - one.lower for one in bins],
            align="edge",
            color=COLOURS[0],
            edgecolor="white",
            linewidth=0.8,
        )
        _logarithmic(axes)
        axes.axvline(1 / pageranks.total, color=COLOURS[1], linewidth=1.6, linestyle="--", label="mean")
        axes.legend(loc="upper right")
        axes.set_ylim(bottom=0.7)  # a bar of one article shall be seen
        axes.set_xlabel("PageRank")
        axes.set_ylabel("articles in the bin")

    return Plot(7.2, 3.6, draw)


def _logarithmic(axes: Axes) -> None:
    """Makes both axes logarithmic, with labels at powers of ten only."""
    axes.grid(True)
    for axis, set_scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        set_scale("log")
        axis.set_minor_formatter(NullFormatter())


def measures_plot(measures: Sequence[MeasureFact]) -> Plot:
    """Bars of the mean of each measure for each system.

    Args:
        measures: of one family and one split, at least one.
    """
    names = list(dict.fromkeys(fact.measure for fact in sorted(measures, key=measure_order)))
    systems = list(dict.fromkeys(fact.system for fact in measures))
    means = {(fact.system, fact.measure): fact.mean for fact in measures}
    thickness = 0.8 / len(systems)

    def draw(axes: Axes) -> None:
        for number, system in enumerate(systems):
            shown = [row for row, name in enumerate(names) if (system, name) in means]
            bars = axes.barh(
                [row + (number - (len(systems) - 1) / 2) * thickness for row in shown],
                [means[system, names[row]] for row in shown],
                height=thickness * 0.9,
                color=COLOURS[number % len(COLOURS)],
                label=system,
            )
            axes.bar_label(bars, fmt="%.3f", padding=3, fontsize=8, color=MUTED)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, max([*means.values(), 0.01]) * 1.12)
        axes.set_xlabel("mean over the queries")
        axes.grid(True, axis="x")
        axes.spines["left"].set_visible(False)
        legend = axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(systems), 4))
        for text in (*axes.get_yticklabels(), *legend.get_texts()):
            text.set_parse_math(False)  # a system named a$b$ is no formula

    return Plot(7.2, 1.4 + len(names) * (0.16 + 0.2 * len(systems)), draw)


def curves_plot(curves: Sequence[Curve], x_label: str, y_label: str) -> Plot:
    """A line for each system, such as precision at levels of recall.

    Args:
        curves: at least one; each with a point at least.
        x_label: what the points are at.
        y_label: the measure.
    """

    def draw(axes: Axes) -> None:
        for number, curve in enumerate(curves):
            axes.plot(
                [x for x, _ in curve.points],
                [y for _, y in curve.points],
                marker="os^Dv<>"[number % 7],
                markersize=4,
                linewidth=1.6,
                color=COLOURS[number % len(COLOURS)],
                label=curve.system,
            )
        axes.grid(True)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        for text in axes.legend(loc="best").get_texts():
            text.set_parse_math(False)

    return Plot(7.2, 4.0, draw)


def differences_plot(differences: Differences) -> Plot:
    """Bars of the difference between two systems, a query each, from the system's greatest gain to its loss.

    Args:
        differences: with one value at least.
    """
    values = sorted(differences.values, reverse=True)
    system, baseline = differences.system, differences.baseline

    def draw(axes: Axes) -> None:
        places = [100 * (place + 0.5) / len(values) for place in range(len(values))]
        colours = [COLOURS[0] if value >= 0 else COLOURS[1] for value in values]
        axes.bar(places, values, width=100 / len(values), color=colours, linewidth=0)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.grid(True, axis="y")
        axes.set_xlim(0, 100)
        labels = [
            axes.set_xlabel(f"queries, in per cent ({differences.num_queries:,} queries)"),
            axes.set_ylabel(f"{differences.measure} ({differences.family}): {system} less {baseline}"),
        ]
        for text in labels:
            text.set_parse_math(False)

    return Plot(7.2, 3.2, draw)
