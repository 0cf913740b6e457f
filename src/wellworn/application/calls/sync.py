"""Knowledge as the doors see it: every call is a call, with its role and its line in the trail.

Source: issue 5; knowledge sync v1.0, sections 3 to 7.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from wellworn.application.calls.guard import CallContext, CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import (
    Answer,
    Artifact,
    ArtifactName,
    Compiled,
    ConflictFound,
    Quality,
    Unknown,
    Value,
)
from wellworn.domain.sources import (
    JOB,
    Document,
    NewSource,
    Run,
    SecretNote,
    Snippet,
    Source,
    SourceChanges,
    SyncStatus,
    Text,
    job_key,
    of_key,
    refuse_built_in,
)
from wellworn.domain.spaces import Access, Mode, Role, upkeep_access
from wellworn.engines.jobs import Jobs
from wellworn.engines.jobs import Run as JobRun
from wellworn.errors import SourceNotFound, StorageUnavailable, SyncRunning
from wellworn.kit.clock import Clock

_MOST_NOTED: Final = 150
"""Documents that moved which a job's step tells the next process of; a step tells little."""


class SyncCoordinator:
    """Sources, documents and what was compiled of them; only admins of a space change sources."""

    def __init__(self, visits: CallGuard, clock: Clock) -> None:
        self._guard = visits
        self._clock = clock
        self._jobs: Jobs | None = None

    def create_source(self, access: Access, new: NewSource) -> Source:
        """Keep a new source; nothing is fetched yet."""
        with self._guard.call(access, Action.SOURCE_CREATED, Role.ADMIN) as call:
            made = call.services.sources.create(call.access, new)
            call.touch([str(made.id)])
        return made

    def sources(self, access: Access) -> list[Source]:
        """Return the sources that the caller may see."""
        with self._guard.call(access, Action.SOURCE_READ) as call:
            return call.services.sources.all(call.access)

    def source(self, access: Access, source_id: int) -> Source:
        """Return one source."""
        with self._guard.call(access, Action.SOURCE_READ) as call:
            call.touch([str(source_id)])
            return call.services.sources.source(call.access, source_id)

    def change_source(self, access: Access, source_id: int, changes: SourceChanges) -> Source:
        """Change what is set of a source."""
        with self._guard.call(access, Action.SOURCE_CHANGED, Role.ADMIN) as call:
            call.touch([str(source_id)])
            return call.services.sources.change(call.access, source_id, changes)

    def remove_source(self, access: Access, source_id: int) -> int:
        """Remove a source with its documents; return how many these were."""
        with self._guard.call(access, Action.SOURCE_REMOVED, Role.ADMIN) as call:
            call.touch([str(source_id)])
            gone = call.services.sources.remove(call.access, source_id)
            call.services.memory.forget_documents(call.access, gone)
            call.services.discovery.compile(call.access)
            call.counts["documents"] = len(gone)
        return len(gone)

    def sync_source(
        self, access: Access, source_id: int, *, confirmed: bool = False, wait_s: float = 600.0
    ) -> Run:
        """Bring a source up to date; return the run, which may go on after so many seconds.

        In a server it is a job, which the next start goes on with if this process dies. A sealed
        space is synced while its key is here, before this returns.

        Raises:
            SyncRunning: it is being synced, and what vanished cannot be confirmed for that run.
            StorageUnavailable: the run could not be begun.
        """
        with self._guard.call(access, Action.SOURCE_SYNCED, Role.CONTRIBUTOR) as call:
            call.touch([str(source_id)])
            refuse_built_in(call.services.sources.source(call.access, source_id))
            if self._jobs is None or call.access.mode is Mode.SEALED:
                return self._synced(call, source_id, trigger="hand", confirmed=confirmed)
            before = call.services.sources.runs(call.access, source_id, limit=1)
        if self._jobs.under_way(JOB, job_key(access.space, source_id, confirmed=not confirmed)):
            raise SyncRunning("this source is being synced now; sync it again when that is done")
        key = job_key(access.space, source_id, confirmed=confirmed)
        while True:
            ticket = self._jobs.submit(JOB, key)
            state = self._jobs.wait(ticket.id, wait_s)
            with self._guard.call(access, Action.SOURCE_READ) as call:
                now = call.services.sources.runs(call.access, source_id, limit=1)
            if now and now != before:
                return now[0]
            if not state.status.is_over:
                return now[0] if now and now[0].finished_at is None else self._queued(source_id)
            if ticket.is_new:
                raise StorageUnavailable(state.message)
            # The job under way had read the source before this was asked for.

    def _queued(self, source_id: int) -> Run:
        """Return what stands for a run that has not begun."""
        message = "the sync waits for others to end; look at the source's runs later"
        now = self._clock.now()
        return Run(0, source_id, "job", now, None, SyncStatus.PENDING, {}, message)

    def _synced(
        self,
        call: CallContext,
        source_id: int,
        *,
        trigger: str,
        confirmed: bool,
    ) -> Run:
        run, changed = call.services.sources.sync(
            call.access, source_id, trigger=trigger, confirmed=confirmed
        )
        call.counts["documents"] = len(changed)
        if changed:
            call.services.discovery.compile(call.access, changed=changed)
        return run

    def begin(self, jobs: Jobs) -> None:
        """Sync by jobs from now on, and by schedule; for the one server of a data folder."""
        started_at = self._clock.now()
        sources = self._guard.pool.shared.sources
        sources.note_interruptions()
        jobs.register(JOB, self._run)
        jobs.plan(lambda moment: sources.due(moment.timestamp(), started_at=started_at))
        self._jobs = jobs
        jobs.begin()

    @property
    def is_busy(self) -> bool:
        """Tell whether a source of an open space is being synced."""
        return self._guard.pool.shared.sources.is_busy

    def _run(self, run: JobRun) -> None:
        """Sync the source that a job names; one that is gone by now is passed over.

        When the process dies after the sync, the next one compiles what changed and syncs no more.
        """
        space, source_id, confirmed = of_key(run.key)
        access = upkeep_access(space)
        done: list[list[int]] = []
        with (
            suppress(SourceNotFound),
            self._guard.call(access, Action.SOURCE_SYNCED, Role.CONTRIBUTOR) as call,
        ):

            def sync() -> list[int]:
                ended, changed = call.services.sources.sync(
                    call.access,
                    source_id,
                    trigger="job",
                    confirmed=confirmed,
                    check=run.check,
                )
                done.append(changed)
                # What is new or has other words is found by itself.
                return changed[: min(_MOST_NOTED, ended.counts.get("moved", 0))]

            moved = run.step("sync", sync)
            changed = done[0] if done else moved
            call.counts["documents"] = len(changed)
            if changed or not done:
                call.services.discovery.compile(call.access, changed=changed)

    def progress(self, access: Access, source_id: int) -> tuple[int, int] | None:
        """Return how many documents of how many are read, while a source is being synced."""
        with self._guard.call(access, Action.SOURCE_READ) as call:
            call.services.sources.source(call.access, source_id)
            return call.services.sources.progress(source_id)

    def upload(
        self, access: Access, source_id: int, path: str, raw: bytes, *, media_type: str | None
    ) -> Run:
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

    def runs(self, access: Access, source_id: int, *, limit: int = 20) -> list[Run]:
        """Return the last syncs of a source."""
        with self._guard.call(access, Action.SOURCE_READ) as call:
            call.touch([str(source_id)])
            return call.services.sources.runs(call.access, source_id, limit=limit)

    def secret_notes(self, access: Access, source_id: int) -> list[SecretNote]:
        """Return where secrets were taken out of a source's documents."""
        with self._guard.call(access, Action.SOURCE_READ, Role.ADMIN) as call:
            call.touch([str(source_id)])
            return call.services.sources.secret_notes(call.access, source_id)

    def documents(
        self, access: Access, *, source_id: int | None, offset: int, limit: int
    ) -> list[Document]:
        """Return documents, those that cannot be read with the reason."""
        with self._guard.call(access, Action.DOCUMENT_LISTED) as call:
            return call.services.sources.documents(
                call.access, source_id=source_id, offset=offset, limit=limit
            )

    def document(self, access: Access, document_id: int) -> Text:
        """Return a document with its words."""
        with self._guard.call(access, Action.DOCUMENT_READ) as call:
            call.touch([str(document_id)])
            return call.services.sources.document(call.access, document_id)

    def search(
        self, access: Access, text: str, *, limit: int, sources: tuple[int, ...] | None
    ) -> list[Snippet]:
        """Return the best passages of documents."""
        with self._guard.call(access, Action.DOCUMENT_FOUND) as call:
            found = call.services.sources.search(call.access, text, limit=limit, sources=sources)
            call.touch(dict.fromkeys(str(one.document_id) for one in found))
        return found

    # ------------------------------------------------------------ compiled

    def resolve(
        self,
        access: Access,
        term: str,
        *,
        context: str = "",
        agent_id: str = "",
        learn: bool = True,
    ) -> Answer:
        """Return what a term stands for, or the one question to ask; may leave no trace."""
        with self._guard.call(access, Action.KNOWLEDGE_RESOLVED) as call:
            answer = call.services.discovery.resolve(
                call.access, term, context=context, agent_id=agent_id, learn=learn
            )
            call.touch(dict.fromkeys(str(one.document_id) for one in answer.evidence))
        return answer

    def learn(self, access: Access, term: str, citation: str) -> Answer:
        """Take somebody's word for what a term stands for; return what it resolves to now."""
        with self._guard.call(access, Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR) as call:
            return call.services.discovery.learn(call.access, term, citation)

    def provenance(
        self, access: Access, term: str, *, fact_type: str | None = None
    ) -> tuple[Value, ...]:
        """Return every value known of a term, each with where it stands."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            found = call.services.discovery.provenance(call.access, term, fact_type=fact_type)
            call.touch(dict.fromkeys(str(one.evidence.document_id) for one in found))
        return found

    def artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return one virtual file of the discovery layer, compiled if it is out of date."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.artifact(call.access, name)

    def preamble(self, access: Access, *, budget_tokens: int = 2_000) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.preamble(call.access, budget_tokens=budget_tokens)

    def compile(self, access: Access, *, all_anew: bool = False) -> Compiled:
        """Bring the discovery layer up to date now; say what it cost."""
        with self._guard.call(access, Action.KNOWLEDGE_COMPILED, Role.CONTRIBUTOR) as call:
            return call.services.discovery.compile(call.access, all_anew=all_anew)

    def conflicts(self, access: Access, *, with_closed: bool = False) -> list[ConflictFound]:
        """Return where documents disagree, the open ones first."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.conflicts(call.access, with_closed=with_closed)

    def decide(
        self, access: Access, conflict_id: int, resolution: str, *, reason: str = ""
    ) -> ConflictFound:
        """Settle a conflict: one of its values, `both`, or `reopen` to take a decision back."""
        with self._guard.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
            call.touch([str(conflict_id)])
            return call.services.discovery.decide(
                call.access, conflict_id, resolution, reason=reason
            )

    def pins(self, access: Access) -> list[str]:
        """Return the terms that are always hot."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.pins(call.access)

    def pin(self, access: Access, term: str, *, pinned: bool) -> list[str]:
        """Make a term always hot, or no longer; return all that are."""
        with self._guard.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
            return call.services.discovery.pin(call.access, term, pinned=pinned)

    def unknowns(self, access: Access) -> list[Unknown]:
        """Return terms that nothing explains, the most wanted first."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.unknowns(call.access)

    def quality(self, access: Access) -> Quality:
        """Return how well knowledge serves this space."""
        with self._guard.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.quality(call.access)
