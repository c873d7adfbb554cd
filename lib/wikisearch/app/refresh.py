"""The refresh command: runs the plan, fills a table as it goes, publishes at the end, writes the report."""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from wikisearch.app.config import add_flags, resolve
from wikisearch.app.failures import run_and_report
from wikisearch.app.plan import REPORT, STEPS, Outcome, Plan, RefreshParams, Step
from wikisearch.app.processes import end_with_parent, is_driver_of_spark_submit, jvm_pid
from wikisearch.app.roots import WriterLock, check_writable, is_local, normalized_root, one_writer
from wikisearch.app.session import open_session
from wikisearch.app.store import Store
from wikisearch.errors import WikisearchError

STEP_NAMES = tuple(step.name for step in STEPS)


class StepTable:
    """The table of steps on a stream: a line a step, written when it ends; on a terminal also as it runs."""

    def __init__(self) -> None:
        self._out = sys.stdout
        self._is_terminal = self._out.isatty()
        self._write(f"{'step':<18}{'state':<8}{'seconds':>8}  rows\n")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    def running(self, name: str) -> None:
        """Says that a step has begun."""
        if self._is_terminal:
            self._write(f"{name:<18}running …\r")

    def ended(self, name: str, state: str, seconds: float, rows: Mapping[str, int]) -> None:
        """Says how a step ended."""
        shown = ", ".join(f"{number:,} {table}" for table, number in rows.items())
        self._write(f"{name:<18}{state:<8}{seconds:>8.1f}  {shown}\n")

    def note(self, text: str) -> None:
        """A line below the table."""
        self._write(text + "\n")


def parser(description: str | None) -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="refresh.py",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--root", required=True, metavar="PATH", help="folder or URI of the tables")
    parser.add_argument(
        "--snapshot", required=True, metavar="NAME", help="name of the snapshot, for example 20260201"
    )
    parser.add_argument("--config", metavar="TOML", help="file with a section for each job; all steps get it")
    parser.add_argument("--print", action="store_true", help="print the steps' commands and end")
    parser.add_argument(
        "--from",
        dest="from_step",
        metavar="STEP",
        choices=STEP_NAMES,
        help=f"run this step and all after it even if they are fresh; one of: {', '.join(STEP_NAMES)}",
    )
    parser.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
    add_flags(parser, RefreshParams)
    return parser


def main(argv: Sequence[str] | None, jobs_dir: Path, description: str | None) -> int:
    """Runs the refresh as a command; returns its exit code."""
    try:
        arguments = vars(parser(description).parse_args(argv))
    except SystemExit as end:
        return int(end.code or 0)
    root, snapshot, config, is_printed, from_step, is_debug = (
        arguments.pop(name) for name in ("root", "snapshot", "config", "print", "from_step", "debug")
    )

    def work() -> None:
        params = resolve(RefreshParams, "refresh", config, arguments)
        if is_printed:
            plan = Plan(params, root, snapshot, config, jobs_dir)
            plan.check()
            sys.stdout.write(plan.printed() + "\n")
            return
        plan = Plan(params, normalized_root(root), snapshot, config, jobs_dir)
        plan.check()
        check_writable(plan.root)
        if not params.in_process and is_driver_of_spark_submit():
            # It waits for steps and asks nothing of its JVM meanwhile: it would outlive a killed spark-submit.
            end_with_parent()
        with one_writer(plan.root) as lock:
            if params.in_process:
                with open_session("refresh") as spark:
                    _run(plan, lock, from_step, Store(spark, plan.root, writable=True))
            else:
                _run(plan, lock, from_step, None)

    return run_and_report("refresh", work, is_debug=is_debug)


def _run(plan: Plan, lock: WriterLock | None, from_step: str | None, shared: Store | None) -> None:
    """Runs what is not fresh, publishes, and writes the report; in this process if its store is given."""
    started = time.monotonic()
    table = StepTable()
    waiting = list(STEPS)
    forced = set(STEP_NAMES[STEP_NAMES.index(from_step) :]) if from_step else set()
    made: set[str] = set()
    num_run = 0
    while True:
        # What reads a table that was made just now is not fresh: then no session is needed to find out.
        if not (waiting and (waiting[0].name in forced or made.intersection(plan.reads(waiting[0])))):
            # Closed before a step is submitted: on a cluster an idle session would hold the cores it needs.
            with open_session("refresh") as spark:
                if lock is not None:
                    lock.add_process(jvm_pid(spark))
                store = shared or Store(spark, plan.root, writable=True)
                _skip_fresh(plan, store, waiting, forced, table)
                if not waiting:
                    is_new = store.publish(plan.snapshot)
                    break
        step = waiting.pop(0)
        outcome = _ended_well(plan, step, table, shared)
        rows = outcome.rows()
        table.ended(step.name, "done", outcome.seconds, rows)
        made.update(rows)
        num_run += 1
    seconds = time.monotonic() - started
    if num_run == 0 and not is_new:
        table.note(f"snapshot {plan.snapshot}: nothing to do, all steps are fresh ({seconds:.1f} s)")
    else:
        table.note(
            f"snapshot {plan.snapshot} published: {num_run} steps done, "
            f"{len(STEPS) - num_run} fresh ({seconds:.1f} s)"
        )
    has_report = is_local(plan.root) and Path(plan.root, "report", "report.json").is_file()
    if num_run or is_new or not has_report:
        _ended_well(plan, REPORT, table, shared)


def _skip_fresh(plan: Plan, store: Store, waiting: list[Step], forced: set[str], table: StepTable) -> None:
    """Takes the first steps off those that wait, up to one that must run."""
    while waiting and waiting[0].name not in forced:
        checked = time.monotonic()
        rows = plan.fresh_rows(store, waiting[0])
        if rows is None:
            return
        table.ended(waiting.pop(0).name, "fresh", time.monotonic() - checked, rows)


def _ended_well(plan: Plan, step: Step, table: StepTable, shared: Store | None) -> Outcome:
    """Runs a step and returns how it ended; raises with the path of its log if it failed."""
    table.running(step.name)
    outcome = plan.run_step(step, shared)
    if not outcome.is_done:
        table.ended(step.name, "failed", outcome.seconds, {})
        raise WikisearchError(
            f"step {step.name} failed, nothing was published: {outcome.last_words()} (log: {outcome.log})"
            if step is not REPORT
            else f"the snapshot is published, its report failed: {outcome.last_words()} (log: {outcome.log})"
        )
    return outcome
