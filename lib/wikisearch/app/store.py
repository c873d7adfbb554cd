"""Tables under a root: a Delta Lake table a name, and the `snapshots` table that says what belongs together.

Nobody else names a table's path. A write is one Delta commit that nobody sees until its version is staged in
`snapshots`; readers see a snapshot when one commit flips all its rows to published.
"""

import dataclasses
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wikisearch.app.roots import check_writable, is_local, normalized_root
from wikisearch.errors import StoreError
from wikisearch.frames import conform, without_nullability
from wikisearch.schemas import TABLES

STAGED, PUBLISHED = "staged", "published"


@dataclass(frozen=True)
class Entry:
    """One row of `snapshots`; see `schemas` for the columns."""

    snapshot: str
    table: str
    slice: str | None
    version: int
    state: str
    job: str
    fingerprint: str
    inputs: str
    params: str
    code_version: str
    facts: str
    num_rows: int
    seconds: float
    written_at: datetime
    published_at: datetime | None = None

    @property
    def place(self) -> tuple[str, str | None]:
        """The table, and the slice of it."""
        return self.table, self.slice


@dataclass(frozen=True)
class Written:
    """What one commit wrote: the table's new version and its rows."""

    version: int
    num_rows: int


class Store:
    """The tables under one root.

    Args:
        spark: a session with Delta switched on.
        root: a folder (local path, `file:` or any URI that Spark's file systems know).
        writable: whether to make the root and check that it can be written.

    Raises:
        StoreError: the root is not there, or cannot be written.
    """

    def __init__(self, spark: SparkSession, root: str, *, writable: bool = False) -> None:
        self.spark = spark
        self.root = normalized_root(root)
        self._entries: list[Entry] | None = None
        if writable:
            check_writable(self.root)
        elif is_local(self.root) and not Path(self.root).is_dir():
            raise StoreError(f"root {self.root}: no such folder; make it with jobs/refresh.py or name another")

    def path(self, table: str) -> str:
        """Where a table lies."""
        return f"{self.root}/tables/{TABLES[table].name}"

    # --- what a snapshot is ---------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """All rows of `snapshots`, oldest first."""
        if self._entries is None:
            rows = self._load("snapshots").collect() if self._exists("snapshots") else []
            self._entries = _oldest_first(_entry(row.asDict()) for row in rows)
        return self._entries

    def newest_published(self) -> str:
        """The snapshot that was published last.

        Raises:
            StoreError: none is.
        """
        published = [each for each in self.entries() if each.published_at is not None]
        if not published:
            raise StoreError(f"root {self.root} holds no published snapshot; make one with jobs/refresh.py")
        return max(published, key=lambda each: (each.published_at, each.snapshot)).snapshot

    def check_snapshot(self, snapshot: str) -> None:
        """Raises StoreError, naming the snapshots there are, unless this one has a table."""
        known = list(dict.fromkeys(each.snapshot for each in self.entries()))
        if snapshot not in known:
            raise StoreError(
                f"root {self.root} has no snapshot '{snapshot}'; it has: {', '.join(known) or 'none'}"
            )

    def effective(self, snapshot: str, *, published_only: bool = False) -> dict[tuple[str, str | None], Entry]:
        """The snapshot's tables by (table, slice): what is staged hides what is published."""
        found: dict[tuple[str, str | None], Entry] = {}
        for state in (PUBLISHED,) if published_only else (PUBLISHED, STAGED):
            for each in self.entries():
                if each.snapshot == snapshot and each.state == state:
                    found[each.place] = each
        return found

    def version_of(self, snapshot: str, table: str, *, published_only: bool = False) -> int | None:
        """The version of a table that a snapshot holds, or None; a newer slice's version holds the others."""
        entries = self.effective(snapshot, published_only=published_only).values()
        return max((each.version for each in entries if each.table == table), default=None)

    def require_version(self, snapshot: str, table: str, *, published_only: bool = False) -> int:
        """The version of a table that a snapshot holds.

        Raises:
            StoreError: it holds none; the message names the job that makes it.
        """
        version = self.version_of(snapshot, table, published_only=published_only)
        if version is None:
            raise StoreError(
                f"root {self.root}, snapshot '{snapshot}': table '{table}' is missing; "
                f"make it with jobs/{TABLES[table].job}.py"
            )
        return version

    # --- reading --------------------------------------------------------------------------------------

    def read(self, table: str, snapshot: str | None = None) -> DataFrame:
        """A table of a snapshot (of the newest published one by default), checked against `schemas`."""
        if snapshot is None:
            return self.read_version(
                table, self.require_version(self.newest_published(), table, published_only=True)
            )
        self.check_snapshot(snapshot)
        return self.read_version(table, self.require_version(snapshot, table))

    def read_version(self, table: str, version: int) -> DataFrame:
        """One version of a table, checked against `schemas`."""
        return conform(self._load(table, version), table)

    def _exists(self, table: str) -> bool:
        return bool(DeltaTable.isDeltaTable(self.spark, self.path(table)))

    def _load(self, table: str, version: int | None = None) -> DataFrame:
        reader = self.spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        return reader.load(self.path(table))

    # --- writing --------------------------------------------------------------------------------------

    def write(self, table: str, df: DataFrame, metadata: Mapping[str, object]) -> Written:
        """Writes a whole table in one commit; no snapshot holds it before it is staged.

        Args:
            table: a key of `schemas.TABLES`.
            df: columns as `schemas` says; not-null columns are enforced by Delta.
            metadata: provenance, kept in the commit.
        """
        return self._commit(table, df, metadata, None)

    def write_slice(
        self, table: str, value: str, df: DataFrame, base: int | None, metadata: Mapping[str, object]
    ) -> Written:
        """Writes the rows of one slice (one system), keeping the other slices of a base version.

        Args:
            table: a table with `slices`.
            value: the slice; all rows of df must have it.
            df: columns as `schemas` says.
            base: the version whose other slices are kept, None to start anew.
            metadata: provenance, kept in the commit.
        """
        column = TABLES[table].slices
        if column is None:
            raise StoreError(f"table '{table}' is written whole, not by slices")
        if base is None:
            return self._commit(table, df, metadata, None)
        if base == self._latest_version(table):
            quoted = value.replace("\\", "\\\\").replace("'", "\\'")
            return self._commit(table, df, metadata, f"{column} = '{quoted}'")
        # Another snapshot wrote in between: take the other slices from this snapshot's own version.
        others = self.read_version(table, base).where(F.col(column) != value)
        return self._commit(table, others.unionByName(conform(df, table)), metadata, None)

    def _commit(
        self, table: str, df: DataFrame, metadata: Mapping[str, object], replace_where: str | None
    ) -> Written:
        rows = conform(df, table)
        self._ensure_table(table)
        told = json.dumps({**metadata, "commit": secrets.token_hex(8)}, sort_keys=True, default=str)
        writer = rows.write.format("delta").mode("overwrite").option("userMetadata", told)
        if replace_where is not None:
            writer = writer.option("replaceWhere", replace_where)
        writer.save(self.path(table))
        history = DeltaTable.forPath(self.spark, self.path(table)).history(1)
        version, metrics, user_metadata = history.select("version", "operationMetrics", "userMetadata").first()
        # Delta makes no commit of nothing in the place of nothing: then the last version is not ours.
        num_rows = int(metrics.get("numOutputRows", 0)) if user_metadata == told else 0
        return Written(int(version), num_rows)

    def _latest_version(self, table: str) -> int:
        history = DeltaTable.forPath(self.spark, self.path(table)).history(1).select("version")
        return int(history.collect()[0][0])

    def _ensure_table(self, table: str) -> None:
        """Makes the Delta table, or gives it its present columns where an older code version made it."""
        wanted = TABLES[table]
        # Delta cannot enforce NOT NULL inside arrays and maps, so only columns carry it.
        struct = without_nullability(wanted.struct, keep_columns=True)
        if self._exists(table):
            found = self._load(table).schema
            if without_nullability(found) == without_nullability(wanted.struct):
                return
            builder = DeltaTable.replace(self.spark)
        else:
            builder = DeltaTable.create(self.spark)
        retention = f"interval {wanted.retention_days} days"
        (
            builder.location(self.path(table))
            .addColumns(struct)
            .comment(wanted.comment)
            .property("delta.deletedFileRetentionDuration", retention)
            .property("delta.logRetentionDuration", "interval 3650 days")
            .execute()
        )

    # --- staging and publishing -----------------------------------------------------------------------

    def stage(self, staged: Sequence[Entry]) -> None:
        """Makes versions that were written part of their snapshot, for its own jobs only; one commit."""
        new = {(each.snapshot, *each.place): each for each in staged}
        for each in staged:
            if each.slice is None:
                continue
            # The version that holds this slice holds the snapshot's other slices too.
            for other in self.effective(each.snapshot).values():
                key = (other.snapshot, *other.place)
                if other.table == each.table and key not in new:
                    new[key] = dataclasses.replace(
                        other, version=each.version, state=STAGED, published_at=None
                    )
        kept = [
            each
            for each in self.entries()
            if not (each.state == STAGED and (each.snapshot, *each.place) in new)
        ]
        self._write_entries([*kept, *new.values()])

    def publish(self, snapshot: str) -> bool:
        """Flips everything staged for a snapshot to published in one commit; False if nothing was staged."""
        effective = self.effective(snapshot)
        if not any(each.state == STAGED for each in effective.values()):
            return False
        now = datetime.now(UTC)
        published = [
            dataclasses.replace(each, state=PUBLISHED, published_at=now) for each in effective.values()
        ]
        self._write_entries([each for each in self.entries() if each.snapshot != snapshot] + published)
        return True

    def _write_entries(self, entries: Sequence[Entry]) -> None:
        struct = TABLES["snapshots"].struct
        rows = [dataclasses.astuple(each) for each in entries]
        self.write("snapshots", self.spark.createDataFrame(rows, struct).coalesce(1), {"job": "store"})
        self._entries = _oldest_first(entries)


def _oldest_first(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda each: (each.written_at, each.table, each.slice or ""))


def _entry(row: dict[str, object]) -> Entry:
    for column in ("written_at", "published_at"):
        moment = row[column]
        if isinstance(moment, datetime):
            row[column] = moment.astimezone(UTC)  # PySpark hands out naive times of the local zone
    return Entry(**row)  # type: ignore[arg-type]
