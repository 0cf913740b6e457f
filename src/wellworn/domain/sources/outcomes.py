"""How a sync went, in one sentence for people, and when the next one is tried; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wellworn.domain.sources.connectors import Setback
from wellworn.domain.sources.models import Problem, SyncStatus

_BACKOFF_S = (60, 300, 900, 3600, 4 * 3600, 24 * 3600)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a sync went, as its run and its source tell it."""

    status: SyncStatus
    message: str
    counts: Counter[str] = field(default_factory=Counter[str])
    problems: tuple[Problem, ...] = ()
    state: Any = None
    retry_after_s: int | None = None


def concluded(
    counts: Counter[str],
    problems: Sequence[Problem],
    *,
    vanished: int = 0,
    state: Any,
    is_settled: bool = False,
    passed_over: str = "",
) -> Outcome:
    """Return the outcome of a sync that put something in place.

    Args:
        counts: documents by what happened to them.
        problems: what could not be read.
        vanished: documents that are missing, and stay until somebody confirms it.
        state: what the connector wants to be told the next time. Unless all went well, what it was
            told before is forgotten: what is served is not what was listed then.
        is_settled: whether the problems stay as they are until something changes in the source.
        passed_over: how many files of which kinds are no documents, in words.
    """
    if vanished:
        message = (
            f"{vanished} of {vanished + _served(counts)} documents vanished from the source; "
            "nothing was removed. Sync again with confirm if that is right"
        )
        return Outcome(SyncStatus.NEEDS_CONFIRMATION, message, counts, tuple(problems), state={})
    told = "; ".join(filter(None, (_sentence(counts, problems), passed_over)))
    state = state if is_settled or not problems else {}
    if not problems:
        return Outcome(SyncStatus.SUCCESS, told, counts, state=state)
    if _served(counts) + counts["new"]:
        return Outcome(SyncStatus.PARTIAL, told, counts, tuple(problems), state=state)
    told = problems[0].reason if len(problems) == 1 else told
    return Outcome(SyncStatus.FAILED, told, counts, tuple(problems), state=state)


def _served(counts: Counter[str]) -> int:
    """Return how many of the documents that were served before still are."""
    return counts["unchanged"] + counts["changed"] + counts["moved"]


def set_back(setback: Setback) -> Outcome:
    """Return the outcome of a source that could not be listed."""
    return Outcome(setback.status, setback.message, retry_after_s=setback.retry_after_s)


def pause_s(failures: int, retry_after_s: int | None) -> float:
    """Return the seconds until a failing source is tried again."""
    pause = _BACKOFF_S[min(failures, len(_BACKOFF_S)) - 1]
    return max(pause, retry_after_s or 0)


def _sentence(counts: Counter[str], problems: Sequence[Problem]) -> str:
    """Return what a sync did, for people."""
    done = [
        f"{counts[name]} {name}" for name in ("new", "changed", "moved", "gone") if counts[name]
    ]
    if counts["unchanged"]:
        done.append(f"{counts['unchanged']} unchanged")
    told = ", ".join(done) or "no documents"
    return f"{told}; {len(problems)} could not be read" if problems else told
