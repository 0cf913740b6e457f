"""Orders results by what is true: a replacement above what it replaced, the retracted not at all.

An order is changed only through the parts of the scores, so that every result still explains its
place. What was inferred only orders; what was stated also leaves out what it replaced, which the
replacement then tells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.models import TimeScope
from wellworn.domain.thoughts.truth.scopes import tells_of
from wellworn.domain.thoughts.truth.standings import Standings
from wellworn.engines.retrieval import RankedResult

_LEAST_SHARE: Final = 0.1
"""Of a result's score: what a link of less confidence raises must reach it by itself."""
_NEAR_SHARE: Final = 0.85
"""Of a result's cosine: what reaches it fits alike. Among few thoughts scores do not tell."""
_CONTESTED_SHARE: Final = 0.65
"""Of the cosine of a contradiction: what reaches it answers the same question."""
_FIRST: Final = 10
_STEP: Final = 1e-6
_DIGITS: Final = 9
"""Finer than a step, coarser than what rounding adds to a sum of parts."""


class Dated(NamedTuple):
    """When a thought was said (epoch seconds), by whom, whether it is no turn, how it begins."""

    said_at: float
    contributor: tuple[str, ...] = ()
    is_note: bool = True
    opening: str = ""


def apply_truth(
    results: Sequence[RankedResult],
    standings: Standings,
    dated: Mapping[int, Dated],
    scope: TimeScope,
) -> list[RankedResult]:
    """Return the results of a scope in the order of what is true in it.

    Args:
        results: best first.
        standings: of the results, as of the scope's moment.
        dated: of the results, by id.
        scope: what was asked for.
    """
    if scope.is_narrow:
        results = [
            result
            for result in results
            if scope.includes(dated[result.id].said_at, *dated[result.id].contributor)
        ]
    if scope.about is not None:
        results = _put_later_last(results, dated, scope.about)
    if scope.within is not None:
        results = _put_within_first(results, dated, scope.within)
    if scope.history:
        return _prefer_uncontested(_bring_chains(results, standings, dated), standings)
    if standings:
        results = _prefer_uncontested(_prefer_newer(results, standings), standings)
        return _drop_replaced(results, standings)
    return list(results)


def find_stood_for(
    results: Sequence[RankedResult], standings: Standings, scope: TimeScope
) -> dict[int, list[RankedResult]]:
    """Return which of the results each stands for: what it replaced, or all of its history."""
    by_id = {result.id: result for result in results}
    stood_for: dict[int, list[RankedResult]] = {}
    for seq in by_id if standings else ():
        if scope.history:
            others = standings.find_chain(seq) - {seq}
        else:
            others = standings.find_replaced(seq)
        stood_for[seq] = [by_id[other] for other in others & by_id.keys()]
    return stood_for


def _put_later_last(
    results: Sequence[RankedResult], dated: Mapping[int, Dated], about: float
) -> list[RankedResult]:
    """Put notes that were said after the moment below the others among the first results."""
    head = results[:_FIRST]
    later = [
        result for result in head if dated[result.id].is_note and dated[result.id].said_at > about
    ]
    if not later or len(later) == len(head):
        return list(results)
    lowest = head[-1].rank_score
    demoted = [
        result.with_part("later", lowest - result.rank_score - _STEP * place)
        for place, result in enumerate(later)
    ]
    return [result for result in head if result not in later] + demoted + list(results[_FIRST:])


def _put_within_first(
    results: Sequence[RankedResult], dated: Mapping[int, Dated], within: tuple[float, float]
) -> list[RankedResult]:
    """Put notes that fit and were said at a time, or tell of it, above the first other."""
    start, end = within

    def is_of_it(result: RankedResult) -> bool:
        note = dated[result.id]
        if not note.is_note or not _fits(result, results[0]):
            return False
        is_said_then = start <= note.said_at < end
        return is_said_then or tells_of(note.opening, note.said_at, within)

    inside = [result for result in results if is_of_it(result)]
    best = next((result for result in results if result not in inside), None)
    by_id = {result.id: result for result in results}
    for place, result in enumerate(reversed(inside), 1):
        gap = 0.0 if best is None else best.rank_score - result.rank_score + _STEP * place
        if gap > 0.0:
            by_id[result.id] = result.with_part("within", gap)
    return _sort(by_id, results)


