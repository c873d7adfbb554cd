"""What a user sees of the command line is in files, so that every change of it shows in a review."""

import subprocess
import sys
from pathlib import Path

import pytest

from wikisearch.app.config import JOB_NAMES

GOLDEN = Path(__file__).parent
REPOSITORY = GOLDEN.parent.parent

COMMANDS = {
    "local": ["--root", "demo", "--snapshot", "20060303", "--config", "conf/local.toml", "--dump", "dump.xml.bz2"],
    "cluster": [
        *("--root", "hdfs:///wiki/en", "--snapshot", "20260201", "--config", "conf/cluster.toml"),
        *("--dump", "hdfs:///dumps/enwiki-20260201-pages-articles*.bz2", "--master", "yarn"),
        *("--spark-conf", "conf/spark/cluster.conf", "--py-files", "dist/wikisearch.zip"),
    ],
    "first-pages": [
        *("--root", "demo", "--snapshot", "try", "--dump", "a dump.xml", "--limit", "500", "--allow-truncated"),
    ],
}


def output(job: str, words: list[str]) -> str:
    ended = subprocess.run(
        [sys.executable, f"jobs/{job}.py", *words],
        cwd=REPOSITORY,
        env={"COLUMNS": "100", "PATH": "/usr/bin:/bin", "PYTHONPATH": "lib"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def compare(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"if the change is meant: make golden ({path.name})"


@pytest.mark.parametrize("job", JOB_NAMES)
def test_help(job: str, request: pytest.FixtureRequest) -> None:
    compare(GOLDEN / "help" / f"{job}.txt", output(job, ["--help"]), request)


@pytest.mark.parametrize("name", COMMANDS)
def test_plan_commands(name: str, request: pytest.FixtureRequest) -> None:
    compare(GOLDEN / "commands" / f"{name}.txt", output("refresh", [*COMMANDS[name], "--print"]), request)
