import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wikisearch.app.roots import LOCK_TOKEN, check_writable, normalized_root, one_writer
from wikisearch.errors import StoreError

HOLD = """
import sys, time
from wikisearch.app.roots import one_writer
with one_writer(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(root: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": "lib"},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        message = f"is being written by process {process.pid}"
        with pytest.raises(StoreError, match=message), one_writer(str(tmp_path)):
            pass
    finally:
        process.kill()
        process.wait()
    with one_writer(str(tmp_path)) as lock:
        assert lock is not None


def test_what_a_killed_holder_started_is_waited_for(tmp_path: Path) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1.5)"])
    code = HOLD.replace("one_writer(sys.argv[1]):", "one_writer(sys.argv[1]) as lock:").replace(
        'print("held"', f'lock.add_process({sleeper.pid}); print("held"'
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": "lib"},
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.wait()
    # Reaps the sleeper the moment it ends: a zombie would count as alive.
    threading.Thread(target=sleeper.wait, daemon=True).start()
    with one_writer(str(tmp_path)):
        assert sleeper.poll() is not None, "the lock was given while a process of the killed holder still ran"


def test_a_step_of_the_holder_passes(tmp_path: Path) -> None:
    with one_writer(str(tmp_path)) as lock:
        assert lock is not None
        assert os.environ[LOCK_TOKEN] == lock.token
        with one_writer(str(tmp_path)) as inner:
            assert inner is None
    assert LOCK_TOKEN not in os.environ


def test_roots_are_normalised(tmp_path: Path) -> None:
    assert normalized_root(f"file:{tmp_path}/") == str(tmp_path)
    assert normalized_root(f"file://{tmp_path}") == str(tmp_path)
    assert normalized_root("hdfs://name/wiki/") == "hdfs://name/wiki"


def test_an_unwritable_root_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StoreError, match="cannot be written"):
        check_writable(str(file / "root"))