def _drop_replaced(results: Sequence[RankedResult], standings: Standings) -> list[RankedResult]:
    """Leave out the retracted and what a result replaces; put what else is outdated last."""
    present = {result.id for result in results}
    lowest = min((result.rank_score for result in results), default=0.0)
    current: list[RankedResult] = []
    last: list[RankedResult] = []
    for result in results:
        standing = standings.find(result.id)
        by_stated = {link.newer for link in standing.replaced_by if link.is_stated}
        if standing.is_retracted or not present.isdisjoint(by_stated):
            continue
        (current if standing.is_current else last).append(result)
    return current + [
        result.with_part("outdated", lowest - result.rank_score - _STEP * place)
        for place, result in enumerate(last, 1)
    ]


def _prefer_newer(
    results: Sequence[RankedResult], standings: Standings, among: Set[int] | None = None
) -> list[RankedResult]:
    """Raise what replaces a result above it, the oldest link first; `among` are ids of results."""
    by_id = {result.id: result for result in results}
    links = [
        link
        for link in standings.replacements
        if link.replaces
        if link.newer in by_id and link.older in (by_id if among is None else among)
    ]
    for link in sorted(links, key=lambda link: link.since):
        newer, older = by_id[link.newer], by_id[link.older]
        is_near = newer.cosine >= older.cosine * _NEAR_SHARE
        least = -math.inf if link.is_sure or is_near else older.rank_score * _LEAST_SHARE
        if least <= newer.rank_score <= older.rank_score:
            gap = older.rank_score - newer.rank_score + _STEP
            by_id[link.newer] = newer.with_part("newer", gap)
    return _sort(by_id, results)


def _prefer_uncontested(
    results: Sequence[RankedResult], standings: Standings
) -> list[RankedResult]:
    """Raise the best of what one member alone contradicts just above the contradiction.

    With it goes what replaces it. Nothing is raised that is itself such a contradiction: a
    correction by the first author is not below the lie that it answers, nor below what it only
    resembles. What repeats a contradiction is as contested as that.
    """
    contested = {link.newer for link in standings.replacements if link.is_contested}
    if not contested:
        return list(results)
    by_id = {result.id: result for result in results}
    raised: set[int] = set()
    for result in results:
        updated = standings.find_replaced(result.id)
        is_correction = bool(updated) and updated.isdisjoint(contested)
        rivals = [
            by_id[link.older]
            for seq in (result.id, *updated)
            for link in standings.find(seq).replaces
            if link.is_contested and link.older in by_id.keys() - contested
            if link.is_surely_contested or (not is_correction and _fits(by_id[link.older], result))
        ]
        if not rivals:
            continue
        best, newer = max(rivals, key=_get_rank_score), by_id[result.id]
        gap = newer.rank_score - best.rank_score + _STEP
        if gap > 0.0:
            by_id[best.id] = best.with_part("contested", gap)
            raised.add(best.id)
    return _prefer_newer(_sort(by_id, results), standings, raised)


def _fits(result: RankedResult, other: RankedResult) -> bool:
    return result.cosine >= other.cosine * _CONTESTED_SHARE


def _get_rank_score(result: RankedResult) -> float:
    return result.rank_score


def _bring_chains(
    results: Sequence[RankedResult], standings: Standings, dated: Mapping[int, Dated]
) -> list[RankedResult]:
    """Put the results of one chain together, newest first, where the best of them stands."""
    by_id = {result.id: result for result in results}
    placed: set[int] = set()
    for result in results:
        if result.id in placed:
            continue
        chain = standings.find_chain(result.id) & by_id.keys()
        placed |= chain
        best = result.rank_score
        for place, seq in enumerate(sorted(chain, key=lambda seq: -dated[seq].said_at)):
            gap = best - _STEP * place - by_id[seq].rank_score
            by_id[seq] = by_id[seq].with_part("history", gap) if gap else by_id[seq]
    return _sort(by_id, results)


def _sort(by_id: Mapping[int, RankedResult], before: Sequence[RankedResult]) -> list[RankedResult]:
    places = {result.id: place for place, result in enumerate(before)}
    return sorted(
        by_id.values(),
        key=lambda result: (-round(result.rank_score, _DIGITS), places[result.id]),
    )
