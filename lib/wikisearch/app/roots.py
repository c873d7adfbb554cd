"""Root folders: local or remote, writable or not, and the lock that lets one writer in."""

import dataclasses
import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import psutil

from wikisearch.errors import StoreError

# Set by the writer that holds a root's lock, so that the jobs it starts may write too.
LOCK_TOKEN = "WIKISEARCH_LOCK_TOKEN"

# A JVM whose Python was killed ends some seconds later (measured: up to 10).
LAST_WRITES_SECONDS = 60


def is_local(root: str) -> bool:
    """Whether a normalised root is a folder of this machine."""
    return "://" not in root


def normalized_root(root: str) -> str:
    """The root without a trailing slash; a local one absolute and without `file:`."""
    for prefix in ("file://", "file:"):
        if root.startswith(prefix):
            root = root[len(prefix) :]
    return str(Path(root).expanduser().resolve()) if is_local(root) else root.rstrip("/")


def check_writable(root: str) -> None:
    """Makes a local root folder; raises StoreError if it cannot be written."""
    if not is_local(root):
        return
    try:
        Path(root).mkdir(parents=True, exist_ok=True)
        probe = Path(root) / f".writable-{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StoreError(f"root {root} cannot be written: {error.strerror}; name another with --root") from error


@dataclass(frozen=True)
class _Process:
    """A process by its id and its time of birth, so that a later one with the same id is told apart."""

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> "_Process":
        return cls(pid, psutil.Process(pid).create_time())

    def is_alive(self) -> bool:
        try:
            return bool(psutil.Process(self.pid).create_time() == self.created)
        except psutil.NoSuchProcess:
            return False


class WriterLock:
    """The lock of a root while it is held; knows the processes that write on its holder's behalf."""

    def __init__(self, file: TextIO, token: str) -> None:
        self._file = file
        self.token = token
        self._processes: list[_Process] = []
        self.add_process(os.getpid())

    def add_process(self, pid: int) -> None:
        """Notes a process that may write for some seconds more if the holder is killed (its JVM)."""
        self._processes.append(_Process.of(pid))
        self._file.truncate(0)
        notes = [dataclasses.asdict(process) for process in self._processes]
        self._file.write(json.dumps({"token": self.token, "processes": notes}))
        self._file.flush()


@contextmanager
def one_writer(root: str) -> Iterator[WriterLock | None]:
    """Holds a root's lock; gives None where the holder is who started this process, or the root is remote.

    The lock is the kernel's (flock), so it goes with its process, however that ends. What a killed holder's
    JVM still writes is waited for. A remote root has no lock: there the scheduler must see to it that one
    refresh runs at a time.

    Raises:
        StoreError: somebody else writes to this root; the message names the process.
    """
    if not is_local(root):
        yield None
        return
    path = Path(root) / ".lock"
    with path.open("a+", encoding="utf-8") as file:
        holder = _holder(path)
        processes = [_Process(**note) for note in holder.get("processes", [])]
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if holder.get("token") and holder.get("token") == os.environ.get(LOCK_TOKEN):
                yield None
                return
            pid = processes[0].pid if processes else "unknown"
            raise StoreError(
                f"root {root} is being written by process {pid}; "
                "wait until it has ended: a root has one writer at a time"
            ) from error
        _wait_for(processes, root)
        lock = WriterLock(file, secrets.token_hex(16))
        os.environ[LOCK_TOKEN] = lock.token
        try:
            yield lock
        finally:
            del os.environ[LOCK_TOKEN]
            file.truncate(0)


def _wait_for(processes: list[_Process], root: str) -> None:
    """Waits until what a killed holder left behind has ended."""
    deadline = time.monotonic() + LAST_WRITES_SECONDS
    while alive := [process.pid for process in processes if process.is_alive()]:
        if time.monotonic() > deadline:
            raise StoreError(f"root {root}: process {alive[0]} of a killed writer is still running; end it first")
        time.sleep(0.2)


def _holder(path: Path) -> dict[str, Any]:
    try:
        holder: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return holder
