"""Speed of evaluation beside pytrec-eval-terrier, measured in one run: a part of `make bench`.

Both compute nDCG and P at 5, 10 and 20, AP, RR and R@100 for each query, and their means, of a seeded run of 7.86
million lines. Writes its table between two marks of tests/bench/RESULTS.md. usage: run_evaluation.py [--rounds N]
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import sys
import time

from evaluation_input import EvaluationInput, evaluation_input
from run import FOLDER, REPOSITORY, environment, timed, write_results

_MARKS = "<!-- evaluation:begin -->", "<!-- evaluation:end -->"
_SUBMIT = ("spark-submit", "--properties-file", "conf/spark/local.conf", "tests/bench/bench_evaluation.py")
_OURS = ("text, first", "text, warm", "table, warm", "table of ten, warm")


def measure_round(given: EvaluationInput) -> dict[str, float]:
    """Every measurement once; the means of both are compared."""
    report = FOLDER / "report.json"
    files = [str(given.run), str(given.qrels), str(report)]
    timed([sys.executable, str(REPOSITORY / "tests/bench/peer_evaluation.py"), *files])
    peer = json.loads(report.read_text())
    timed([*_SUBMIT, *files, str(time.time())])
    ours = json.loads(report.read_text())
    (mean,) = ours["means"].values()
    if abs(mean - peer["map"]) > 1e-9:
        sys.exit(f"bench: AP is {mean}, pytrec-eval-terrier's is {peer['map']}")
    return {
        "peer": peer["parse"] + peer["evaluate"],
        "peer, parse": peer["parse"],
        "peer, MiB": peer["peak_mib"],
        "session start": ours["session start"],
        "heap, MiB": ours["peak heap MiB"],
        **{name: ours[name] for name in _OURS},
    }


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    given = evaluation_input(FOLDER)
    best: dict[str, float] = {}
    for number in range(1, arguments.rounds + 1):
        for name, value in measure_round(given).items():
            sys.stdout.write(f"round {number}: {name}: {value:.1f}\n")
            best[name] = min(value, best.get(name, value))
    peer = best["peer"]
    lines = [
        f"{datetime.date.today()}, best of {arguments.rounds} rounds, load {load:.1f} at the start; "
        f"{environment()}, pytrec-eval-terrier {importlib.metadata.version('pytrec-eval-terrier')}.",
        f"{given.num_run:,} run lines ({given.run.stat().st_size / 1e6:.0f} MB), {given.num_qrels:,} judgements,",
        f"nine measures. pytrec-eval-terrier: {peer:.1f} s, of which parsing {best['peer, parse']:.1f} s; "
        f"{best['peer, MiB']:.0f} MiB.",
        f"Ours: session start {best['session start']:.1f} s; peak of the JVM's heap "
        f"{best['heap, MiB']:.0f} MiB of 6 GiB.",
        "",
        "| ours | wall s | ours / pytrec-eval-terrier |",
        "|---|---:|---:|",
        *(f"| from {name} | {best[name]:.1f} | {best[name] / peer:.2f} |" for name in _OURS[:3]),
        f"| from a table, ten systems in one pass | {best[_OURS[3]]:.1f} | "
        f"{best[_OURS[3]] / best[_OURS[2]]:.2f} of one system |",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    write_results("\n".join(lines), *_MARKS)


if __name__ == "__main__":
    main()
