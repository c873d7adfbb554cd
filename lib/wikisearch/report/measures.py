"""The main table of a report: the mean of each measure for each system, on each split."""

from collections.abc import Sequence

from wikisearch.evaluation.evaluate import ALL_QRELS
from wikisearch.report import plots
from wikisearch.report.blocks import NUMBER, Block, Column, Figure, Prose, Section, Table
from wikisearch.report.curves import curve_figures, is_point_of_recall
from wikisearch.report.facts import MeasureFact, measure_order
from wikisearch.report.words import decimal, integer, listing


def main_split(measures: Sequence[MeasureFact]) -> str | None:
    """The split whose numbers count most: test, else all, else the first that was measured."""
    splits = [fact.split for fact in measures]
    return next((split for split in ("test", "all", *splits) if split in splits), None)


def main_first(measures: Sequence[MeasureFact]) -> list[list[MeasureFact]]:
    """The measures in groups of one split, family and query set, those of the main split first."""
    main = main_split(measures)
    # sorted is stable: apart from the main split, the order stays that of the facts.
    ordered = sorted(measures, key=lambda fact: fact.split != main)
    groups: dict[tuple[str, str, str], list[MeasureFact]] = {}
    for fact in ordered:
        groups.setdefault((fact.split, fact.family, fact.query_set), []).append(fact)
    return list(groups.values())


def measures_section(measures: Sequence[MeasureFact]) -> Section:
    """One table for each split, and a plot of the main one."""
    systems = listing(list(dict.fromkeys(fact.system for fact in measures)))
    blocks: list[Block] = [
        Prose(
            f"Systems: {systems}. Each value is the mean over a query set; {ALL_QRELS} takes all queries that "
            "have judgements, where one that the run does not answer counts as 0."
        )
    ]
    main, *others = main_first(measures) or [[]]
    blocks.append(measures_table(main))
    if _one_per_measure(main):
        blocks += [_figure(main), *curve_figures(main)]
    blocks += [measures_table(group) for group in others]
    return Section("measures", "Measures", tuple(blocks))


def measures_table(group: Sequence[MeasureFact]) -> Table:
    """Systems down, measures across, the best mean of each measure stressed where systems can be compared.

    Args:
        group: measures of one family, split and query set.
    """
    names = [fact.measure for fact in _one_per_measure(group)]
    systems = list(dict.fromkeys(fact.system for fact in group))
    facts = {(fact.system, fact.measure): fact for fact in group}
    columns = [Column("system"), *(Column(name, NUMBER) for name in names)]
    columns += [Column(name, NUMBER) for name in ("queries", "in the run", "in the qrels", "without relevant")]
    rows = []
    for system in systems:
        one = next(fact for fact in group if fact.system == system)
        counts = (
            one.num_queries,
            one.num_queries_in_run,
            one.num_queries_in_qrels,
            one.num_queries_without_relevant,
        )
        cells = [facts.get((system, name)) for name in names]
        means = (decimal(fact.mean if fact else None, 4) for fact in cells)
        rows.append((system, *means, *(integer(count) for count in counts)))
    some = group[0] if group else None
    caption = f"Means on split {some.split}, by {some.family}, over {some.query_set}" if some else "Means"
    return Table(caption, tuple(columns), tuple(rows), _best(rows, len(names)))


def _best(rows: Sequence[Sequence[str]], num_measures: int) -> frozenset[tuple[int, int]]:
    """The cells that hold the best mean of their column, as shown; none where there is one system only."""
    if len(rows) < 2:
        return frozenset()
    columns = range(1, num_measures + 1)
    best = {column: max(row[column] for row in rows if row[column][0].isdigit()) for column in columns}
    return frozenset(
        (number, column)
        for number, row in enumerate(rows)
        for column in columns
        if row[column] == best[column]
    )


def _one_per_measure(group: Sequence[MeasureFact]) -> list[MeasureFact]:
    """One fact of each measure that tables show, in their order."""
    shown = {fact.measure: fact for fact in group if not is_point_of_recall(fact.measure)}
    return sorted(shown.values(), key=measure_order)


def _figure(group: Sequence[MeasureFact]) -> Figure:
    names = listing([fact.measure for fact in _one_per_measure(group)])
    systems = listing(list(dict.fromkeys(fact.system for fact in group)))
    some = group[0]
    return Figure(
        caption=f"Systems compared on split {some.split}",
        alt=f"Bars of the means of {names} for {systems}; the table of this split gives the same numbers.",
        svg=plots.measures_plot([fact for fact in group if not is_point_of_recall(fact.measure)]).svg(),
        data=None,
    )
