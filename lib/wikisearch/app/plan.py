"""The refresh: an ordered list of job commands, of which only those run whose result would be another one.

A plan, not a scheduler: cron, systemd or Airflow start it. A step is fresh when the snapshot, or another
one of the root, holds a version made from the same inputs, parameters and code.
"""

import importlib.util
import logging
import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wikisearch.app.config import flags_from
from wikisearch.app.context import WRITTEN_LINE
from wikisearch.app.job import Job
from wikisearch.app.processes import STEP_OF_PLAN, end_with_parent
from wikisearch.app.roots import is_local
from wikisearch.app.store import STAGED, Entry, Store
from wikisearch.errors import StoreError, WikisearchError


@dataclass(frozen=True)
class Step:
    """One command of the plan.

    Args:
        name: unique in the plan.
        job: the job file.
        flags: values of the job's parameters that make this step what it is.
    """

    name: str
    job: str
    flags: Mapping[str, object] = field(default_factory=dict)


STEPS = (
    Step("parse_dump", "parse_dump"),
    Step("extract_articles", "extract_articles"),
    Step("resolve_links", "resolve_links"),
    Step("compute_pagerank", "compute_pagerank"),
    Step("build_collection", "build_collection"),
    Step("build_index", "build_index"),
    Step("retrieve_bm25", "retrieve", {"system": "bm25"}),
    Step("retrieve_tfidf", "retrieve", {"system": "tfidf"}),
    Step("evaluate_runs", "evaluate_runs", {"show": False}),
    Step("compare_systems", "compare_systems", {"show": False}),
)
REPORT = Step("write_report", "write_report")


@dataclass(frozen=True)
class RefreshParams:
    """Parameters of a refresh, beside root and snapshot."""

    dump: tuple[str, ...] = field(metadata={"help": "dump files or globs"})
    limit: int | None = field(
        default=None, metadata={"help": "read the first N pages only: any dump in a minute"}
    )
    allow_truncated: bool = field(
        default=False, metadata={"help": "take a dump that ends in mid-page, as a reject"}
    )
    in_process: bool = field(
        default=False, metadata={"help": "run all steps in this process: one session start instead of ten"}
    )
    spark_conf: str = field(
        default="conf/spark/local.conf", metadata={"help": "properties file for the steps' spark-submit"}
    )
    master: str | None = field(
        default=None, metadata={"help": "master for the steps' spark-submit, if not the properties file's"}
    )
    py_files: str | None = field(
        default=None, metadata={"help": "wikisearch.zip for the steps' spark-submit (see `make dist`)"}
    )
    log_dir: str | None = field(
        default=None, metadata={"help": "folder of the steps' logs, if not ROOT/logs/SNAPSHOT"}
    )

    def flags_of(self, step: Step) -> dict[str, object]:
        """The values that this refresh sets among a step's parameters."""
        values = dict(step.flags)
        if step.name == "parse_dump":
            values["dump"] = list(self.dump)
            if self.limit is not None:
                values["limit"] = self.limit
            if self.allow_truncated:
                values["allow_truncated"] = True
        return values


def load_job(jobs_dir: Path, name: str) -> Job[Any]:
    """The `JOB` of a job file, which is loaded by its path: jobs are no package, and never import each other.

    Raises:
        WikisearchError: the folder holds no such file.
    """
    path = jobs_dir / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"wikisearch_jobs_{name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise WikisearchError(f"{path}: no such job file; the plan needs the jobs folder beside refresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    job: Job[Any] = module.JOB
    return job


@dataclass(frozen=True)
class Outcome:
    """How a step that ran ended: whether well, its seconds and its log file."""

    is_done: bool
    seconds: float
    log: Path

    def rows(self) -> dict[str, int]:
        """Rows written, by table, as the log has them."""
        rows: dict[str, int] = {}
        for found in filter(None, map(WRITTEN_LINE.search, self._lines())):
            rows[found["table"]] = rows.get(found["table"], 0) + int(found["rows"].replace(",", ""))
        return dict(sorted(rows.items()))

    def last_words(self) -> str:
        """The line of the log that says what went wrong, else its last one."""
        lines = self._lines() or ["its log is empty"]
        errors = [line for line in lines if ": error: " in line]
        return (errors or lines)[-1]

    def _lines(self) -> list[str]:
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return [line.strip() for line in text.splitlines() if line.strip()]


