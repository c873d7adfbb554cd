"""A run of 100 million rows on disk is evaluated with a heap of 4 GB."""

import json
import math
import re
import subprocess
from pathlib import Path

import pytest

from submit.conftest import REPOSITORY, environment

from .conftest import LOCAL_CONF, tell
from .large_run import DEPTH

pytestmark = pytest.mark.soak

NUM_QUERIES = 100_000


def test_a_hundred_million_rows(tmp_path: Path) -> None:
    command = ["spark-submit", "--properties-file", str(LOCAL_CONF), "--driver-memory", "4g"]
    command += ["tests/soak/large_run.py", str(tmp_path), str(NUM_QUERIES)]
    ended = subprocess.run(command, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    (said,) = re.findall(r"^found (.*)$", ended.stdout, re.MULTILINE)
    found = json.loads(said)
    assert found["num_rows"] == NUM_QUERIES * DEPTH
    expected = math.fsum(1 / (query % DEPTH + 1) for query in range(NUM_QUERIES)) / NUM_QUERIES
    assert found["rr"] == pytest.approx(expected, abs=1e-12)
    assert found["ap"] == pytest.approx(expected, abs=1e-12)
    tell(
        f"{found['num_rows']:,} run rows evaluated in {found['seconds']:.0f} s with a heap of 4 GB, "
        f"peak {found['peak_heap_mib']:.0f} MiB"
    )
