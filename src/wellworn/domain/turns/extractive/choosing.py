"""Which evidence is about a query, and which only stands near it. Pure.

A search always finds something. What answers must hold the words that carry the query's meaning:
all names in it, and nearly all of the rest. Half of the rest is enough where the search is sure by
their meaning, and where what is missing is no word that nothing speaks of. Passages of documents
are judged by their best stretch instead, where the encoder compares them with the question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from wellworn.domain.reading import list_identifiers
from wellworn.domain.turns.citing import is_of_past
from wellworn.domain.turns.extractive.matching import (
    PassageMatcher,
    ReadAnswer,
    list_stems,
)
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
_LEAST_LIKENESS: Final = 0.58
"""The likeness of a stretch that answers; see `docs/benchmarks.md`, "Turns"."""
_MOST_BEHIND: Final = 0.06
"""So much less like the question is what is quoted beside the best."""
_UNNAMED: Final = 0.1
"""What a passage loses that does not say a name of the question."""
_UNLIKE, _OF_ANOTHER = -1.0, 0.0
"""The likeness of a passage that is not compared, and of a part of another one."""
_MOST_COMPARED: Final = 4
"""Passages that are compared with a goal, in their order: encoding each takes 8 ms or more."""
_NAME: Final = re.compile(
    r"\b(?:[A-Z](?:[^\WA-Z0-9]|-)*+[A-Z0-9][\w-]*|(?:[^\W\d]|-){0,60}+\d[\w.-]*|[A-Za-z]+[-_.][\w.-]+)\b"
)
_CALLED: Final = re.compile(r"(?<=\S )[A-Z][\w-]+")
_SEARCHED: Final = frozenset((EvidenceKind.KNOWLEDGE, EvidenceKind.THOUGHT))
"""What a search found by its meaning; its relevance is what the search gave to it."""
PROFILE: Final = frozenset((EvidenceKind.PREFERENCE, EvidenceKind.FACT))
"""What is known of the user: it shapes an answer, and is one only to who asks for it."""
READABLE: Final = frozenset(EvidenceKind) - PROFILE - {EvidenceKind.TURN}
"""What a reader judges; of turns and of the user other words tell."""
ANSWERS: Final = 0.3
"""The probability from which a passage answers; see `docs/benchmarks.md`, "Reading"."""
_SURELY: Final = 100.0
_REMEMBERED: Final = 256
_ORDER: Final = {kind: place for place, kind in enumerate(EvidenceKind)}


class _Wanted(NamedTuple):
    """What a goal asks for: its words of meaning, its names, and whether it asks of the user.

    Attributes:
        called: the words of meaning that are written large within it.
        identifiers: the names that have digits or are put together, for which nothing else will do.
    """

    text: str
    words: frozenset[str]
    names: frozenset[str]
    called: frozenset[str]
    identifiers: frozenset[str]
    is_of_user: bool


def select_evidence(
    goals: Sequence[str], candidates: Sequence[Evidence], matcher: PassageMatcher | None = None
) -> list[Evidence]:
    """Return what is near one of the goals, best first, each judged by whether it answers one.

    What holds speaks before what a document of the past said.
    """
    matcher = matcher or PassageMatcher()
    wanted = [_read_goal(goal) for goal in goals]
    reads = [matcher.read(goal, candidates) for goal in goals]
    if any(read is not None for read in reads):
        return _select_by_reading(wanted, candidates, [read or {} for read in reads])
    known = frozenset[str]().union(*map(_list_spoken_of, candidates))
    fits = [_compare(each, candidates, matcher) for each in wanted]
    judged = [
        replace(
            item,
            answers=any(
                _says(each, item, of_goal, place)
                if place in of_goal
                else _answers(each, item, known)
                for each, of_goal in zip(wanted, fits, strict=True)
            ),
        )
        for place, item in enumerate(candidates)
    ]
    is_near = [item.answers or any(_is_near(each, item) for each in wanted) for item in judged]
    if not any(is_near):
        is_near = [_is_searched(item) for item in judged]
    near = [
        (
            not item.answers,
            is_of_past(item),
            -_rate(wanted, item, fits, place),
            _ORDER[item.kind],
            place,
        )
        for place, item in enumerate(judged)
        if is_near[place]
    ]
    return [judged[place] for *_, place in sorted(near)]


def _select_by_reading(
    wanted: Sequence[_Wanted],
    candidates: Sequence[Evidence],
    reads: Sequence[Mapping[int, ReadAnswer]],
) -> list[Evidence]:
    """Return what is near one of the goals, best first; a reader says what answers one."""
    known = frozenset[str]().union(*map(_list_spoken_of, candidates))
    judged: list[tuple[Evidence, float]] = []
    for place, item in enumerate(candidates):
        best = max((read[place] for read in reads if place in read), default=None)
        if item.kind not in READABLE or item.relevance >= 1:
            answers = any(_answers(each, item, known) for each in wanted)
            judged.append((replace(item, answers=answers), _SURELY if answers else 0.0))
            continue
        is_open = item.answers or item.kind is EvidenceKind.KNOWLEDGE
        # Who names a heading and asks nothing of it wants what stands there.
        titled = frozenset(split_words(item.title))
        is_whole = any(each.words and each.words <= titled for each in wanted)
        answers = is_open and best is not None and (is_whole or best.answers >= ANSWERS)
        judged.append((replace(item, answers=answers), best.rating if best else -_SURELY))
    ordered = sorted(
        enumerate(judged),
        key=lambda each: (not each[1][0].answers, is_of_past(each[1][0]), -each[1][1], each[0]),
    )
    return [item for _, (item, _) in ordered]


def _rate(
    wanted: Sequence[_Wanted], item: Evidence, fits: Sequence[Mapping[int, float]], place: int
) -> float:
    """Return how like a goal what answers is, 0 to 1; of all else how much of it is spoken of."""
    fit = max(of_goal.get(place, 0.0) for of_goal in fits) if item.answers else 0.0
    return fit or _score(wanted, item)


def _compare(
    wanted: _Wanted, candidates: Sequence[Evidence], matcher: PassageMatcher
) -> dict[int, float]:
    """Return how like a goal the passages are, by their places; none where nothing tells it.

    What is part of another passage, and what comes after as many as are compared, is not like it.
    Of what is certain to speak of the goal, its words decide.
    """
    passages = {
        place: item
        for place, item in enumerate(candidates)
        if item.kind is EvidenceKind.KNOWLEDGE and item.answers and item.relevance < 1
    }
    whole = [place for place in passages if not _is_part(place, passages)]
    fits = {place: _UNLIKE if place in whole else _OF_ANOTHER for place in passages}
    for place in whole[:_MOST_COMPARED]:
        match = matcher.find_best(wanted.text, passages[place])
        if match is None:
            return {}
        spoken = _list_spoken_of(passages[place])
        if wanted.identifiers <= spoken:
            fits[place] = match.likeness - (0.0 if wanted.called <= spoken else _UNNAMED)
    return _lift_current(fits, passages)


def _lift_current(fits: dict[int, float], passages: Mapping[int, Evidence]) -> dict[int, float]:
    """Return how like a goal passages are; of what answers it what holds is not behind the past."""
    current = [
        place
        for place, fit in fits.items()
        if fit >= _LEAST_LIKENESS and not is_of_past(passages[place])
    ]
    best = max(current, key=fits.__getitem__, default=None)
    return fits if best is None else {**fits, best: max(fits.values())}


def _is_part(place: int, passages: Mapping[int, Evidence]) -> bool:
    """Tell whether a passage stands in a longer one, or is the same as one before."""
    text = passages[place].text
    return any(
        text in item.text and (len(item.text) > len(text) or other < place)
        for other, item in passages.items()
        if other != place
    )


def _says(wanted: _Wanted, item: Evidence, fits: Mapping[int, float], place: int) -> bool:
    """Tell whether a passage is about as like a goal as the best one, or says all of it.

    Beside one that is like it only what the resolver took out of another passage says all of it.
    """
    best = max(fits.values())
    if best >= _LEAST_LIKENESS and fits[place] != _OF_ANOTHER:
        return fits[place] >= best - _MOST_BEHIND
    return wanted.words <= _list_spoken_of(item)


def measure_score(goal: str, item: Evidence) -> float:
    """Return how much of a goal evidence speaks of, 0 to 1."""
    return _score([_read_goal(goal)], item)


def list_names(query: str) -> list[str]:
    """Return the words of a query that name a certain thing: `node-11`, `GPT4`, `10.0.0.5`."""
    return list_stems(_NAME, query)


def _read_goal(goal: str) -> _Wanted:
    words = frozenset(list_content_words(goal))
    return _Wanted(
        goal,
        words,
        names=frozenset(list_names(goal)),
        called=words.intersection(list_stems(_CALLED, goal)),
        identifiers=list_identifiers(goal),
        is_of_user=asks_of_user(goal),
    )


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


def _is_searched(item: Evidence) -> bool:
    """Tell whether a search found a passage by its meaning alone, and not as one of the last."""
    return item.kind is EvidenceKind.KNOWLEDGE and item.relevance >= _LEAST_RELEVANCE


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
