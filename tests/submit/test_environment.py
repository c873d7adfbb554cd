"""What a machine's environment can do to a job: another Python, a full scratch folder, a package in a zip."""

import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from .conftest import REPOSITORY, SAMPLE, submit

pytestmark = pytest.mark.submit

LOCAL = ("--properties-file", "conf/spark/local.conf", "--driver-memory", "1g")
ZIP = REPOSITORY / "dist" / "wikisearch.zip"


def test_another_python_on_the_workers_is_told_in_the_first_stage(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import collections, sys\n"
        "Version = collections.namedtuple('Version', 'major minor micro releaselevel serial')\n"
        "sys.version_info = Version(3, 9, 1, 'final', 0)\n"
    )
    python = tmp_path / "python3.9"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    started = time.monotonic()
    words = ("jobs/parse_dump.py", "--root", str(tmp_path / "root"), "--snapshot", "s", "--dump", str(SAMPLE))
    driver = {"PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": sys.executable}
    ended = submit(*LOCAL, *words, **driver)
    assert ended.returncode == 1
    told = ended.stdout + ended.stderr
    (line,) = [line for line in told.splitlines() if line.startswith("parse_dump: error: ")]
    assert "3.9" in line or "(3, 9)" in line
    assert "3.11" in line or "(3, 11)" in line
    assert time.monotonic() - started < 120
    assert not (tmp_path / "root" / "tables" / "pages").exists()


def test_scratch_lies_where_the_setting_says_and_nothing_is_left(tmp_path: Path) -> None:
    scratch, temporary = tmp_path / "scratch", tmp_path / "tmp"
    scratch.mkdir()
    temporary.mkdir()
    words = ("jobs/parse_dump.py", "--root", str(tmp_path / "root"), "--snapshot", "s", "--dump", str(SAMPLE))
    settings = ("--conf", f"spark.local.dir={scratch}", "--conf", f"spark.executorEnv.TMPDIR={temporary}")
    ended = submit(*LOCAL, *settings, *words, TMPDIR=str(temporary))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert list(scratch.iterdir()) == []
    assert [path.name for path in temporary.iterdir()] == []


def test_the_zip_holds_no_native_code_and_reads_its_data_from_any_folder(tmp_path: Path) -> None:
    assert ZIP.is_file(), "make dist"
    with zipfile.ZipFile(ZIP) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd", ".dylib", ".pyc"))]
    assert [name for name in names if name.endswith(".tsv")]
    code = (
        f"import sys; sys.path = [{str(ZIP)!r}] + [p for p in sys.path if 'main/lib' not in p]\n"
        "from wikisearch.text import titles\n"
        "assert '.zip' in titles.__file__, titles.__file__\n"
        "print(titles.namespace_of('Kategorie:Lampen', titles.Site('de', False, {})))"
    )
    command = [sys.executable, "-S", "-c", code]
    ended = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("14\n", "")
