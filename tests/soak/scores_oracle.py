"""BM25 and TF-IDF in plain Python, written from the formulas and not from the package."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

Scores = dict[str, float]


class Collection:
    """What the formulas need of a collection.

    Args:
        documents: text by document id.
        analyze: a text to its terms.
    """

    def __init__(self, documents: Iterable[tuple[str, str]], analyze: Callable[[str], list[str]]) -> None:
        self._analyze = analyze
        self.lengths: dict[str, int] = {}
        self.postings: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for doc_id, text in documents:
            terms = analyze(text)
            self.lengths[doc_id] = len(terms)
            for term, tf in Counter(terms).items():
                self.postings[term].append((doc_id, tf))
        self.num_docs = len(self.lengths)
        self.average = math.fsum(self.lengths.values()) / self.num_docs
        squares: dict[str, list[float]] = defaultdict(list)
        for term, entries in self.postings.items():
            for doc_id, tf in entries:
                squares[doc_id].append(self._ltc(tf, term) ** 2)
        self._norms = {doc_id: math.sqrt(math.fsum(parts)) for doc_id, parts in squares.items()}

    def _ltc(self, tf: int, term: str) -> float:
        """Salton & Buckley 1988: (1 + ln tf) ln(N / df)."""
        return (1 + math.log(tf)) * math.log(self.num_docs / len(self.postings[term]))

    def _known(self, query: str) -> Counter[str]:
        return Counter(term for term in self._analyze(query) if term in self.postings)

    def bm25(self, query: str, k1: float, b: float) -> Scores:
        """Robertson & Zaragoza 2009, section 3.4, with the idf of Lucene; each document that has a term."""
        parts: dict[str, list[float]] = defaultdict(list)
        for term, count in self._known(query).items():
            entries = self.postings[term]
            df = len(entries)
            idf = math.log(1 + (self.num_docs - df + 0.5) / (df + 0.5))
            for doc_id, tf in entries:
                norm = (1 - b) + b * self.lengths[doc_id] / self.average
                parts[doc_id].append(count * idf * tf * (k1 + 1) / (tf + k1 * norm))
        return {doc_id: math.fsum(each) for doc_id, each in parts.items()}

    def tfidf(self, query: str) -> Scores:
        """The cosine of both vectors (ltc.ltc)."""
        weights = {term: self._ltc(count, term) for term, count in self._known(query).items()}
        norm = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        parts: dict[str, list[float]] = defaultdict(list)
        for term, weight in weights.items():
            for doc_id, tf in self.postings[term]:
                parts[doc_id].append(weight * self._ltc(tf, term))
        return {
            doc_id: math.fsum(each) / norm / self._norms[doc_id]
            for doc_id, each in parts.items()
            if math.fsum(each) > 0
        }


def best(scores: Mapping[str, float], k: int) -> list[tuple[str, float]]:
    """The k best: score descending, then document id descending as bytes."""
    return sorted(scores.items(), key=lambda item: (item[1], item[0].encode()), reverse=True)[:k]
