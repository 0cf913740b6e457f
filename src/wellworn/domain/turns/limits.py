"""The limits of a turn's query, over evidence of every kind: what is beyond them answers nothing.

Thoughts have somebody who said them, and a time; other evidence keeps to a person whom it names,
and to a time that it is of or tells of. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wellworn.domain.memory import LimitKind, Limits, LimitState, tell_limits, tell_missed
from wellworn.domain.thoughts.truth import tells_of
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.kit.words import fold


def hold_evidence(items: Iterable[Evidence], limits: Limits, now: float) -> list[Evidence]:
    """Return evidence of which nothing beyond the limits answers.

    What a tool of others gives was found by their rules.
    """
    return [
        item
        if item.kind is EvidenceKind.TOOL or _is_within(item, limits, now)
        else replace(item, answers=False)
        for item in items
    ]


def _is_within(item: Evidence, limits: Limits, now: float) -> bool:
    # Thoughts were held to who said them where they were found.
    if item.kind is not EvidenceKind.THOUGHT:
        people = limits.list_words(LimitKind.PERSON, LimitState.KEPT)
        if limits.lists_all or (people and not _names(item, people)):
            return False
    return limits.scope.history or _is_of_time(item, limits, now)


def _names(item: Evidence, names: Iterable[str]) -> bool:
    text = fold(f"{item.title} {item.source} {item.text}")
    return any(re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", text) for name in names)


def _is_of_time(item: Evidence, limits: Limits, now: float) -> bool:
    if (within := limits.scope.within) is None:
        return True
    moment = now if item.moment is None else item.moment
    is_of_it = item.moment is not None and within[0] <= moment < within[1]
    return is_of_it or tells_of(item.text, moment, within)


def judge_limits(limits: Limits, cited: Sequence[Evidence], now: float) -> Limits:
    """Return what became of limits in an answer that cites evidence.

    A name that nobody has may be that of what is cited: "What has Carel written?"
    """
    nobody = limits.list_words(LimitKind.PERSON, LimitState.NOBODY)
    limits = limits.drop([name for name in nobody if any(_names(item, [name]) for item in cited)])
    return limits if any(_is_of_time(item, limits, now) for item in cited) else limits.miss_time()


def add_limits(text: str, limits: Limits) -> str:
    """Return an answer below what is to be said of the limits that it does not keep."""
    sentences = " ".join(filter(None, [tell_limits(limits.limits), tell_missed(limits)]))
    return f"{sentences}\n\n{text}" if sentences else text
