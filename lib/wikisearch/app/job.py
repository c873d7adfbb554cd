"""What every job does around its one call: arguments, session, store, provenance, exit code.

Exit codes: 0 done, 1 failed (one line on stderr says why), 2 wrong usage.
"""

import argparse
import dataclasses
import hashlib
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pyspark.sql import SparkSession

from wikisearch.app.code_version import code_version
from wikisearch.app.config import add_flags, resolve
from wikisearch.app.context import JobContext
from wikisearch.app.failures import run_and_report
from wikisearch.app.processes import STEP_OF_PLAN, end_with_parent, jvm_pid
from wikisearch.app.roots import check_writable, normalized_root, one_writer
from wikisearch.app.session import open_session
from wikisearch.app.store import Store
from wikisearch.errors import UsageError

__all__ = ["Job", "JobContext"]

P = TypeVar("P")


@dataclass(frozen=True)
class Job(Generic[P]):
    """One job file: what it is called, reads, writes and can be told.

    Args:
        name: the file's name without `.py`.
        description: the module's docstring; `--help` shows it.
        reads: tables it reads.
        writes: tables it writes; none for a job that only reads.
        params: frozen dataclass of its parameters.
        body: what it does.
        external: files outside the root that its result depends on, as JSON-able values by name.
        without_root: what it does where no root is given, on files alone; None for a job that needs a root.
    """

    name: str
    description: str | None
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    params: type[P]
    body: "Callable[[JobContext[P]], None]"
    external: Callable[[P], Mapping[str, object]] | None = None
    without_root: Callable[[SparkSession, P], None] | None = None

    def parser(self) -> argparse.ArgumentParser:
        """The parser of the job's command line."""
        tables = f"reads: {', '.join(self.reads) or 'no table'}; writes: {', '.join(self.writes) or 'no table'}"
        parser = argparse.ArgumentParser(
            prog=f"{self.name}.py",
            description=f"{(self.description or '').strip()}\n\n{tables}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        needs_root = self.without_root is None
        parser.add_argument(
            "--root",
            required=needs_root,
            metavar="PATH",
            help="folder or URI of the tables" + ("" if needs_root else "; none for files alone"),
        )
        if self.writes:
            parser.add_argument(
                "--snapshot",
                required=needs_root,
                metavar="NAME",
                help="name of the snapshot, for example 20260201",
            )
            parser.add_argument(
                "--publish", action="store_true", help="publish what is staged for the snapshot at the end"
            )
        else:
            parser.add_argument(
                "--snapshot", metavar="NAME", help="name of the snapshot (default: the newest published one)"
            )
        parser.add_argument("--config", metavar="TOML", help=f"file whose section [{self.name}] gives parameters")
        parser.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
        add_flags(parser, self.params)
        return parser

    def resolve_params(self, config: str | None, flags: Mapping[str, object]) -> P:
        """The job's parameters, from its defaults, its section of a TOML file and flags."""
        return resolve(self.params, self.name, config, flags)

    def fingerprint(self, params: P, inputs: Mapping[str, object]) -> str:
        """sha256 of all that the job's result depends on."""
        parts = {
            "job": self.name,
            "params": dataclasses.asdict(params),  # type: ignore[call-overload]
            "inputs": inputs,
            "code": code_version(),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def inputs(self, store: Store, snapshot: str, params: P) -> dict[str, object]:
        """The versions of the tables that the job would read, and the files outside; raises if one lacks."""
        found: dict[str, object] = {
            table: store.require_version(snapshot, table) for table in self.reads
        }
        if self.external is not None:
            found["external"] = dict(self.external(params))
        return found

    def main(self, argv: Sequence[str] | None = None, store: Store | None = None) -> int:
        """Runs the job as a command; returns its exit code.

        Args:
            argv: the command line after the job file; the process's own by default.
            store: the store of `--root` where the caller has it open, whose reading is spared.
        """
        if STEP_OF_PLAN in os.environ:
            end_with_parent()
        try:
            arguments = vars(self.parser().parse_args(argv))
        except SystemExit as end:
            return int(end.code or 0)
        root, snapshot, config, is_debug = (
            arguments.pop(name) for name in ("root", "snapshot", "config", "debug")
        )
        is_published = arguments.pop("publish", False)
        _log_to_stderr()

        def work() -> None:
            params = self.resolve_params(config, arguments)
            if root is None and self.without_root is not None:
                if snapshot is not None or is_published:
                    raise UsageError("--snapshot and --publish belong to a root: name it with --root")
                with open_session(self.name, needs_delta=False) as spark:
                    self.without_root(spark, params)
            elif self.writes:
                self._write(params, root, snapshot, is_published, store)
            else:
                with open_session(self.name) as spark:
                    tables = store or Store(spark, root)
                    name = snapshot or tables.newest_published()
                    tables.check_snapshot(name)
                    JobContext(self, params, tables, name, is_published_only=snapshot is None).run()

        return run_and_report(self.name, work, is_debug=is_debug)

    def _write(
        self, params: P, root: str, snapshot: str | None, is_published: bool, store: Store | None
    ) -> None:
        if snapshot is None:
            raise UsageError("--snapshot: required where a root is given")
        if not snapshot or "/" in snapshot or snapshot.strip() != snapshot:
            raise UsageError(f"--snapshot '{snapshot}': must be a name without / and outer spaces")
        check_writable(normalized_root(root))
        with one_writer(normalized_root(root)) as lock, open_session(self.name) as spark:
            if lock is not None:
                lock.add_process(jvm_pid(spark))
            tables = store or Store(spark, root, writable=True)
            JobContext(self, params, tables, snapshot).run()
            if is_published:
                tables.publish(snapshot)


def _log_to_stderr() -> None:
    """Gives wikisearch's loggers a handler, unless the process has one (a plan, a test)."""
    logger = logging.getLogger("wikisearch")
    if logger.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
