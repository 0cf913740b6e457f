"""Which evidence is about a query, and which only stands near it. Pure.

A search always finds something. What answers must hold the words that carry the query's meaning:
all names in it, and nearly all of the rest. Half of the rest is enough where the search is sure by
their meaning, and where what is missing is no word that nothing speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from wellworn.domain.turns.listings import states_price
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.wording import PRICE_STEMS, asks_of_user, list_content_words
from wellworn.engines.retrieval.text import split_words

_LEAST_COVERAGE: Final = 0.5
_MISSING_SHARE: Final = 3
"""Of so many words of meaning one may be missing; of one or two none."""
_SURE_RELEVANCE: Final = 0.6
"""What a search gives to passages that mean what is asked, and hardly to others."""
_LEAST_CERTAINTY: Final = 0.5
"""A passage that a search is less sure of lacks no word of what is asked."""
_LEAST_SPOKEN: Final = 4
"""Half of fewer words is said by too much."""
_LEAST_KEPT: Final = 0.25
_LEAST_RELEVANCE: Final = 0.2
_NAME: Final = re.compile(
    r"\b(?:[A-Z][\w-]*[A-Z0-9][\w-]*|[\w-]*\d[\w.-]*|[A-Za-z]+[-_.][\w.-]+)\b"
)
_IDENTIFIER: Final = re.compile(r"\b(?:[\w-]*\d[\w.-]*|[A-Za-z]+[_.][\w.-]+)\b")
_SEARCHED: Final = frozenset((EvidenceKind.KNOWLEDGE, EvidenceKind.THOUGHT))
"""What a search found by its meaning; its relevance is what the search gave to it."""
PROFILE: Final = frozenset((EvidenceKind.PREFERENCE, EvidenceKind.FACT))
"""What is known of the user: it shapes an answer, and is one only to who asks for it."""
_REMEMBERED: Final = 256
_ORDER: Final = {kind: place for place, kind in enumerate(EvidenceKind)}


class _Wanted(NamedTuple):
    """What a goal asks for: its words of meaning, its names, and whether it asks of the user.

    Attributes:
        identifiers: the names that have digits or are put together, for which nothing else will do.
    """

    words: frozenset[str]
    names: frozenset[str]
    identifiers: frozenset[str]
    is_of_user: bool


def select_evidence(goals: Sequence[str], candidates: Sequence[Evidence]) -> list[Evidence]:
    """Return what is near one of the goals, best first, each judged by whether it answers one."""
    wanted = [_read_goal(goal) for goal in goals]
    known = frozenset[str]().union(*map(_list_spoken_of, candidates))
    judged = [
        replace(item, answers=any(_answers(each, item, known) for each in wanted))
        for item in candidates
    ]
    near = [item for item in judged if item.answers or any(_is_near(each, item) for each in wanted)]
    return sorted(
        near, key=lambda item: (not item.answers, -_score(wanted, item), _ORDER[item.kind])
    )


def measure_score(goal: str, item: Evidence) -> float:
    """Return how much of a goal evidence speaks of, 0 to 1."""
    return _score([_read_goal(goal)], item)


def list_names(query: str) -> list[str]:
    """Return the words of a query that name a certain thing: `node-11`, `GPT4`, `10.0.0.5`."""
    return _list_stems(_NAME, query)


def _list_stems(pattern: re.Pattern[str], query: str) -> list[str]:
    return [stem for name in pattern.findall(query) for stem in split_words(name)[:1]]


def _read_goal(goal: str) -> _Wanted:
    words, names = frozenset(list_content_words(goal)), frozenset(list_names(goal))
    return _Wanted(words, names, frozenset(_list_stems(_IDENTIFIER, goal)), asks_of_user(goal))


def _answers(wanted: _Wanted, item: Evidence, known: frozenset[str]) -> bool:
    if not item.answers:
        return False
    if item.kind in PROFILE:
        return wanted.is_of_user and _score([wanted], item) >= _LEAST_COVERAGE
    spoken, most_missing = _list_spoken_of(item), len(wanted.words) // _MISSING_SHARE
    missing = wanted.words - spoken
    is_doubtful = item.kind is EvidenceKind.KNOWLEDGE and item.relevance < _LEAST_CERTAINTY
    if wanted.names <= spoken and len(missing) <= (0 if is_doubtful else most_missing):
        return True
    return _is_surely_meant(wanted, item) and len(wanted.words - known) <= most_missing


def _is_surely_meant(wanted: _Wanted, item: Evidence) -> bool:
    """Tell whether a search is sure of evidence that says half of what is asked."""
    if item.kind not in _SEARCHED or item.relevance < _SURE_RELEVANCE:
        return False
    spoken = _list_spoken_of(item)
    spoken_words = len(wanted.words & spoken)
    is_half = spoken_words >= max(_LEAST_SPOKEN, _LEAST_COVERAGE * len(wanted.words))
    return is_half and wanted.identifiers <= spoken


def _is_near(wanted: _Wanted, item: Evidence) -> bool:
    is_relevant = item.kind in PROFILE or item.relevance >= _LEAST_RELEVANCE
    return is_relevant and _score([wanted], item) >= _LEAST_KEPT


def _score(goals: Sequence[_Wanted], item: Evidence) -> float:
    """Return how much of the goal that it serves best the evidence speaks of, 0 to 1."""
    spoken = _list_spoken_of(item)
    return max(
        len(goal.words & spoken) / len(goal.words) if goal.words else item.relevance
        for goal in goals
    )


def _list_spoken_of(item: Evidence) -> frozenset[str]:
    return _list_spoken(f"{item.title} {item.text} {item.source}")


@lru_cache(maxsize=_REMEMBERED)
def _list_spoken(text: str) -> frozenset[str]:
    """Return the words that a text speaks of; who states a price speaks of prices."""
    words = frozenset(split_words(text))
    return words | PRICE_STEMS if states_price(text) else words
