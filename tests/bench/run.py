"""Speed of reading and parsing a dump beside its peers, measured in one run: `make bench`.

The machine may be shared and noisy, so what counts are the ratios: each peer runs in the same round as ours, and
the best of the rounds is taken for each. Writes the table between two marks of tests/bench/RESULTS.md, whose
other sections stay. usage: run.py [--rounds N]
"""

import argparse
import bz2
import datetime
import importlib.metadata
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

import psutil
from bench_input import COPIES, MANY_COPIES, BenchInput, bench_input
from lxml import etree

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY.parent / "shared/cases-real/dumps/gensim-enwiki-shortened.xml.bz2"
FOLDER = REPOSITORY / "data/bench"
RESULTS = REPOSITORY / "tests/bench/RESULTS.md"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
# In an environment of their own: they are peers, not dependencies.
PEERS = ("wikiextractor==3.1.0", "mwparserfromhell==0.7.2")
SUBMIT = ("spark-submit", "--properties-file", "conf/spark/local.conf", "tests/bench/bench_spark.py")

Seconds = tuple[float, float]  # wall, CPU of the whole process tree


def timed(command: list[str] | str) -> Seconds:
    """Runs a command to its end."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(
        command, shell=isinstance(command, str), cwd=REPOSITORY, capture_output=True, check=False
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        sys.exit(f"{command}: exit code {ended.returncode}\n{ended.stderr.decode()[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peer_python() -> str:
    """The Python of the environment that holds the peers, made where it is not there."""
    python, installed = FOLDER / "peers/bin/python", FOLDER / "peers/installed.txt"
    if not installed.is_file() or installed.read_text().split() != list(PEERS):
        venv.create(FOLDER / "peers", clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        installed.write_text(" ".join(PEERS))
    return str(python)


def spark(what: str, path: Path, *rest: str) -> dict[str, object]:
    """One spark-submit of bench_spark.py."""
    report = FOLDER / "report.json"
    timed([*SUBMIT, what, str(path), str(report), str(time.time()), *rest])
    found: dict[str, object] = json.loads(report.read_text())
    return found


def size_of(dump: BenchInput) -> str:
    """How long a dump is, for names of rows."""
    return f"{dump.num_bytes / 1e6:.0f} MB"


def measure_whole(dump: BenchInput, peer: str) -> dict[str, Seconds]:
    """From a dump to the text of its articles, by us and by WikiExtractor."""
    size = size_of(dump)
    extracted = FOLDER / "we"
    shutil.rmtree(extracted, ignore_errors=True)
    command = [
        peer,
        "-m",
        "wikiextractor.WikiExtractor",
        "--processes",
        "2",
        "--no-templates",
        "--json",
        "--quiet",
    ]
    theirs = timed([*command, "-o", str(extracted), str(dump.multistream)])
    root = FOLDER / "root"
    shutil.rmtree(root, ignore_errors=True)
    found = spark("articles", dump.multistream, str(root))
    wall, cpu = found["whole"]  # type: ignore[misc]
    return {f"WikiExtractor, {size}": theirs, f"dump to articles, {size}": (wall, cpu)}


def parser_seconds(python: str, which: str, articles: Path) -> Seconds:
    """One process over the sample of articles."""
    report = FOLDER / "report.json"
    timed([python, "tests/bench/bench_wikitext.py", which, str(articles), str(report), "1"])
    (seconds,) = json.loads(report.read_text())
    return seconds[0], seconds[1]


def measure_round(dump: BenchInput, large: BenchInput, articles: Path, peer: str) -> dict[str, Seconds]:
    """Every measurement once."""
    seconds: dict[str, Seconds] = {}
    for kind, path in (("multistream", dump.multistream), ("single stream", dump.single_stream)):
        seconds[f"bzcat, {kind}"] = timed(f"bzcat '{path}' | wc -c")
        found = spark("reading", path)
        seconds[f"reading, {kind}, warm session"] = tuple(found["warm"])  # type: ignore[assignment, arg-type]
        seconds[f"reading, {kind}, with session start"] = tuple(found["cold"])  # type: ignore[assignment, arg-type]
    for each in (dump, large):
        seconds |= measure_whole(each, peer)
    seconds["scanner"] = parser_seconds(sys.executable, "ours", articles)
    seconds["mwparserfromhell"] = parser_seconds(peer, "mwparserfromhell", articles)
    return seconds


def rows(best: dict[str, Seconds], dump: BenchInput, large: BenchInput, text_bytes: int) -> list[str]:
    """The table: each of ours with its peer and the ratios."""
    xml_bytes = dump.num_bytes
    pairs = [
        ("reading, multistream, warm session", "bzcat, multistream", xml_bytes),
        ("reading, multistream, with session start", "bzcat, multistream", xml_bytes),
        ("reading, single stream, warm session", "bzcat, single stream", xml_bytes),
        ("reading, single stream, with session start", "bzcat, single stream", xml_bytes),
        *(
            (f"dump to articles, {size_of(each)}", f"WikiExtractor, {size_of(each)}", each.num_bytes)
            for each in (dump, large)
        ),
        ("scanner", "mwparserfromhell", text_bytes),
    ]
    lines = [
        "| ours | wall s | CPU s | MB/s | peer | wall s | CPU s | MB/s | wall, ours / peer | CPU, ours / peer |",
        "|---|---:|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    for ours, peer, size in pairs:
        (wall, cpu), (peer_wall, peer_cpu) = best[ours], best[peer]
        lines.append(
            f"| {ours} | {wall:.1f} | {cpu:.1f} | {size / wall / 1e6:.1f} "
            f"| {peer} | {peer_wall:.1f} | {peer_cpu:.1f} | {size / peer_wall / 1e6:.1f} "
            f"| {wall / peer_wall:.2f} | {cpu / peer_cpu:.2f} |"
        )
    return lines


def environment() -> str:
    """Machine and versions, in a line."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[0]
    bzip2 = subprocess.run(["bzcat", "--version"], capture_output=True, text=True, check=False).stderr
    parts = [
        f"{os.cpu_count()} cores ({models[0].split(': ')[1] if models else platform.machine()})",
        f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        *(f"bzip2 {found[1]}" for found in [re.search(r"Version ([0-9.]+[0-9])", bzip2)] if found),
        java.replace('"', ""),
        f"Python {platform.python_version()}",
        *(f"{name} {importlib.metadata.version(name)}" for name in ("pyspark", "pyarrow", "delta-spark")),
        *PEERS,
    ]
    return ", ".join(parts)


