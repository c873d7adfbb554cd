"""Processes: which JVM works for us, and children that end with their parent."""

import ctypes
import os
import signal
from pathlib import Path

import psutil
from pyspark.sql import SparkSession

# Set in the environment of a step that a plan starts.
STEP_OF_PLAN = "WIKISEARCH_STEP_OF_PLAN"

_PR_SET_PDEATHSIG = 1  # prctl(2), Linux


def jvm_pid(spark: SparkSession) -> int:
    """The process id of the driver's JVM."""
    return int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]


def is_driver_of_spark_submit() -> bool:
    """Whether spark-submit's JVM started this process, so that it is our parent."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def end_with_parent() -> None:
    """Has the kernel end this process when its parent dies, however that happens (Linux; else nothing).

    A killed refresh must not leave a step writing. It holds across exec, so it reaches spark-submit's JVM.
    """
    if hasattr(signal, "SIGKILL") and os.uname().sysname == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def peak_worker_bytes(spark: SparkSession) -> int:
    """The largest resident size that a Python worker of this machine reached so far, in bytes; 0 if none runs.

    Reads the high-water mark that Linux keeps for each process; elsewhere the present size is all there is.
    """
    workers = [
        process
        for process in psutil.Process(jvm_pid(spark)).children(recursive=True)
        if process.pid != os.getpid()
    ]
    return max((_high_water_bytes(process) for process in workers), default=0)


def _high_water_bytes(process: psutil.Process) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        marks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(marks[0]) * 1024 if marks else int(process.memory_info().rss)
    except (OSError, psutil.NoSuchProcess):
        return 0
