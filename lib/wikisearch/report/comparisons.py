"""The comparisons of systems with a baseline: one table a test, and the differences by query."""

from collections.abc import Sequence

from wikisearch.report import plots
from wikisearch.report.blocks import NUMBER, Block, Column, Figure, Prose, Section, Table
from wikisearch.report.facts import Comparison, Differences
from wikisearch.report.words import decimal, integer

_NUMBERS = (
    "queries", "mean", "baseline", "difference", "interval", "effect size", "wins", "ties", "losses", "p", "Holm",
    "Bonferroni", "m",
)  # fmt: skip


def comparisons_section(comparisons: Sequence[Comparison], differences: Sequence[Differences]) -> Section:
    """What is better than the baseline, by how much, and how sure that is."""
    blocks: list[Block] = [
        Prose(
            "Each value is paired with the baseline's for the same query. p-values are two-sided; Holm and "
            "Bonferroni correct them for the m comparisons made. The interval is that of the mean difference; "
            "the effect size is the mean difference in units of the differences' standard deviation: with many "
            "queries, small p-values stand beside differences that nobody would notice."
        )
    ]
    for key in dict.fromkeys((each.baseline, each.test) for each in comparisons):
        blocks.append(_table([each for each in comparisons if (each.baseline, each.test) == key]))
    blocks += [_figure(each) for each in differences]
    return Section("comparisons", "Comparisons", tuple(blocks))


def _table(group: Sequence[Comparison]) -> Table:
    some = group[0]
    columns = (Column("system"), Column("measure"), *(Column(name, NUMBER) for name in _NUMBERS))
    return Table(
        f"Against {some.baseline} on split {some.split}: {some.test}, {some.confidence:.0%} intervals",
        columns,
        tuple(_row(each) for each in group),
    )


def _row(each: Comparison) -> tuple[str, ...]:
    return (
        each.system,
        f"{each.measure} ({each.family})",
        integer(each.num_queries),
        decimal(each.mean, 4),
        decimal(each.baseline_mean, 4),
        decimal(each.difference, 4),
        f"{decimal(each.interval_low, 4)} to {decimal(each.interval_high, 4)}",
        decimal(each.effect_size, 3),
        integer(each.num_wins),
        integer(each.num_ties),
        integer(each.num_losses),
        _p(each.p_value),
        _p(each.p_holm),
        _p(each.p_bonferroni),
        integer(each.num_comparisons),
    )


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _figure(each: Differences) -> Figure:
    better = sum(value > 0 for value in each.values) / len(each.values)
    worse = sum(value < 0 for value in each.values) / len(each.values)
    return Figure(
        caption=f"{each.measure} ({each.family}) by query: {each.system} less {each.baseline}",
        alt=f"Bars from the greatest gain to the greatest loss; {better:.0%} of queries gain, {worse:.0%} lose.",
        svg=plots.differences_plot(each).svg(),
        data=None,
    )
