"""Which evidence is about a query, and which only stands near it. Pure.

A search always finds something. What answers must hold the words that carry the query's meaning:
all names in it, and nearly all of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.wording import asks_of_user, list_content_words, measure_coverage
from wellworn.engines.retrieval.text import split_words

_LEAST_COVERAGE: Final = 0.5
_MISSING_SHARE: Final = 3
"""Of so many words of meaning one may be missing; of one or two none."""
_LEAST_KEPT: Final = 0.25
_LEAST_RELEVANCE: Final = 0.2
_NAME: Final = re.compile(
    r"\b(?:[A-Z][\w-]*[A-Z0-9][\w-]*|[\w-]*\d[\w.-]*|[A-Za-z]+[-_.][\w.-]+)\b"
)
PROFILE: Final = frozenset((EvidenceKind.PREFERENCE, EvidenceKind.FACT))
"""What is known of the user: it shapes an answer, and is one only to who asks for it."""
_ORDER: Final = {kind: place for place, kind in enumerate(EvidenceKind)}


def select_evidence(goals: Sequence[str], candidates: Sequence[Evidence]) -> list[Evidence]:
    """Return what is near one of the goals, best first, each judged by whether it answers one."""
    judged = [
        replace(item, answers=any(_answers(goal, item) for goal in goals)) for item in candidates
    ]
    near = [item for item in judged if item.answers or any(_is_near(goal, item) for goal in goals)]
    return sorted(
        near, key=lambda item: (not item.answers, -_score(goals, item), _ORDER[item.kind])
    )


def list_names(query: str) -> list[str]:
    """Return the words of a query that name a certain thing: `node-11`, `GPT4`, `10.0.0.5`."""
    return [stem for name in _NAME.findall(query) for stem in split_words(name)[:1]]


def _answers(goal: str, item: Evidence) -> bool:
    if not item.answers:
        return False
    if item.kind in PROFILE:
        return asks_of_user(goal) and _score([goal], item) >= _LEAST_COVERAGE
    spoken = set(split_words(f"{item.title} {item.text} {item.source}"))
    asked = set(list_content_words(goal))
    names = set(list_names(goal))
    return names <= spoken and len(asked - spoken) <= len(asked) // _MISSING_SHARE


def _is_near(goal: str, item: Evidence) -> bool:
    is_relevant = item.kind in PROFILE or item.relevance >= _LEAST_RELEVANCE
    return is_relevant and _score([goal], item) >= _LEAST_KEPT


def _score(goals: Sequence[str], item: Evidence) -> float:
    """Return how much of the goal that it serves best the evidence speaks of, 0 to 1."""
    return max(
        measure_coverage(goal, item.title, item.text, item.source)
        if list_content_words(goal)
        else item.relevance
        for goal in goals
    )
