from wikisearch.report.blocks import Table
from wikisearch.report.facts import RunFacts, StepFact
from wikisearch.report.provenance import run_facts, run_section


def _tables(run: RunFacts) -> list[Table]:
    return [block for block in run_section(run).blocks if isinstance(block, Table)]


def test_peaks_are_the_largest_and_no_measurement_of_a_table() -> None:
    run = run_facts(
        "s1",
        {"spark": "3.5.9"},
        [{"name": "parse_dump", "state": "published", "seconds": 2, "rows": {"pages": 5}}],
        {
            "pages": {"peak_heap_bytes": 10, "peak_worker_bytes": 7},
            "pagerank": {"peak_heap_bytes": 30, "residual": 1e-9},
            "links": {},
        },
    )
    assert run.steps == (StepFact("parse_dump", "published", 2.0, {"pages": 5}),)
    assert (run.peak_heap_bytes, run.peak_worker_bytes) == (30, 7)
    assert run.commits == {"pages": {}, "pagerank": {"residual": 1e-9}, "links": {}}


def test_nothing_known() -> None:
    run = run_facts("s1", {}, [], {})
    assert run == RunFacts("s1")
    assert [table.rows for table in _tables(run)[1:]] == [(), (), ()]


def test_section_shows_what_each_step_cost_and_measured() -> None:
    run = RunFacts(
        "s1",
        versions={"spark": "3.5.9", "java": "17"},
        steps=(StepFact("a", "published", 1.5, {"x": 1000, "y": 2}), StepFact("b", "staged", 120.0)),
        commits={"t": {"whole": 1234, "share": 0.5, "flag": True, "name": "word", "list": [1, 2], "none": None}},
        peak_heap_bytes=2_000_000_000,
    )
    memory, steps, measured, versions = _tables(run)
    assert memory.rows == (
        ("snapshot", "s1"),
        ("largest heap of the driver's JVM", "2.0 GB"),
        ("largest Python worker", "–"),
    )
    assert steps.rows == (
        ("a", "published", "1.5 s", "x: 1,000 and y: 2"),
        ("b", "staged", "2 min 00 s", "none"),
        ("all steps", "", "2 min 02 s", ""),
    )
    assert [row[1:] for row in measured.rows] == [
        ("flag", "true"),
        ("list", "[1, 2]"),
        ("name", "word"),
        ("none", "null"),
        ("share", "0.5"),
        ("whole", "1,234"),
    ]
    assert versions.rows == (("java", "17"), ("spark", "3.5.9"))
