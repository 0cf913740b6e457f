"""Runs written down as they begin and end, and what their source tells of the last one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from wellworn.domain.sources.models import Run, Source, SyncStatus
from wellworn.domain.sources.outcomes import Outcome, pause_s
from wellworn.domain.sources.store import runs
from wellworn.domain.sources.store import sources as store
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import SourceNotFound, WellwornError
from wellworn.kit.clock import Clock

UPLOAD: Final = "upload"
"""What started a run that took in a file which somebody sent."""
_BROKE_OFF = Outcome(
    SyncStatus.FAILED, "the sync was interrupted; the next one goes on from where it was"
)
_BROKE = Outcome(SyncStatus.FAILED, "the sync broke off; the server's log says why")


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a run ended, and when."""

    run_id: int
    outcome: Outcome
    at: float


class Recorder:
    """Writes down runs of one room; an end that a full disk did not take is kept until it does."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._unwritten: dict[int, _Ended] = {}

    def begin(self, access: Access, source: Source, trigger: str) -> int:
        """Note that a run begins; return its number."""
        now = self._clock.now()
        with self._database.write() as transaction:
            if source.id in self._unwritten:
                _finish(transaction, self._unwritten[source.id])
            store.note_attempt(
                transaction, source, sync_status=SyncStatus.SYNCING, last_attempt_at=now
            )
            run_id = runs.begin(transaction, access, source, trigger, now)
        self._unwritten.pop(source.id, None)
        return run_id

    def shown(self, source: Source) -> Source:
        """Return a source as callers see it, also where its row still says that it is synced."""
        ended = self._unwritten.get(source.id)
        told = _told(source, ended.outcome, ended.at) if ended else {}
        return store.without_secrets(replace(source, **told))

    def run_shown(self, run: Run) -> Run:
        """Return a run as it is, also where its row still says that it goes on."""
        ended = self._unwritten.get(run.source_id)
        if ended is None or ended.run_id != run.id:
            return run
        outcome = ended.outcome
        return replace(
            run,
            finished_at=ended.at,
            status=outcome.status,
            counts=outcome.counts,
            message=outcome.message,
            problems=outcome.problems,
        )

    def ended(
        self, source: Source, run_id: int, work: Callable[[], tuple[Outcome, list[int]]]
    ) -> tuple[Run, list[int]]:
        """Do the work of a run, and write down how it ended, whatever came of it."""
        outcome, changed = _BROKE_OFF, list[int]()
        try:
            outcome, changed = work()
        except WellwornError as error:
            outcome = Outcome(SyncStatus.FAILED, error.message)
        except Exception:
            outcome = _BROKE
            raise
        finally:
            run = self._end(source, run_id, outcome)
        return run, changed

    def _end(self, source: Source, run_id: int, outcome: Outcome) -> Run:
        ended = _Ended(run_id, outcome, self._clock.now())
        try:
            with self._database.write() as transaction:
                store.note_attempt(transaction, source, **_told(source, outcome, ended.at))
                _finish(transaction, ended)
                runs.forget_old(transaction, source)
                found = runs.last(transaction, source, limit=1)
        except WellwornError:
            # Not before: what is shown as ended is not taken back by a kill.
            self._unwritten[source.id] = ended
            raise
        if not found:
            raise SourceNotFound("the source was removed while it was synced")
        return found[0]


def _finish(transaction: Transaction, ended: _Ended) -> None:
    runs.finish(
        transaction,
        ended.run_id,
        status=ended.outcome.status,
        counts=ended.outcome.counts,
        message=ended.outcome.message,
        problems=ended.outcome.problems,
        now=ended.at,
    )


def _told(source: Source, outcome: Outcome, now: float) -> dict[str, Any]:
    """Return what the source tells of a run."""
    if source.source_type == UPLOAD:
        # Nothing is fetched, so nothing is tried again: a file that was refused is listed.
        return {"sync_status": SyncStatus.SUCCESS, "sync_error": None, "last_synced_at": now}
    well = outcome.status in {SyncStatus.SUCCESS, SyncStatus.PARTIAL}
    failures = 0 if well else source.failures + 1
    told: dict[str, Any] = {
        "sync_status": outcome.status,
        "sync_error": _error(outcome),
        "failures": failures,
        "next_attempt_at": None if well else now + pause_s(failures, outcome.retry_after_s),
    }
    if well:
        told["last_synced_at"] = now
    if outcome.state is not None:
        told["state"] = outcome.state
    return told


def _error(outcome: Outcome) -> str | None:
    if outcome.status is SyncStatus.SUCCESS:
        return None
    if outcome.status is SyncStatus.PARTIAL:
        return f"{outcome.message}; the run says which and why"
    return outcome.message
