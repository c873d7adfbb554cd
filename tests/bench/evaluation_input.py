"""Seeded runs and qrels to evaluate: as many lines as MS MARCO's development queries with 1,000 documents each."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

NUM_QUERIES, NUM_DOCS, NUM_JUDGED, SEED = 7_863, 1_000, 39, 7
_COLLECTION = 2_000_000


@dataclass(frozen=True)
class EvaluationInput:
    """The two files, and how many lines they have."""

    run: Path
    qrels: Path
    num_run: int
    num_qrels: int


def evaluation_input(folder: Path) -> EvaluationInput:
    """The files, made where they are not there: about half of the judged documents are in the list."""
    folder.mkdir(parents=True, exist_ok=True)
    made = EvaluationInput(folder / "bench.run", folder / "bench.qrels", NUM_QUERIES * NUM_DOCS, 0)
    if not made.qrels.exists():
        _write(made.run, made.qrels)
    with made.qrels.open() as file:
        return EvaluationInput(made.run, made.qrels, made.num_run, sum(1 for _ in file))


def _write(run: Path, qrels: Path) -> None:
    random = np.random.default_rng(SEED)
    scratch = qrels.with_suffix(".part")
    with run.open("w") as listed, scratch.open("w") as judged:
        for number in range(NUM_QUERIES):
            query = 100_000 + number
            docs = random.choice(_COLLECTION, NUM_DOCS, replace=False)
            scores = np.sort(random.gamma(4, 3, NUM_DOCS))[::-1]
            for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1):
                listed.write(f"{query} Q0 D{doc:07d} {rank} {score:.6f} bm25\n")
            places = np.minimum(NUM_DOCS - 1, random.geometric(0.02, NUM_JUDGED // 2))
            others = _COLLECTION + np.arange(NUM_JUDGED - NUM_JUDGED // 2)
            for doc in dict.fromkeys([*docs[places].tolist(), *others.tolist()]):
                judged.write(f"{query} 0 D{doc:07d} {random.integers(0, 3)}\n")
    scratch.replace(qrels)
