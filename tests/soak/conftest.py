"""The real dump of the soak tests, and a refresh as a process that can be watched and killed."""

import re
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from submit.conftest import REPOSITORY, environment
from wikisearch.app.plan import STEPS
from wikisearch.app.setup_environment import ENWIK8_FILE

LOCAL_CONF = REPOSITORY / "conf/spark/local.conf"
HEAP = "2g"
_ENDED = re.compile(r"^(?P<step>\w+) +(?P<state>done|fresh|failed) +(?P<seconds>[0-9.]+)  ", re.MULTILINE)


@pytest.fixture(scope="session")
def enwik8() -> Path:
    """The dump that `make soak` fetches."""
    path = REPOSITORY / "data" / ENWIK8_FILE
    if not path.is_file():
        pytest.skip(f"{path} is not there; `make soak` fetches it")
    return path


class Refresh:
    """A refresh by spark-submit, started at once in a process that one may wait for, look at and kill.

    Args:
        root: the root; what the process prints goes to files beside it.
        snapshot: the snapshot.
        dump: the dump file.
        more: further words of refresh.py's command line.
    """

    def __init__(self, root: Path, snapshot: str, dump: Path, *more: str) -> None:
        self.root = root
        self._log = root.parent / f"{root.name}-{snapshot}-{time.monotonic_ns()}"
        conf = root.parent / "local.conf"
        conf.write_text(re.sub(r"(spark.driver.memory +)\w+", rf"\g<1>{HEAP}", LOCAL_CONF.read_text()))
        words = ["spark-submit", "--properties-file", str(conf), "jobs/refresh.py", "--root", str(root)]
        words += ["--snapshot", snapshot, "--dump", str(dump), "--config", "conf/local.toml"]
        words += ["--spark-conf", str(conf), "--allow-truncated", *more]
        self.started = time.monotonic()
        with self._log.with_suffix(".out").open("wb") as out, self._log.with_suffix(".err").open("wb") as err:
            self._process = subprocess.Popen(words, cwd=REPOSITORY, env=environment(), stdout=out, stderr=err)

    @property
    def out(self) -> str:
        """What it printed so far."""
        return self._log.with_suffix(".out").read_text(encoding="utf-8", errors="replace")

    @property
    def err(self) -> str:
        """What it wrote to stderr so far."""
        return self._log.with_suffix(".err").read_text(encoding="utf-8", errors="replace")

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait(self, timeout: float = 1800) -> int:
        """Waits for its end; returns its exit code."""
        return self._process.wait(timeout)

    def step_seconds(self) -> list[float]:
        """The seconds of each step that has ended, in the plan's order."""
        return [float(found["seconds"]) for found in _ENDED.finditer(self.out)][: len(STEPS)]

    def wait_for_step(self, number: int, timeout: float = 1800) -> None:
        """Waits until so many steps have ended."""
        deadline = time.monotonic() + timeout
        while len(self.step_seconds()) < number:
            assert self.is_running, self.out + self.err
            assert time.monotonic() < deadline, self.out
            time.sleep(0.1)

    def jvm(self) -> psutil.Process:
        """spark-submit's JVM: the process that was started."""
        return psutil.Process(self._process.pid)

    def driver(self) -> psutil.Process:
        """The Python of refresh.py."""
        (found,) = [each for each in self.jvm().children() if any("refresh.py" in word for word in words_of(each))]
        return found

    def family(self) -> list[psutil.Process]:
        """The process and all that it started, as they are now."""
        return [self.jvm(), *self.jvm().children(recursive=True)]


def tell(text: str) -> None:
    """Shows a measurement; `make soak` lets it through."""
    sys.stdout.write(f"\n{text}\n")


def words_of(process: psutil.Process) -> list[str]:
    """The command line of a process; none of one that has ended."""
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):  # a zombie is a NoSuchProcess
        return []


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still runs; one that has ended and is not collected by its parent does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def that_name(root: Path) -> list[psutil.Process]:
    """All processes whose command line has a root in it."""
    return [
        each
        for each in psutil.process_iter()
        if any(str(root) in word for word in words_of(each)) and is_alive(each)
    ]
