"""pytrec-eval-terrier over a run and qrels, with its own parsing: seconds and means as JSON.

usage: peer_evaluation.py RUN QRELS REPORT
"""

import json
import resource
import sys
import time
from pathlib import Path

import pytrec_eval

MEASURES = {"ndcg_cut.5,10,20", "P.5,10,20", "map", "recip_rank", "recall.100"}


def main(run: str, qrels: str, report: str) -> None:
    started = time.perf_counter()
    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        listed = pytrec_eval.parse_run(file)
    parsed = time.perf_counter()
    values = pytrec_eval.RelevanceEvaluator(judged, MEASURES).evaluate(listed)
    ended = time.perf_counter()
    found = {
        "parse": parsed - started,
        "evaluate": ended - parsed,
        "map": sum(each["map"] for each in values.values()) / len(values),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    Path(report).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
