"""A standalone Spark cluster on loopback (a master and two workers of one core), out of the installed pyspark."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyspark
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SPARK_HOME = Path(pyspark.__file__).parent
SAMPLE = REPOSITORY / "tests/sample/samplewiki-20260101-pages-articles.xml"


def environment(**more: str) -> Mapping[str, str]:
    """What a user's shell has after `make setup`: the environment's bin first on the PATH, and no PYTHONPATH."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | more


def submit(*words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Runs spark-submit from the repository root to its end."""
    return subprocess.run(
        ["spark-submit", *words],
        cwd=REPOSITORY,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"nothing listens on port {port}: {log.read_text(encoding='utf-8', errors='replace')}")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The master's URL; everything is stopped at the end."""
    folder = tmp_path_factory.mktemp("cluster")
    spark_class = str(SPARK_HOME / "bin" / "spark-class")
    port = free_port()
    processes = []

    def start(name: str, *words: str) -> "subprocess.Popen[bytes]":
        with (folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [spark_class, *words], stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                env=environment(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable),
            )
        processes.append(process)
        return process

    try:
        master = start(
            "master", "org.apache.spark.deploy.master.Master",
            *("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())),
        )
        wait_for_port(port, master, folder / "master.log")
        for number in (1, 2):
            ui = free_port()
            worker = start(
                f"worker{number}", "org.apache.spark.deploy.worker.Worker",
                *("--host", "127.0.0.1", "--cores", "1", "--memory", "2g", "--webui-port", str(ui)),
                *("--work-dir", str(folder / f"work{number}"), f"spark://127.0.0.1:{port}"),
            )
            wait_for_port(ui, worker, folder / f"worker{number}.log")
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=30)
