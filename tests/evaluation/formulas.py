"""The measures of gdeval, of LETOR's script and of ir_measures, as plain loops over one list: oracles."""

import math
from collections.abc import Mapping, Sequence

Ranked = Sequence[str]
Grades = Mapping[str, int]


def gains_of(ranked: Ranked, grades: Grades) -> list[int]:
    return [2 ** max(grades.get(doc, 0), 0) - 1 for doc in ranked]


def ndcg_exp(ranked: Ranked, grades: Grades, cutoff: int) -> float:
    def dcg(gains: Sequence[int]) -> float:
        return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:cutoff]))

    ideal = dcg(sorted(gains_of(list(grades), grades), reverse=True))
    return dcg(gains_of(ranked, grades)) / ideal if ideal else 0.0


def err(ranked: Ranked, grades: Grades, cutoff: int, max_grade: int = 4) -> float:
    value, goes_on = 0.0, 1.0
    for place, gain in enumerate(gains_of(ranked, grades)[:cutoff], start=1):
        stops = gain / 2**max_grade
        value += goes_on * stops / place
        goes_on *= 1 - stops
    return value


def letor_dcg(gains: Sequence[int], cutoff: int) -> float:
    total = 0.0
    for place, gain in enumerate(gains[:cutoff], start=1):
        total += gain if place <= 2 else gain * math.log(2) / math.log(place)
    return total


def letor_ndcg(ranked: Ranked, grades: Grades, cutoff: int, *, padded: bool) -> float:
    if len(ranked) < cutoff and not padded:
        return 0.0
    ideal = letor_dcg(sorted(gains_of(list(grades), grades), reverse=True), cutoff)
    return letor_dcg(gains_of(ranked, grades), cutoff) / ideal if ideal else 0.0


def letor_mean_ndcg(ranked: Ranked, grades: Grades) -> float:
    values = [letor_ndcg(ranked, grades, cutoff, padded=False) for cutoff in range(1, len(ranked) + 1)]
    return sum(values) / len(values) if values else 0.0


def precision(ranked: Ranked, grades: Grades, cutoff: int) -> float:
    return sum(grades.get(doc, 0) >= 1 for doc in ranked[:cutoff]) / cutoff


def average_precision(ranked: Ranked, grades: Grades) -> float:
    found, total = 0, 0.0
    for place, doc in enumerate(ranked, start=1):
        if grades.get(doc, 0) >= 1:
            found += 1
            total += found / place
    num_relevant = sum(grade >= 1 for grade in grades.values())
    return total / num_relevant if num_relevant else 0.0


def rbp(ranked: Ranked, grades: Grades, persistence: float, level: int, cutoff: int | None = None) -> float:
    hits = [grades.get(doc, 0) >= level for doc in ranked[:cutoff]]
    return (1 - persistence) * sum(persistence**place for place, is_hit in enumerate(hits) if is_hit)


def judged(ranked: Ranked, grades: Grades, cutoff: int) -> float:
    shown = ranked[:cutoff]
    return sum(doc in grades for doc in shown) / len(shown) if shown else 0.0
