"""When a source is due: by its schedule, after a failure, and when the server starts; pure.

A slot names the moment for which a sync was due, so that it is made once however often it is seen.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from wellworn.domain.sources.models import Source
from wellworn.engines.jobs import compute_next_run
from wellworn.kit.ids import new_number

SYNC_JOB: Final = "sync"
CONFIRMED: Final = "confirmed"
_HOUR_S: Final = 3600


def format_job_key(space: str, source_id: int, *, confirmed: bool = False) -> str:
    """Return what names the sync of a source among jobs."""
    return f"{space}:{source_id}:{CONFIRMED}" if confirmed else f"{space}:{source_id}"


def parse_job_key(key: str) -> tuple[str, int, bool]:
    """Return space, source, and whether what vanished is confirmed."""
    space, number, *rest = key.split(":")
    return space, int(number), rest == [CONFIRMED]


def find_slot(source: Source, now: float, *, started_at: float, stale_after_s: float) -> str:
    """Return the slot in which a source is due now; empty when it is not.

    Args:
        source: one that is not synced by hand alone.
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
        return ""
    return _find_planned_slot(
        source, source.sync_schedule, now, started_at=started_at, stale_after_s=stale_after_s
    )


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


def find_trigger(source: Source) -> str | None:
    """Return what asked for the sync that waits, if one does."""
    return None if source.wanted_slot is None else source.wanted_slot.partition("-")[0]
