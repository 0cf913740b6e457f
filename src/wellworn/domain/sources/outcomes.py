"""The outcome of a sync as a sentence for people, and when it is retried; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wellworn.domain.sources.connectors import ListingFailed
from wellworn.domain.sources.models import Problem, SyncStatus

_BACKOFF_S = (60, 300, 900, 3600, 4 * 3600, 24 * 3600)


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """The outcome of a sync, as its run and its source tell it."""

    status: SyncStatus
    message: str
    counts: Counter[str] = field(default_factory=Counter[str])
    problems: tuple[Problem, ...] = ()
    state: Any = None
    retry_after_s: int | None = None


def summarize_sync(
    counts: Counter[str],
    problems: Sequence[Problem],
    *,
    vanished: int = 0,
    state: Any,
    is_settled: bool = False,
    skipped: str = "",
) -> SyncOutcome:
    """Return the outcome of a sync that was published.

    Args:
        counts: documents by what happened to them.
        problems: what could not be read.
        vanished: documents that are missing, and stay until somebody confirms it.
        state: what the connector wants to be told the next time. Unless all went well, what it was
            told before is forgotten: what is served is not what was listed then.
        is_settled: whether the problems stay as they are until something changes in the source.
        skipped: how many files of which kinds are no documents, in words.
    """
    if vanished:
        message = (
            f"{vanished} of {vanished + _count_served(counts)} documents vanished from the source; "
            "nothing was removed. Sync again with confirm if that is right"
        )
        return SyncOutcome(
            SyncStatus.NEEDS_CONFIRMATION, message, counts, tuple(problems), state={}
        )
    summary = "; ".join(filter(None, (_describe_counts(counts, problems), skipped)))
    state = state if is_settled or not problems else {}
    if not problems:
        return SyncOutcome(SyncStatus.SUCCESS, summary, counts, state=state)
    if _count_served(counts) + counts["new"]:
        return SyncOutcome(SyncStatus.PARTIAL, summary, counts, tuple(problems), state=state)
    summary = problems[0].reason if len(problems) == 1 else summary
    return SyncOutcome(SyncStatus.FAILED, summary, counts, tuple(problems), state=state)


def _count_served(counts: Counter[str]) -> int:
    """Count the documents that were served before and still are."""
    return counts["unchanged"] + counts["changed"] + counts["moved"]


def summarize_failure(setback: ListingFailed) -> SyncOutcome:
    """Return the outcome of a source that could not be listed."""
    return SyncOutcome(setback.status, setback.message, retry_after_s=setback.retry_after_s)


def compute_backoff_s(failures: int, retry_after_s: int | None) -> float:
    """Return the seconds until a failing source is tried again."""
    pause = _BACKOFF_S[min(failures, len(_BACKOFF_S)) - 1]
    return max(pause, retry_after_s or 0)


def _describe_counts(counts: Counter[str], problems: Sequence[Problem]) -> str:
    """Return what a sync did, for people."""
    parts = [
        f"{counts[name]} {name}" for name in ("new", "changed", "moved", "gone") if counts[name]
    ]
    if counts["unchanged"]:
        parts.append(f"{counts['unchanged']} unchanged")
    sentence = ", ".join(parts) or "no documents"
    return f"{sentence}; {len(problems)} could not be read" if problems else sentence