def write_results(block: str, begin: str = BEGIN, end: str = END) -> None:
    """Puts the block between its marks, and leaves the rest of the file as it is."""
    text = RESULTS.read_text(encoding="utf-8")
    head, tail = text.split(begin)[0], text.split(end)[1]
    RESULTS.write_text(f"{head}{begin}\n{block}\n{end}{tail}", encoding="utf-8")


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    if not SOURCE.exists():
        sys.exit(f"bench: {SOURCE.relative_to(REPOSITORY.parent)} is not beside this checkout; nothing to measure")
    load = os.getloadavg()[0]
    dump, large = (bench_input(SOURCE, FOLDER, copies) for copies in (COPIES, MANY_COPIES))
    articles = sample_of_articles()
    peer = peer_python()
    say: Callable[[str], object] = sys.stdout.write
    best: dict[str, Seconds] = {}
    for number in range(1, arguments.rounds + 1):
        for name, (wall, cpu) in measure_round(dump, large, articles, peer).items():
            say(f"round {number}: {name}: {wall:.1f} s wall, {cpu:.1f} s CPU\n")
            known = best.get(name, (wall, cpu))
            best[name] = min(wall, known[0]), min(cpu, known[1])
    text_bytes = sum(len(json.loads(line)[1].encode()) for line in articles.read_text().splitlines())
    block = "\n".join(
        [
            f"{datetime.date.today()}, best of {arguments.rounds} rounds, load {load:.1f} at the start; "
            f"{environment()}.",
            f"The dump: {SOURCE.name} copied {COPIES} times with new ids and titles, "
            f"{size_of(dump)} of XML, {dump.num_pages:,} pages, compressed anew; "
            f"the large one {MANY_COPIES} times.",
            'CPU is that of all processes of a row; "dump to articles" is parse_dump and extract_articles',
            "in one spark-submit, start of the session included, into Delta tables; WikiExtractor runs with two",
            "processes, `--no-templates --json`; scanner and mwparserfromhell (strip_code and links) run in one",
            f"process over the {text_bytes / 1e6:.1f} MB of wikitext of the articles before copying.",
            "",
            *rows(best, dump, large, text_bytes),
        ]
    )
    say(block + "\n")
    write_results(block)


def sample_of_articles() -> Path:
    """The articles of the source dump, a JSON list of title and wikitext a line."""
    path = FOLDER / "articles.jsonl"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with bz2.open(SOURCE) as file, path.open("w", encoding="utf-8") as out:
        for _, page in etree.iterparse(file, tag="{*}page"):
            text = page.findtext("{*}revision/{*}text") or ""
            if page.findtext("{*}ns") == "0" and page.find("{*}redirect") is None:
                out.write(json.dumps([page.findtext("{*}title"), text]) + "\n")
            page.clear()
    return path


if __name__ == "__main__":
    main()
