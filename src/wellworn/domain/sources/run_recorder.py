"""Records runs as they begin and end, and the result of the last one at its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from wellworn.domain.sources.connectors import SourceItem
from wellworn.domain.sources.models import Problem, Source, SyncRun, SyncStatus
from wellworn.domain.sources.outcomes import SyncOutcome, compute_backoff_s
from wellworn.domain.sources.store import documents, runs, staging
from wellworn.domain.sources.store import sources as store
from wellworn.domain.spaces import Access, upkeep_access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import SourceNotFound, WellwornError
from wellworn.kit.clock import Clock

UPLOAD: Final = "upload"
"""The trigger of a run that stored an uploaded file."""
_BROKE_OFF = SyncOutcome(
    SyncStatus.FAILED, "the sync was interrupted; the next one goes on from where it was"
)
_BROKE = SyncOutcome(SyncStatus.FAILED, "the sync broke off; the server's log says why")

_SEND_AGAIN: Final = "its upload was interrupted; send the file again"
_TAKEN_UP: Final = "its server ended meanwhile; what it had read was taken up"


@dataclass(frozen=True, slots=True)
class _FinishedRun:
    """The end of a run, and when it was."""

    run_id: int
    outcome: SyncOutcome
    at: float


class RunRecorder:
    """Records runs; an end that could not be written, as on a full disk, waits until it can."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._unwritten: dict[int, _FinishedRun] = {}

    def begin(
        self,
        access: Access,
        source: Source,
        trigger: str,
        *,
        uploaded: SourceItem | None = None,
    ) -> int:
        """Record the start of a run, or of one that stores a file; return its id."""
        now = self._clock.now()
        with self._database.write() as transaction:
            if source.id in self._unwritten:
                _finish(transaction, self._unwritten[source.id])
            store.record_attempt(
                transaction,
                source,
                sync_status=SyncStatus.SYNCING,
                last_attempt_at=now,
                # It lists the source from now on: what was asked for is on its way.
                **({} if trigger == UPLOAD else {"wanted_slot": None, "wanted_at": None}),
            )
            run_id = runs.begin(transaction, access, source, trigger, now, uploaded=uploaded)
        self._unwritten.pop(source.id, None)
        return run_id

    def overlay_source(self, source: Source) -> Source:
        """Return a source as callers see it, even if its run's end is not written yet."""
        ended = self._unwritten.get(source.id)
        columns = _to_source_columns(source, ended.outcome, ended.at) if ended else {}
        return store.strip_secrets(replace(source, **columns))

    def overlay_run(self, run: SyncRun) -> SyncRun:
        """Return a run as it is, even if its end could not be written yet."""
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

    def run(
        self, source: Source, run_id: int, work: Callable[[], tuple[SyncOutcome, list[int]]]
    ) -> tuple[SyncRun, list[int]]:
        """Do the work of a run and record how it ended, even if it raises."""
        outcome, changed = _BROKE_OFF, list[int]()
        try:
            outcome, changed = work()
        except WellwornError as error:
            outcome = SyncOutcome(SyncStatus.FAILED, error.message)
        except Exception:
            outcome = _BROKE
            raise
        finally:
            run = self._end(source, run_id, outcome)
        return run, changed

    def _end(self, source: Source, run_id: int, outcome: SyncOutcome) -> SyncRun:
        ended = _FinishedRun(run_id, outcome, self._clock.now())
        try:
            with self._database.write() as transaction:
                store.record_attempt(
                    transaction, source, **_to_source_columns(source, outcome, ended.at)
                )
                _finish(transaction, ended)
                runs.prune(transaction, source)
                recent = runs.list_recent(transaction, source, limit=1)
        except WellwornError:
            # Not before: what is shown as ended is not undone by a kill.
            self._unwritten[source.id] = ended
            raise
        if not recent:
            raise SourceNotFound("the source was removed while it was synced")
        return recent[0]


def _finish(transaction: Transaction, ended: _FinishedRun) -> None:
    runs.finish(
        transaction,
        ended.run_id,
        status=ended.outcome.status,
        counts=ended.outcome.counts,
        message=ended.outcome.message,
        problems=ended.outcome.problems,
        now=ended.at,
    )


def _to_source_columns(source: Source, outcome: SyncOutcome, now: float) -> dict[str, Any]:
    """Return the columns of a source that report a run."""
    if source.source_type == UPLOAD:
        # Nothing is fetched, so nothing is tried again: a file that was refused is listed.
        return {"sync_status": SyncStatus.SUCCESS, "sync_error": None, "last_synced_at": now}
    well = outcome.status in {SyncStatus.SUCCESS, SyncStatus.PARTIAL}
    failures = 0 if well else source.failures + 1
    columns: dict[str, Any] = {
        "sync_status": outcome.status,
        "sync_error": _format_error(outcome),
        "failures": failures,
        "next_attempt_at": None
        if well
        else now + compute_backoff_s(failures, outcome.retry_after_s),
    }
    if well:
        columns["last_synced_at"] = now
    if outcome.state is not None:
        columns["state"] = outcome.state
    return columns


def _format_error(outcome: SyncOutcome) -> str | None:
    if outcome.status is SyncStatus.SUCCESS:
        return None
    if outcome.status is SyncStatus.PARTIAL:
        return f"{outcome.message}; the run says which and why"
    return outcome.message


def settle_interrupted(transaction: Transaction, now: float) -> list[int]:
    """Say of every run that a killed process left what became of it; return the chunks that went.

    A file that is uploaded is nowhere but in the process that reads it, so nobody can read it
    again. What was read in full is stored; of any other it is told which file to send again, where
    documents that cannot be read are told of.
    """
    gone: list[int] = []
    lost: list[tuple[Source, str]] = []
    for upload in runs.list_unfinished_uploads(transaction):
        access = upkeep_access(upload.space)
        source = store.find(transaction, access, upload.source_id)
        if source is None:
            continue
        _, replaced = staging.publish(transaction, access, source)
        gone += replaced
        if _is_served(transaction, source, upload.item):
            runs.finish(
                transaction,
                upload.run_id,
                status=SyncStatus.SUCCESS,
                counts={},
                message=_TAKEN_UP,
                problems=(),
                now=now,
            )
            values = {"sync_status": SyncStatus.SUCCESS, "sync_error": None, "last_synced_at": now}
            store.record_attempt(transaction, source, **values)
        else:
            _refuse(transaction, access, source, upload.item, now=now)
            lost.append((source, upload.item.path))
    store.mark_interrupted(transaction)
    runs.mark_interrupted(transaction, now)
    for source, path in lost:
        store.record_attempt(transaction, source, sync_error=f"{path}: {_SEND_AGAIN}")
    return gone


def _is_served(transaction: Transaction, source: Source, item: SourceItem) -> bool:
    """Tell whether a document is served as it was sent."""
    return any(
        document.path == item.path and document.is_served and document.version == item.version
        for document in documents.list_known(transaction, source)
    )


def _refuse(
    transaction: Transaction, access: Access, source: Source, item: SourceItem, *, now: float
) -> None:
    problem = Problem(item.path, _SEND_AGAIN)
    for document in documents.list_known(transaction, source):
        if document.path == item.path:
            documents.mark_refused(transaction, document.id, item, problem, by=None)
            return
    documents.add_refused(transaction, access, source, item, problem, by=None, now=now)
