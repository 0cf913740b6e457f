"""Syncs: sources brought up to date by jobs, and compiled afterwards."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Semaphore
from typing import Final

from wellworn.application.calls.audit_names import new_request
from wellworn.application.calls.guard import CallContext, CallGuard
from wellworn.domain.audit import Action, Actor
from wellworn.domain.sources import (
    HAND,
    SYNC_JOB,
    USUAL,
    Sources,
    SyncOptions,
    SyncRun,
    SyncStatus,
    find_cause,
    format_job_key,
    list_other_options,
    make_wanted_slot,
    parse_job_key,
    reject_built_in,
)
from wellworn.domain.spaces import Access, Mode, Role, upkeep_access
from wellworn.engines.folder_watch import WatchedFolders
from wellworn.engines.jobs import DueJob, JobRun, Jobs, JobStopped, JobTicket
from wellworn.errors import (
    HeldElsewhere,
    SourceNotFound,
    StorageUnavailable,
    StoreInUse,
    SyncRunning,
)
from wellworn.kit.clock import Clock

_MOST_NOTED: Final = 150
"""Documents that moved which a job's step tells the next process of; a step tells little."""
_MOST_AT_ONCE: Final = 4
"""Syncs in the thread of their caller."""


@dataclass(frozen=True, slots=True)
class PendingSync:
    """A sync that was asked for, and the last run of its source before."""

    access: Access
    source_id: int
    key: str
    before: tuple[SyncRun, ...]
    ticket: JobTicket
    jobs: Jobs


