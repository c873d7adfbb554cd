"""What spark-submit runs in the bench: reading a dump, or the two jobs from a dump to `articles`.

usage: bench_spark.py reading FILE REPORT STARTED
       bench_spark.py articles FILE REPORT STARTED ROOT

Writes JSON to REPORT: seconds, CPU seconds of the whole process tree, and what came out. STARTED is the time at
which spark-submit was started, so that the first measurement includes the start of the session.
"""

import json
import sys
import time
from pathlib import Path

import psutil
from pyspark.sql import SparkSession

from wikisearch.app.session import open_session, versions
from wikisearch.app.store import Store
from wikisearch.dump.files import find_dump_files
from wikisearch.dump.pages import read_dump
from wikisearch.dump.params import DumpParams
from wikisearch.dump.siteinfo import site_of_files

_JOBS = Path(__file__).parents[2] / "jobs"


def tree_cpu_seconds() -> float:
    """User and system time so far of spark-submit's JVM, this driver and all Python workers."""
    driver = psutil.Process()
    jvm = driver.parent() or driver
    total = 0.0
    for process in [jvm, *jvm.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue  # its time is its parent's by now
        total += times.user + times.system + times.children_user + times.children_system
    return total


def read_records(spark: SparkSession, path: str) -> None:
    """Reads all records of a dump and keeps none."""
    params = DumpParams(dump=(path,))
    files = find_dump_files(params.dump)
    records = read_dump(spark, files, site_of_files(files).site, params)
    records.write.format("noop").mode("overwrite").save()


def reading(path: str, started: float) -> dict[str, object]:
    """Cold: from the start of spark-submit to the last record; warm: once more in the same session."""
    with open_session("bench") as spark:
        read_records(spark, path)
        cold_wall, cold_cpu = time.time() - started, tree_cpu_seconds()
        warm_started = time.perf_counter()
        read_records(spark, path)
        return {
            "cold": [cold_wall, cold_cpu],
            "warm": [time.perf_counter() - warm_started, tree_cpu_seconds() - cold_cpu],
            "versions": versions(spark),
        }


def articles(path: str, root: str, started: float) -> dict[str, object]:
    """Dump → `pages` → `articles` by the jobs as they are, in one session."""
    sys.path.insert(0, str(_JOBS))
    import extract_articles
    import parse_dump

    place = ["--root", root, "--snapshot", "bench"]
    with open_session("bench") as spark:
        session = time.time() - started
        code = parse_dump.main([*place, "--dump", path])
        parsed = time.time() - started
        code = code or extract_articles.main(place)
        if code:
            sys.exit(code)
        done = [time.time() - started, tree_cpu_seconds()]
        num_articles = Store(spark, root).read("articles", "bench").count()
        seconds = {"session": session, "parse_dump": parsed - session, "extract_articles": done[0] - parsed}
        return {"whole": done, "num_articles": num_articles, "seconds": seconds}


def main() -> None:
    """Runs what the command line says."""
    what, path, report, started, *rest = sys.argv[1:]
    found = reading(path, float(started)) if what == "reading" else articles(path, rest[0], float(started))
    Path(report).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
