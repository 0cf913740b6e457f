"""How many points of a space hold a term, kept here because the engine is slow to count.

Asked to weigh terms by one space alone, the embedded engine counts through all its points for every
query: 8 ms at 100,000 points, several times a search. Kept in memory the same counts cost nothing
but 1.5 s of reading when such an index opens after its process died; closed, it leaves them in a
file. No space can see another's words, as each has a table of its own.

Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_CHECKSUM_BYTES = 32


class PointTerms(NamedTuple):
    """What one point contributes: the space it belongs to, and its terms."""

    space: str
    terms: tuple[int, ...]


class Statistics:
    """Points and term frequencies by space."""

    def __init__(self) -> None:
        self.with_terms = 0
        self._points: Counter[str] = Counter()
        self._holding: dict[str, Counter[int]] = {}

    def add(self, points: Iterable[PointTerms]) -> None:
        for words in points:
            self.with_terms += bool(words.terms)
            self._points[words.space] += 1
            self._holding.setdefault(words.space, Counter()).update(words.terms)

    def remove(self, points: Iterable[PointTerms]) -> None:
        for words in points:
            self.with_terms -= bool(words.terms)
            self._points[words.space] -= 1
            holding = self._holding[words.space]
            for term in words.terms:
                holding[term] -= 1
                if not holding[term]:
                    del holding[term]

    def to_bytes(self) -> bytes:
        """Write everything down, with a checksum."""
        spaces = {
            space: [points, [*self._holding[space].items()]]
            for space, points in self._points.items()
            if points
        }
        content = json.dumps([self.with_terms, spaces]).encode()
        return hashlib.sha256(content).digest() + content

    @classmethod
    def from_bytes(cls, saved: bytes, *, points: int) -> Statistics | None:
        """Read what `to_bytes` wrote; None if it is damaged or of another number of points."""
        if not is_whole(saved):
            return None
        statistics = cls()
        statistics.with_terms, spaces = json.loads(saved[_CHECKSUM_BYTES:])
        for space, (stored, holding) in spaces.items():
            statistics._points[space] = stored
            statistics._holding[space] = Counter(dict(holding))
        return statistics if statistics._points.total() == points else None

    def count(self, space: str) -> int:
        """Count the points of a space."""
        return self._points[space]

    def weigh(self, terms: Mapping[int, float], space: str) -> dict[int, float]:
        """Multiply query weights by the idf of the space; terms it does not hold are left out."""
        holding: Mapping[int, int] = self._holding.get(space, {})
        points = self._points[space]
        return {
            term: weight * idf(points, holding[term])
            for term, weight in terms.items()
            if term in holding
        }

    def rarity(self, terms: Iterable[int], space: str) -> dict[int, float]:
        """Return the idf of each term in a space, those it does not hold included."""
        holding: Mapping[int, int] = self._holding.get(space, {})
        points = self._points[space]
        return {term: idf(points, holding.get(term, 0)) for term in terms}


def is_whole(saved: bytes) -> bool:
    """Tell whether these are bytes that `Statistics.to_bytes` wrote, unchanged."""
    return hashlib.sha256(saved[_CHECKSUM_BYTES:]).digest() == saved[:_CHECKSUM_BYTES]


def idf(points: int, holding: int) -> float:
    """Weigh a term by its rarity: positive, and the larger the fewer points hold it."""
    return math.log1p((points - holding + 0.5) / (holding + 0.5))