class Plan:
    """The steps of one refresh, with their commands and their freshness.

    Args:
        params: the refresh's parameters.
        root: the root.
        snapshot: the snapshot that it makes.
        config: the TOML file that every step gets, or None.
        jobs_dir: folder of the job files.
    """

    def __init__(
        self, params: RefreshParams, root: str, snapshot: str, config: str | None, jobs_dir: Path
    ) -> None:
        self.params = params
        self.root = root
        self.snapshot = snapshot
        self.config = config
        self.jobs_dir = jobs_dir
        self.jobs = {step.job: load_job(jobs_dir, step.job) for step in (*STEPS, REPORT)}

    @property
    def log_dir(self) -> Path:
        """Where the steps' logs go."""
        if self.params.log_dir is not None:
            return Path(self.params.log_dir)
        return Path(self.root if is_local(self.root) else ".", "logs", self.snapshot)

    def reads(self, step: Step) -> tuple[str, ...]:
        """The tables that a step reads."""
        return self.jobs[step.job].reads

    def arguments(self, step: Step) -> list[str]:
        """The step's own command line, after the job file."""
        words = ["--root", self.root, "--snapshot", self.snapshot]
        if self.config is not None:
            words += ["--config", self.config]
        return words + list(flags_from(self.jobs[step.job].params, self.params.flags_of(step)))

    def command(self, step: Step) -> list[str]:
        """The spark-submit command of a step."""
        words = ["spark-submit", "--properties-file", self.params.spark_conf]
        if self.params.master is not None:
            words += ["--master", self.params.master]
        if self.params.py_files is not None:
            words += ["--py-files", self.params.py_files]
        path = self.jobs_dir / f"{step.job}.py"
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        return [*words, str(path), *self.arguments(step)]

    def printed(self) -> str:
        """Every command of the plan, one a line, as a shell takes it."""
        return "\n".join(shlex.join(self.command(step)) for step in (*STEPS, REPORT))

    def check(self) -> None:
        """Raises UsageError if a step's parameters are wrong, before the first one runs."""
        for step in (*STEPS, REPORT):
            self.jobs[step.job].resolve_params(self.config, self.params.flags_of(step))

    def fresh_rows(self, store: Store, step: Step) -> dict[str, int] | None:
        """Rows by table if the snapshot holds the step's result, or can take it from another; else None."""
        job = self.jobs[step.job]
        params = job.resolve_params(self.config, self.params.flags_of(step))
        try:
            fingerprint = job.fingerprint(params, job.inputs(store, self.snapshot, params))
        except StoreError:
            return None
        held = [each for each in store.effective(self.snapshot).values() if each.fingerprint == fingerprint]
        if {each.table for each in held} != set(job.writes):
            taken = self._made_before(store, fingerprint, set(job.writes))
            if not taken:
                return None
            now = datetime.now(UTC)
            store.stage(
                [
                    replace(
                        each, snapshot=self.snapshot, state=STAGED, written_at=now, published_at=None
                    )
                    for each in taken
                ]
            )
            held = [each for each in taken if each.fingerprint == fingerprint]
        return _rows(held)

    def _made_before(self, store: Store, fingerprint: str, tables: set[str]) -> list[Entry]:
        """A step's result as the root holds it, for any snapshot; empty if it does not, or it cannot be taken."""
        made = {each.table: each for each in store.entries() if each.fingerprint == fingerprint}
        if set(made) != tables:
            return []
        if all(each.slice is None for each in made.values()):
            return list(made.values())
        # A version holds all slices of its snapshot: they come together, and where they would hide none.
        if any(each.table in tables for each in store.effective(self.snapshot).values()):
            return []
        (giver, *others) = {each.snapshot for each in made.values()}
        entries = [each for each in store.effective(giver).values() if each.table in tables]
        is_whole = {each.table for each in entries if each.fingerprint == fingerprint} == tables
        return entries if is_whole and not others else []

    def run_step(self, step: Step, store: Store | None) -> Outcome:
        """Runs one step, on an open store in this process, else by spark-submit; with a log file of its own."""
        self.log_dir.mkdir(parents=True, exist_ok=True)
        log = self.log_dir / f"{step.name}.log"
        started = time.monotonic()
        code = self._submit(step, log) if store is None else self._run_here(step, log, store)
        return Outcome(code == 0, time.monotonic() - started, log)

    def _run_here(self, step: Step, log: Path, store: Store) -> int:
        logger = logging.getLogger("wikisearch")
        level = logger.level
        handler = logging.FileHandler(log, mode="w", encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
        handler.setLevel(logging.DEBUG)
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        try:
            return self.jobs[step.job].main(self.arguments(step), store)
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
            handler.close()

    def _submit(self, step: Step, log: Path) -> int:
        environment = os.environ | {STEP_OF_PLAN: self.snapshot}
        with log.open("wb") as output:
            ended = subprocess.run(
                self.command(step),
                stdout=None if step is REPORT else output,  # what the report prints is for who refreshes
                stderr=output,
                env=environment,
                preexec_fn=end_with_parent,
                check=False,
            )
        return ended.returncode


def _rows(entries: Sequence[Entry]) -> dict[str, int]:
    return {each.table: each.num_rows for each in sorted(entries, key=lambda each: str(each.table))}
