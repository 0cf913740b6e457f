"""Tells when a source is due: by its schedule, after a failure, when the server starts; pure.

A slot names the moment for which a sync was due, so that it is made once however often it is seen.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import Final
from zoneinfo import ZoneInfo

from wellworn.domain.sources.models import USUAL, Source, SourceType, SyncOptions
from wellworn.engines.jobs import compute_next_run
from wellworn.kit.ids import new_number

SYNC_JOB: Final = "sync"
_OPTIONS: Final = ("confirmed", "rereads")
_HOUR_S: Final = 3600
HAND: Final = "hand"
"""The trigger of a sync that somebody asked for."""
_BY_SCHEDULE: Final = frozenset({"at", "back"})
_CAUSES: Final = frozenset({"retry", "start", "webhook", "watch"})


def format_job_key(space: str, source_id: int, options: SyncOptions = USUAL) -> str:
    """Return what names the sync of a source among jobs."""
    named = [name for name in _OPTIONS if getattr(options, name)]
    return ":".join([space, str(source_id), *named])


def parse_job_key(key: str) -> tuple[str, int, SyncOptions]:
    """Return space, source, and what was asked of its sync."""
    space, number, *named = key.split(":")
    return space, int(number), SyncOptions(**{name: name in named for name in _OPTIONS})


def list_other_options(options: SyncOptions) -> list[SyncOptions]:
    """Return what else may be asked of a sync."""
    every = (SyncOptions(*flags) for flags in product((False, True), repeat=len(_OPTIONS)))
    return [other for other in every if other != options]


def find_slot(source: Source, now: float, *, started_at: float, stale_after_s: float) -> str:
    """Return the slot in which a source is due now; empty when it is not.

    Args:
        source: one that is not paused.
        now: epoch seconds.
        started_at: when the server started.
        stale_after_s: how old its last good sync may be at that moment.
    """
    if source.wanted_slot is not None:
        return _add_lateness(source.wanted_slot, source.wanted_at or now, now)
    is_automatic = source.sync_schedule is not None or source.is_triggered
    if is_automatic and source.next_attempt_at is not None and source.next_attempt_at <= now:
        return _slot("retry", source.next_attempt_at, now)
    if source.sync_schedule is None:
        return _find_start_slot(source, started_at=started_at, stale_after_s=stale_after_s)
    return _find_planned_slot(
        source, source.sync_schedule, now, started_at=started_at, stale_after_s=stale_after_s
    )


def _find_start_slot(source: Source, *, started_at: float, stale_after_s: float) -> str:
    """Return the slot in which a source is looked at once, as nobody did while no server ran.

    To list a folder costs next to nothing; a repository is asked unless it was lately. One that was
    never synced is left to its maker.
    """
    least_age_s: dict[str, float] = {SourceType.FOLDER: 0.0, SourceType.GIT_REPO: stale_after_s}
    at_least = least_age_s.get(source.source_type)
    synced = source.last_synced_at
    if at_least is None or synced is None or (source.last_attempt_at or 0.0) >= started_at:
        return ""
    return f"start-{int(started_at)}" if synced <= started_at - at_least else ""


def _find_planned_slot(
    source: Source, schedule: str, now: float, *, started_at: float, stale_after_s: float
) -> str:
    seen = source.last_attempt_at or 0.0
    if seen > now + _HOUR_S:
        # The clock was ahead then; that moment is not waited for.
        return _slot("back", 0.0, now)
    if seen < started_at and (source.last_synced_at or 0.0) < started_at - stale_after_s:
        return f"start-{int(started_at)}"
    created_at = source.created_at if source.created_at <= now + _HOUR_S else 0.0
    since = datetime.fromtimestamp(max(seen, created_at), UTC)
    planned = compute_next_run(schedule, since, ZoneInfo(source.time_zone)).timestamp()
    return _slot("at", planned, now) if planned <= now else ""


def _slot(why: str, since: float, now: float) -> str:
    """Name a slot; should its job come to nothing, there is another one every hour."""
    return _add_lateness(f"{why}-{int(since)}", since, now)


def _add_lateness(slot: str, since: float, now: float) -> str:
    late_h = int((now - since) // _HOUR_S)
    return f"{slot}-{late_h}" if late_h > 0 else slot


def make_wanted_slot(trigger: str) -> str:
    """Name a slot of its own for a sync that something asks for, after what it is."""
    return f"{trigger}-{new_number()}"


def find_cause(slot: str) -> str:
    """Return why a job for a slot was submitted, as the trigger of its run."""
    why = slot.partition("-")[0]
    if why in _BY_SCHEDULE:
        return "schedule"
    return why if why in _CAUSES else HAND


def find_trigger(source: Source) -> str | None:
    """Return what asked for the sync that waits, if one does."""
    return None if source.wanted_slot is None else source.wanted_slot.partition("-")[0]
