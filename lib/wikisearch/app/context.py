"""What a job's body works with: its parameters, its tables, and the provenance of what it writes."""

import dataclasses
import json
import logging
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from pyspark.sql import DataFrame, SparkSession

from wikisearch.app.code_version import code_version
from wikisearch.app.processes import peak_worker_bytes
from wikisearch.app.session import peak_heap_bytes
from wikisearch.app.store import STAGED, Entry, Store
from wikisearch.errors import WikisearchError
from wikisearch.schemas import TABLES
from wikisearch.text.titles import Site

if TYPE_CHECKING:
    from wikisearch.app.job import Job

P = TypeVar("P")
# What the log says of each write, for the plan to read.
WRITTEN_LINE = re.compile(r" wikisearch\.\w+: (?P<table>\w+)(?: \(.*?\))?: (?P<rows>[0-9,]+) rows(?:,|$)")


class JobContext(Generic[P]):
    """What a job's body works with.

    Args:
        job: the job.
        params: its parameters.
        store: the root's tables.
        snapshot: the snapshot that it reads, and writes if it writes.
        is_published_only: read what is published, not what is staged.
    """

    def __init__(
        self, job: "Job[P]", params: P, store: Store, snapshot: str, *, is_published_only: bool = False
    ) -> None:
        self.job = job
        self.params = params
        self.store = store
        self.snapshot = snapshot
        self.log = logging.getLogger(f"wikisearch.{job.name}")
        self._is_published_only = is_published_only
        self._started = time.monotonic()
        self._inputs: dict[str, object] = {}
        self._fingerprint = ""
        self._pending: list[Entry] = []

    @property
    def spark(self) -> SparkSession:
        """The job's session."""
        return self.store.spark

    @property
    def root(self) -> str:
        """The root, normalised."""
        return self.store.root

    def run(self) -> None:
        """Runs the body, logs what went in and came out, and stages what was written in one commit."""
        if self.job.writes:
            self._inputs = self.job.inputs(self.store, self.snapshot, self.params)
            self._fingerprint = self.job.fingerprint(self.params, self._inputs)
        self.log.info("root %s, snapshot %s, parameters %s", self.root, self.snapshot, self.params)
        self.job.body(self)
        seconds = time.monotonic() - self._started
        if self.job.writes:
            peak = {
                "peak_heap_bytes": peak_heap_bytes(self.spark),
                "peak_worker_bytes": peak_worker_bytes(self.spark),
            }
            self.store.stage(
                [
                    dataclasses.replace(
                        entry, seconds=seconds, facts=json.dumps(json.loads(entry.facts) | peak)
                    )
                    for entry in self._pending
                ]
            )
        self.log.info("done in %.1f s", seconds)

    # --- reading --------------------------------------------------------------------------------------

    def read(self, table: str) -> DataFrame:
        """A table of the job's snapshot, as this job wrote it or as it is staged or published."""
        if table not in self.job.reads + self.job.writes:
            raise WikisearchError(f"{self.job.name} does not declare that it reads '{table}'")
        return self.store.read_version(table, self._version(table))

    def _version(self, table: str) -> int:
        written = [entry.version for entry in self._pending if entry.table == table]
        if written:
            return max(written)
        return self.store.require_version(self.snapshot, table, published_only=self._is_published_only)

    def rows(self, table: str) -> int:
        """Rows of a table of the snapshot, as counted when it was written (all slices)."""
        pending = {entry.place: entry for entry in self._pending}
        entries = self.store.effective(self.snapshot, published_only=self._is_published_only) | pending
        return sum(entry.num_rows for entry in entries.values() if entry.table == table)

    def slices(self, table: str) -> list[str]:
        """The slices (systems) that the snapshot has of a table, sorted; one may have no rows."""
        entries = self.store.effective(self.snapshot, published_only=self._is_published_only)
        return sorted(entry.slice for entry in entries.values() if entry.table == table and entry.slice)

    def site(self) -> Site:
        """What the dump's siteinfo says of languages, namespaces and case, from `sites`."""
        row = self.read("sites").collect()[0]
        return Site(row["language"], row["case_rule"] == "case-sensitive", dict(row["namespaces"]))

    def root_wiki(self) -> str | None:
        """The wiki that the root's snapshots are of, or None in a new root."""
        versions = [entry.version for entry in self.store.entries() if entry.table == "sites"]
        if not versions:
            return None
        return str(self.store.read_version("sites", max(versions)).collect()[0]["wiki"])

    def commit_facts(self, table: str) -> dict[str, object]:
        """What the job that wrote a table measured."""
        entries = self.store.effective(self.snapshot, published_only=self._is_published_only)
        facts: dict[str, object] = {}
        for entry in entries.values():
            if entry.table == table:
                facts |= json.loads(entry.facts)
        return facts

    def step_facts(self) -> list[dict[str, object]]:
        """Each job that wrote a part of the snapshot: name, slice, seconds, rows by table; in order of time."""
        entries = self.store.effective(self.snapshot, published_only=self._is_published_only)
        steps: dict[tuple[str, str], dict[str, object]] = {}
        for entry in sorted(entries.values(), key=lambda each: (each.written_at, each.table)):
            key = entry.job, entry.fingerprint
            step = steps.setdefault(
                key, {"name": entry.job, "state": entry.state, "seconds": entry.seconds, "rows": {}}
            )
            rows = step["rows"]
            assert isinstance(rows, dict)
            name = entry.table if entry.slice is None else f"{entry.table} {entry.slice}"
            rows[name] = entry.num_rows
        return list(steps.values())

    # --- writing --------------------------------------------------------------------------------------

    def write(self, table: str, df: DataFrame, facts: Mapping[str, object] | None = None) -> None:
        """Writes a whole table of the job's snapshot, in one commit; staged when the body has ended.

        Args:
            table: one of the job's `writes`.
            df: columns as `schemas` says.
            facts: JSON-able measurements, logged and kept in the commit.
        """
        written = self.store.write(table, df, self._metadata(table, facts))
        self._note(table, None, written.version, written.num_rows, facts)

    def write_slice(
        self, table: str, value: str, df: DataFrame, facts: Mapping[str, object] | None = None
    ) -> None:
        """Writes one slice (one system) of a table, keeping the snapshot's other slices."""
        pending = [entry.version for entry in self._pending if entry.table == table]
        base = max(pending) if pending else self.store.version_of(self.snapshot, table)
        written = self.store.write_slice(table, value, df, base, self._metadata(table, facts))
        self._note(table, value, written.version, written.num_rows, facts)

    def _metadata(self, table: str, facts: Mapping[str, object] | None) -> dict[str, object]:
        if table not in self.job.writes:
            raise WikisearchError(f"{self.job.name} does not declare that it writes '{table}'")
        return {
            "snapshot": self.snapshot,
            "job": self.job.name,
            "inputs": self._inputs,
            "params": dataclasses.asdict(self.params),  # type: ignore[call-overload]
            "code_version": code_version(),
            "fingerprint": self._fingerprint,
            "facts": dict(facts or {}),
        }

    def _note(
        self, table: str, value: str | None, version: int, num_rows: int, facts: Mapping[str, object] | None
    ) -> None:
        metadata = self._metadata(table, facts)
        # A later slice's version holds the earlier ones.
        self._pending = [
            dataclasses.replace(each, version=version) if value is not None and each.table == table else each
            for each in self._pending
            if each.place != (table, value)
        ]
        self._pending.append(
            Entry(
                snapshot=self.snapshot,
                table=table,
                slice=value,
                version=version,
                state=STAGED,
                job=self.job.name,
                fingerprint=self._fingerprint,
                inputs=json.dumps(self._inputs, sort_keys=True, default=str),
                params=json.dumps(metadata["params"], sort_keys=True, default=str),
                code_version=code_version(),
                facts=json.dumps(metadata["facts"], sort_keys=True, default=str),
                num_rows=num_rows,
                seconds=0.0,
                written_at=datetime.now(UTC),
            )
        )
        shown = "" if value is None else f" ({TABLES[table].slices} {value})"
        told = "".join(f", {name} {fact}" for name, fact in (facts or {}).items())
        self.log.info("%s%s: %s rows%s", table, shown, f"{num_rows:,}", told)
