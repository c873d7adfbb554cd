"""How the tables of a snapshot were made: steps, memory, measurements of the commits, versions."""

import json
from collections.abc import Iterable, Mapping

from wikisearch.report.blocks import NUMBER, Column, Section, properties, table
from wikisearch.report.facts import RunFacts, StepFact
from wikisearch.report.words import duration, integer, listing, size

HEAP, WORKER = "peak_heap_bytes", "peak_worker_bytes"


def run_facts(
    snapshot: str,
    versions: Mapping[str, str],
    steps: Iterable[Mapping[str, object]],
    commits: Mapping[str, Mapping[str, object]],
) -> RunFacts:
    """The facts of a run from what the store keeps of it.

    Args:
        snapshot: its name.
        versions: of what computed it, by name.
        steps: name, state, seconds and rows (a count for each table) of each step, in order of time.
        commits: what each table's commit keeps; peak_heap_bytes and peak_worker_bytes among it are taken out
            here, and their largest stand for the run.
    """
    return RunFacts(
        snapshot=snapshot,
        versions=dict(versions),
        steps=tuple(_step(step) for step in steps),
        commits={
            name: {key: value for key, value in facts.items() if key not in (HEAP, WORKER)}
            for name, facts in commits.items()
        },
        peak_heap_bytes=_peak(commits, HEAP),
        peak_worker_bytes=_peak(commits, WORKER),
    )


def _step(step: Mapping[str, object]) -> StepFact:
    rows = step["rows"]
    return StepFact(
        name=str(step["name"]),
        state=str(step["state"]),
        seconds=float(str(step["seconds"])),
        rows={str(name): int(count) for name, count in rows.items()} if isinstance(rows, Mapping) else {},
    )


def _peak(commits: Mapping[str, Mapping[str, object]], name: str) -> int | None:
    peaks = [facts[name] for facts in commits.values() if name in facts]
    return max((peak for peak in peaks if isinstance(peak, int)), default=None)


def run_section(run: RunFacts) -> Section:
    """What a reader needs to make the same tables again, and what it costs."""
    total = sum(step.seconds for step in run.steps)
    steps = [
        (
            step.name,
            step.state,
            duration(step.seconds),
            listing([f"{name}: {integer(count)}" for name, count in step.rows.items()]),
        )
        for step in run.steps
    ]
    if steps:
        steps.append(("all steps", "", duration(total), ""))
    return Section(
        "run",
        "How it was made",
        (
            properties(
                "Snapshot and memory",
                (
                    ("snapshot", run.snapshot),
                    ("largest heap of the driver's JVM", size(run.peak_heap_bytes)),
                    ("largest Python worker", size(run.peak_worker_bytes)),
                ),
            ),
            table(
                "Steps, with the rows they wrote",
                (Column("step"), Column("state"), Column("time", NUMBER), Column("rows")),
                steps,
            ),
            table(
                "Measured on the way",
                (Column("table"), Column("measurement"), Column("value", NUMBER)),
                (
                    (name, key, _shown(value))
                    for name, facts in sorted(run.commits.items())
                    for key, value in sorted(facts.items())
                ),
            ),
            properties("Versions", sorted(run.versions.items())),
        ),
    )


def _shown(value: object) -> str:
    """A measurement of whatever JSON type in words."""
    if isinstance(value, int) and not isinstance(value, bool):
        return integer(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
