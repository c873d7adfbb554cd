import json
import logging
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wikisearch.app.job import Job, JobContext
from wikisearch.app.store import Store
from wikisearch.errors import InputError

pytestmark = pytest.mark.spark


@dataclass(frozen=True)
class Params:
    df: int = field(default=1, metadata={"help": "a number to write"})
    fails: bool = field(default=False, metadata={"help": "fail after the write"})
    in_worker: bool = field(default=False, metadata={"help": "fail in a Python worker"})


def write_lexicon(context: JobContext[Params]) -> None:
    rows = context.spark.createDataFrame([("a", context.params.df, 7)], "term STRING, df LONG, cf LONG")
    if context.params.in_worker:

        def fail(batches: object) -> object:
            raise InputError("page 7: found a hole; mend it")

        rows = rows.mapInArrow(fail, rows.schema)
    context.write("lexicon", rows, facts={"num_terms": 1})
    assert context.rows("lexicon") == 1
    assert context.read("lexicon").collect()[0]["df"] == context.params.df, "a job sees what it wrote"
    if context.params.fails:
        raise InputError("the dump is no dump: found a cat; name another file")


JOB = Job("build_index", "Write a lexicon.", (), ("lexicon",), Params, write_lexicon)


def read_lexicon(context: JobContext[Params]) -> None:
    context.log.info("read df %s of %s", context.read("lexicon").collect()[0]["df"], context.snapshot)


READER = Job("ask", "Read a lexicon.", ("lexicon",), (), Params, read_lexicon)


def test_a_job_stages_then_publishes(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    root = str(tmp_path / "new" / "root")
    assert JOB.main(["--root", root, "--snapshot", "s1"]) == 0
    assert "lexicon: 1 rows, num_terms 1" in caplog.text
    assert READER.main(["--root", root]) == 1
    assert "holds no published snapshot" in capsys.readouterr().err
    assert READER.main(["--root", root, "--snapshot", "s1"]) == 0
    assert JOB.main(["--root", root, "--snapshot", "s2", "--df", "5", "--publish"]) == 0
    assert READER.main(["--root", root]) == 0
    assert "read df 5 of s2" in caplog.text

    (entry,) = [each for each in Store(spark, root).entries() if each.snapshot == "s2"]
    assert (entry.state, entry.job, entry.num_rows) == ("published", "build_index", 1)
    assert json.loads(entry.params)["df"] == 5
    assert json.loads(entry.facts)["num_terms"] == 1
    assert json.loads(entry.facts)["peak_heap_bytes"] > 0


def test_a_failing_job_changes_nothing_and_says_why_in_one_line(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(tmp_path)
    assert JOB.main(["--root", root, "--snapshot", "s1", "--publish"]) == 0
    before = Store(spark, root).entries()
    capsys.readouterr()
    assert JOB.main(["--root", root, "--snapshot", "s1", "--df", "9", "--fails", "--publish"]) == 1
    err = capsys.readouterr().err
    assert err == "build_index: error: the dump is no dump: found a cat; name another file\n"
    assert Store(spark, root).entries() == before
    assert Store(spark, root).read("lexicon").collect()[0]["df"] == 1
    assert JOB.main(["--root", root, "--snapshot", "s1", "--fails", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err
    assert JOB.main(["--root", root, "--snapshot", "s1", "--in-worker"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "build_index: error: page 7: found a hole; mend it"
    assert JOB.main(["--root", root, "--snapshot", "a/b"]) == 2


def test_missing_tables_and_snapshots_are_told(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs = Job("retrieve", "x", ("postings",), ("lexicon",), Params, write_lexicon)
    assert needs.main(["--root", str(tmp_path), "--snapshot", "s1"]) == 1
    assert "table 'postings' is missing; make it with jobs/build_index.py" in capsys.readouterr().err
    assert JOB.main(["--root", str(tmp_path), "--snapshot", "s1"]) == 0
    capsys.readouterr()
    assert READER.main(["--root", str(tmp_path), "--snapshot", "s7"]) == 1
    assert "has no snapshot 's7'; it has: s1" in capsys.readouterr().err
    assert READER.main(["--root", str(tmp_path / "none")]) == 1
    assert "no such folder" in capsys.readouterr().err


def test_the_fingerprint_follows_params_and_inputs() -> None:
    base = JOB.fingerprint(Params(), {"pages": 1})
    assert base == JOB.fingerprint(Params(), {"pages": 1})
    others = {JOB.fingerprint(Params(df=2), {"pages": 1}), JOB.fingerprint(Params(), {"pages": 2}), base}
    assert len(others) == 3