class SyncCoordinator:
    """Brings sources up to date and compiles what changed, by jobs where a server runs them."""

    def __init__(
        self, guard: CallGuard, clock: Clock, *, is_admin: Callable[[str, str, str | None], bool]
    ) -> None:
        """Begin without jobs; `is_admin` as `Authenticator.is_admin`."""
        self._guard = guard
        self._is_admin = is_admin
        self._clock = clock
        self._jobs: Jobs | None = None
        self._places = Semaphore(_MOST_AT_ONCE)

    def remove_source(self, access: Access, source_id: int) -> int:
        """Remove a source with its documents; return how many these were."""
        with self._guard.call(access, Action.SOURCE_REMOVED, Role.ADMIN) as call:
            call.touch([str(source_id)])
            gone = call.services.sources.remove(call.access, source_id)
            call.services.memory.forget_documents(call.access, gone)
            call.services.discovery.compile(call.access)
            call.counts["documents"] = len(gone)
        return len(gone)

    def needs_jobs(self, access: Access) -> bool:
        """Tell whether a sync that somebody asks for is a job; not in sealed spaces."""
        return self._jobs is not None and access.mode is not Mode.SEALED

    def request_sync(
        self, access: Access, source_id: int, options: SyncOptions = USUAL
    ) -> SyncRun | PendingSync:
        """Begin to bring a source up to date; return what to look at, or the run that is over.

        In a server it is a job, which the next start goes on with if this process dies. A sealed
        space is synced while its key is here, before this returns.

        Raises:
            SyncRunning: it is being synced, with other options than these; or
                several sources of sealed spaces are.
            StorageUnavailable: the run could not be begun.
        """
        with self._guard.call(access, Action.SOURCE_SYNCED, Role.CONTRIBUTOR) as call:
            call.touch([str(source_id)])
            reject_built_in(call.services.sources.get_source(call.access, source_id))
            access = call.access
            if self._jobs is None or call.access.mode is Mode.SEALED:
                with self._take_place():
                    return self._sync(call, source_id, options)
            before = call.services.sources.list_runs(call.access, source_id, limit=1)
        others = list_other_options(options)
        keys = [format_job_key(access.space, source_id, other) for other in others]
        if any(self._jobs.find_active(SYNC_JOB, key) for key in keys):
            raise SyncRunning("this source is being synced now; sync it again when that is done")
        key = format_job_key(access.space, source_id, options)
        ticket = self._jobs.submit(SYNC_JOB, key, slot=make_wanted_slot(HAND))
        return PendingSync(access, source_id, key, tuple(before), ticket, self._jobs)

    def look_at(self, request: PendingSync) -> SyncRun | PendingSync:
        """Return the run of a request when it is over, else what to look at next.

        Raises:
            StorageUnavailable: the run could not be begun.
        """
        if request.jobs.is_unfinished(request.ticket.id):
            return request
        latest = self._find_latest(request)
        if latest is not None:
            return latest
        if request.ticket.is_new:
            raise StorageUnavailable(request.jobs.get_state(request.ticket.id).message)
        # The job under way had read the source before this was asked for.
        slot = make_wanted_slot(HAND)
        return replace(request, ticket=request.jobs.submit(SYNC_JOB, request.key, slot=slot))

    def describe(self, request: PendingSync) -> SyncRun:
        """Return the run of a request as far as it has come."""
        return self._find_latest(request) or self._pending(request.source_id)

    def watch_embedding(self, access: Access, source_id: int) -> Callable[[], bool]:
        """Return what tells whether all documents of a source are embedded.

        It may be asked again and again: the trail has one line for all of it.
        """
        with self._guard.call(access, Action.SOURCE_READ, targets=[str(source_id)]) as call:
            inside = call.access

        def is_embedded() -> bool:
            with self._guard.pool.use(inside) as (services, entered):
                progress = services.sources.progress
                return progress.count_findable(entered, [source_id]).is_embedded

        return is_embedded

    def _find_latest(self, request: PendingSync) -> SyncRun | None:
        """Return the run of a request, once it has begun."""
        with self._guard.call(request.access, Action.SOURCE_READ) as call:
            runs = call.services.sources.list_runs(call.access, request.source_id, limit=1)
        is_begun = runs and (tuple(runs) != request.before or runs[0].finished_at is None)
        return runs[0] if is_begun else None

    @contextmanager
    def _take_place(self) -> Generator[None]:
        """Hold one of the few places of syncs that take a caller's thread."""
        if not self._places.acquire(blocking=False):
            raise SyncRunning("several sources are being synced now; try again when one is done")
        try:
            yield
        finally:
            self._places.release()

    def _pending(self, source_id: int) -> SyncRun:
        """Return what stands for a run that has not begun."""
        message = "the sync waits for others to end; look at the source's runs later"
        now = self._clock.now()
        return SyncRun(0, source_id, HAND, now, None, SyncStatus.PENDING, {}, message)

    def _sync(self, call: CallContext, source_id: int, options: SyncOptions) -> SyncRun:
        run, changed = call.services.sources.sync(call.access, source_id, options=options)
        call.counts["documents"] = len(changed)
        if changed:
            call.services.discovery.compile(call.access, changed=changed)
        return run

    def begin(self, jobs: Jobs) -> None:
        """Sync by jobs from now on, and by schedule; for the one server of a data folder."""
        started_at = self._clock.now()
        sources = self._guard.pool.shared.sources
        # Where other servers are, what seems to have been interrupted may be their work.
        with suppress(StoreInUse), self._guard.pool.shared.database.keep_alone():
            sources.mark_interrupted()

        def list_due(moment: datetime) -> Sequence[DueJob]:
            if not self._guard.pool.keeps_open_spaces:
                return ()
            return sources.triggers.list_due(moment.timestamp(), started_at=started_at)

        jobs.register(SYNC_JOB, self._run)
        jobs.add_planner(list_due)
        self._jobs = jobs
        jobs.start()

    @property
    def is_busy(self) -> bool:
        """Tell whether a source of an open space is being synced."""
        return self._guard.pool.shared.sources.is_busy

    def _run(self, run: JobRun) -> None:
        """Sync the source that a job names; one that is gone by now is passed over.

        When the process dies after the sync, the next one compiles what changed and syncs no more.
        """
        space, source_id, options = parse_job_key(run.key)
        access = upkeep_access(space)
        done: list[list[int]] = []
        with (
            suppress(SourceNotFound),
            self._guard.call(access, Action.SOURCE_SYNCED, Role.CONTRIBUTOR) as call,
        ):

            def sync() -> list[int]:
                try:
                    ended, changed = call.services.sources.sync(
                        call.access,
                        source_id,
                        trigger=find_cause(run.slot),
                        options=options,
                        check=run.check_stop,
                    )
                except HeldElsewhere as error:  # another server goes on with it
                    raise JobStopped from error
                done.append(changed)
                # What is new or has other words is found by itself.
                return changed[: min(_MOST_NOTED, ended.counts.get("moved", 0))]

            moved = run.step("sync", sync)
            changed = done[0] if done else moved
            call.counts["documents"] = len(changed)
            if changed or not done:
                call.services.discovery.compile(call.access, changed=changed, check=run.check_stop)

    def check_delivery(
        self, source_id: int, body: bytes, *, signature: str | None, token: str | None
    ) -> bytes:
        """Return the mark of a webhook's genuine call; see `Webhooks.check`.

        Raises:
            Unauthenticated: too when the maker of the webhook is no admin any more, or the key has
                ended that it was made with; then it ends.
        """
        webhooks = self._shared.webhooks
        mark = webhooks.check(source_id, body, signature=signature, token=token)
        if dropped := webhooks.drop(source_id, self._is_admin):
            space, maker = dropped
            by = Actor(maker, owner=maker, request_id=new_request())
            targets = [str(source_id)]
            self._guard.audit.note(space, Action.WEBHOOK_DROPPED, by=by, targets=targets)
            return webhooks.check(source_id, body, signature=signature, token=token)
        return mark

    def take_delivery(self, source_id: int, mark: bytes) -> bool:
        """Let the genuine call of a webhook start a sync; tell whether its mark is a new one.

        All deliveries that come while a sync is under way have one sync after it.

        Raises:
            Unauthenticated: the webhook was removed since.
        """
        is_new = self._shared.webhooks.take(source_id, mark)
        if is_new:
            self._submit(self._shared.triggers.request_sync(source_id, "webhook"))
        return is_new

    def report_change(self, source_id: int) -> None:
        """Start a sync of a source in whose folder something changed."""
        self._submit(self._shared.triggers.request_sync(source_id, "watch"))

    def list_watched(self) -> WatchedFolders:
        """Return the folders to watch, by the number of their source."""
        return self._shared.triggers.list_watched() if self._guard.pool.keeps_open_spaces else {}

    @property
    def _shared(self) -> Sources:
        return self._guard.pool.shared.sources

    def _submit(self, due: DueJob | None) -> None:
        """Queue a sync; one that cannot be now is begun by a later tick of the jobs."""
        if due is not None and self._jobs is not None:
            self._jobs.submit(due.name, due.key, slot=due.slot)

    def upload(
        self, access: Access, source_id: int, path: str, raw: bytes, *, media_type: str | None
    ) -> SyncRun:
        """Take one file into a source of uploads."""
        with self._guard.call(access, Action.SOURCE_SYNCED, Role.CONTRIBUTOR) as call:
            call.touch([str(source_id)])
            run, changed = call.services.sources.upload(
                call.access, source_id, path, raw, media_type=media_type
            )
            call.counts["documents"] = len(changed)
            if changed:
                call.services.discovery.compile(call.access, changed=changed)
        return run
