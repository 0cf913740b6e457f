"""An open memory: the services, and the parts behind them that need looking after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Protocol

from wellworn.application.bootstrap.administration import Administration
from wellworn.application.bootstrap.entrance import Entrance
from wellworn.application.bootstrap.knowing import Knowing
from wellworn.application.bootstrap.visits import Visits
from wellworn.application.transfer import Taken, Transfer
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Knowledge, Practice, PracticeFound
from wellworn.domain.memory import Contribute, Memory, Prompt, Reply, Retrieval
from wellworn.domain.outline import PAGE, Outlined, Passage
from wellworn.domain.spaces import Access, CallClass, Credentials, Doors, Mode, Role
from wellworn.domain.thoughts import (
    Affirmed,
    Contributor,
    Draft,
    Found,
    Held,
    Highway,
    Provenance,
    Record,
    Road,
    Signal,
    Stored,
    Thoughts,
)
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import Extractor
from wellworn.engines.jobs import Jobs
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import EdgeVectorIndex, IndexBuilder
from wellworn.errors import WellwornError

REPAIRED_AT_ONCE = 256


class Repair(Protocol):
    """What makes one index agree with the database."""

    def missing(self) -> list[int]: ...

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = ...) -> None: ...


@dataclass(frozen=True, slots=True)
class Health:
    """How the parts are; counts are of indexed thoughts and of practices in the caller's space."""

    database: bool
    index: bool
    embedding: bool
    model: str
    thoughts: int
    practices: int
    unindexed: int

    @property
    def is_well(self) -> bool:
        return self.database and self.index and self.embedding and not self.unindexed


@dataclass(slots=True)
class App:
    """An open memory: what every door calls. Only one process may have a data folder open.

    Every call into a space goes through `visits`; `memory` and the other services beside it are
    those of the open spaces, for upkeep and tests.
    """

    database: Database
    embedder: Embedder
    memory: Memory
    thoughts: Thoughts
    knowledge: Knowledge
    transfer: Transfer
    indexes: tuple[EdgeVectorIndex, ...]
    builders: tuple[IndexBuilder, ...]
    repairs: tuple[Repair, ...]
    entrance: Entrance
    credentials: Credentials
    administration: Administration
    visits: Visits
    knowing: Knowing
    extractor: Extractor
    jobs: Jobs
    unindexed: int = 0
    closed: bool = field(default=False)
    work: Event = field(default_factory=Event)
    """Set when maintenance should not wait for its hour."""

    @property
    def doors(self) -> Doors:
        """What decides access, without counting."""
        return self.entrance.doors

    def enter(
        self, shown: str | None, space: str | None, *, writes: bool, address: str = "unknown"
    ) -> Access:
        """Return what the bearer of a credential, or of none, may do in a space; counts the call.

        Raises:
            Unauthenticated, SpaceNotFound, SpaceLocked, RateLimited: see `Entrance.enter`.
        """
        kind = CallClass.WRITE if writes else CallClass.READ
        return self.entrance.enter(shown, space, kind=kind, address=address)[0]

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Answer a prompt, and remember it if the contribution rule and the caller's role say so.

        Raises:
            Forbidden: a reader asked for the prompt to be stored.
        """
        action = Action.MEMORY_RECALLED
        if prompt.contribute is Contribute.ALWAYS:
            action = Action.MEMORY_REMEMBERED
        with self.visits.visit(access, action) as visit:
            if prompt.contribute is Contribute.ALWAYS:
                visit.access.require(Role.CONTRIBUTOR)
            elif not visit.access.role.allows(Role.CONTRIBUTOR):
                prompt = replace(prompt, contribute=Contribute.NEVER)
            reply = visit.room.memory.converse(visit.access, prompt)
            said = reply.trace.thought_id
            visit.touched([said] if said else [])
            visit.touched(source.thought_id for source in reply.result.sources)
            visit.touched(one.thought_id for one in reply.result.often_needed_next)
            visit.counts["contributed"] = reply.trace.thoughts_contributed
            if said and "quarantine" in reply.trace.operations:
                visit.held([said])
        return reply

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: Signal,
        agent_id: str | None = None,
    ) -> float:
        """Apply explicit feedback; return the thought's new weight."""
        with self.visits.visit(access, Action.MEMORY_JUDGED, Role.CONTRIBUTOR) as visit:
            visit.touched([thought_id])
            return visit.room.thoughts.judge(
                visit.access,
                session_id=session_id,
                thought_id=thought_id,
                signal=signal,
                agent_id=agent_id,
            )

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        """Erase a thought's words; return when. Who is no admin may erase only their own."""
        with self.visits.visit(access, Action.MEMORY_FORGOTTEN, Role.CONTRIBUTOR) as visit:
            visit.touched([thought_id])
            if not visit.access.role.allows(Role.ADMIN):
                visit.room.thoughts.require_own(visit.access, thought_id)
            was_held = visit.room.thoughts.is_held(visit.access, thought_id)
            try:
                erased_at = visit.room.memory.forget(
                    visit.access, thought_id, agent_id=agent_id, reason=reason
                )
            finally:
                self.work.set()
            if was_held:
                visit.effects.append((Action.QUARANTINE_DROPPED, [thought_id]))
        return erased_at

    def look_up(
        self, access: Access, query: str, *, limit: int = 10, filter_tags: Sequence[str] = ()
    ) -> Sequence[Found]:
        """Search without leaving a trace."""
        with self.visits.visit(access, Action.THOUGHT_FOUND) as visit:
            found = visit.room.memory.look_up(
                visit.access, query, limit=limit, filter_tags=filter_tags
            )
            visit.touched(one.thought_id for one in found)
        return found

    def record(self, access: Access, thought_id: str) -> Record:
        """Return a thought with its whole trace."""
        with self.visits.visit(access, Action.THOUGHT_READ) as visit:
            visit.touched([thought_id])
            return visit.room.thoughts.record(visit.access, thought_id)

    def held(self, access: Access) -> list[Held]:
        """Return the thoughts that are held back until an admin has looked at them."""
        with self.visits.visit(access, Action.THOUGHT_LISTED, Role.ADMIN) as visit:
            found = visit.room.thoughts.held(visit.access)
            visit.touched(one.thought_id for one in found)
        return found

    def release(self, access: Access, thought_id: str) -> None:
        """Let a held thought be found like any other."""
        with self.visits.visit(access, Action.QUARANTINE_RELEASED, Role.ADMIN) as visit:
            visit.touched([thought_id])
            visit.room.thoughts.release(visit.access, thought_id)

    def provenance(self, access: Access, thought_id: str, *, depth: int) -> Provenance:
        """Walk the chain of sources both ways."""
        with self.visits.visit(access, Action.THOUGHT_READ) as visit:
            visit.touched([thought_id])
            return visit.room.thoughts.provenance(visit.access, thought_id, depth=depth)

    def contributor(self, access: Access, contributor_id: str) -> Contributor:
        """Sum up what one contributor gave."""
        with self.visits.visit(access, Action.THOUGHT_LISTED) as visit:
            return visit.room.thoughts.contributor(visit.access, contributor_id)

    def think(self, access: Access, draft: Draft) -> Stored | Affirmed:
        """Store a thought, or affirm the one that says the same already."""
        with self.visits.visit(access, Action.MEMORY_REMEMBERED, Role.CONTRIBUTOR) as visit:
            outcome = visit.room.thoughts.think(visit.access, draft)
            visit.touched([outcome.thought_id])
            if isinstance(outcome, Stored) and outcome.held:
                visit.held([outcome.thought_id])
        return outcome

    def retrieve(self, access: Access, retrieval: Retrieval) -> list[Found]:
        """Search and wear the trails of what is found."""
        with self.visits.visit(access, Action.MEMORY_RECALLED) as visit:
            found = visit.room.memory.retrieve(visit.access, retrieval)
            visit.touched(one.thought_id for one in found)
        return found

    def highways(
        self, access: Access, *, min_access: int, min_users: int, limit: int, sort_by: Road
    ) -> list[Highway]:
        """Return what several agents keep coming back to."""
        with self.visits.visit(access, Action.THOUGHT_LISTED) as visit:
            return visit.room.thoughts.highways(
                visit.access,
                min_access=min_access,
                min_users=min_users,
                limit=limit,
                sort_by=sort_by,
            )

    def outline(
        self, access: Access, of: str | None = None, *, depth: int = 1, offset: int = 0
    ) -> Outlined:
        """Return a node of the space's outline and what is below it."""
        with self.visits.visit(access, Action.THOUGHT_LISTED) as visit:
            return visit.room.outline.outline(visit.access, of, depth=depth, offset=offset)

    def read(self, access: Access, node: str, *, offset: int = 0, limit: int = PAGE) -> Passage:
        """Return a page of the text that a node of the outline stands for."""
        with self.visits.visit(access, Action.THOUGHT_READ) as visit:
            passage = visit.room.outline.read(visit.access, node, offset=offset, limit=limit)
            if any(part.citation for part in passage.parts):
                visit.action = Action.DOCUMENT_READ
            visit.touched(dict.fromkeys(part.source for part in passage.parts))
        return passage

    def settle(self, access: Access) -> int:
        """Write every weight as it is now; return how many changed."""
        with self.visits.visit(access, Action.SPACE_CHANGED, Role.ADMIN) as visit:
            return visit.room.thoughts.settle(visit.access)

    def ingest(self, access: Access, practice: Practice) -> tuple[str, bool]:
        """Store a best practice; return its id and whether it was new."""
        with self.visits.visit(access, Action.PRACTICE_STORED, Role.CONTRIBUTOR) as visit:
            return visit.room.knowledge.ingest(visit.access, practice)

    def query(self, access: Access, text: str, *, domain: str | None) -> list[PracticeFound]:
        """Return the best practices nearest in meaning."""
        with self.visits.visit(access, Action.PRACTICE_FOUND) as visit:
            return visit.room.knowledge.query(visit.access, text, domain=domain)

    def bring(self, access: Access, records: Iterable[Mapping[str, Any]]) -> Taken:
        """Take in exported records; what is known already is passed over."""
        with self.visits.visit(access, Action.IMPORT_MADE, Role.CONTRIBUTOR) as visit:
            taken = visit.room.transfer.import_records(visit.access, records)
            visit.counts["imported"] = taken.imported
            visit.held(taken.held)
        return taken

    def export(self, access: Access) -> Iterator[dict[str, Any]]:
        """Yield everything the space holds; who may read may also take a copy."""
        with self.visits.visit(access, Action.EXPORT_MADE) as visit:
            records = visit.room.transfer.export(visit.access)
            if visit.access.mode is Mode.SEALED:
                # Read at once: its database is one thread's at a time, and a stream has many.
                records = iter(list(records))
            for record in records:
                visit.counts["records"] = visit.counts.get("records", 0) + 1
                yield record

    def warm(self) -> None:
        """Load the model before the first call needs it; a damaged one is told by that call."""
        _answers(lambda: self.embedder.embed(["ready"]))

    def maintain(self) -> None:
        """Do what is due in the background; repairs and index builds may take minutes."""
        self.database.scrub_if_due()
        self.visits.rooms.close_idle()
        self.visits.rooms.judge_needs()
        self.visits.rooms.learn_weights()
        self.visits.rooms.make_topics()
        self.visits.rooms.drop_expired()
        self.visits.audit.checkpoint_if_due()
        self.doors.write_down_uses()
        if self.unindexed:
            self.repair()
        self.thoughts.searcher.warm()
        for builder in self.builders:
            if not self.closed:
                builder.run_if_due()

    def repair(self, advance: Callable[[int], None] = lambda _: None) -> None:
        """Index whatever an index lacks; `advance` is told how many are done in all."""
        todo = [(repair, repair.missing()) for repair in self.repairs]
        self.unindexed = sum(len(seqs) for _, seqs in todo)
        done = 0
        for repair, seqs in todo:
            for start in range(0, len(seqs), REPAIRED_AT_ONCE):
                if self.closed:
                    return
                part = seqs[start : start + REPAIRED_AT_ONCE]
                repair.index(part)
                done += len(part)
                self.unindexed -= len(part)
                advance(done)

    def health(self, access: Access) -> Health:
        """Ask every part how it is; a part that fails is told, not raised."""
        with self.visits.visit(access, Action.SPACE_READ) as visit:
            room = visit.room
            thought_points = _counted(lambda: room.thought_index.count(visit.access.space))
            chunk_points = _counted(lambda: room.chunk_index.count(visit.access.space))
            practices = _counted(lambda: room.knowledge.count(visit.access))
        return Health(
            database=_answers(self.database.ping),
            index=thought_points is not None and chunk_points is not None,
            embedding=_answers(lambda: self.embedder.embed(["well?"])),
            model=self.embedder.name,
            thoughts=thought_points or 0,
            practices=practices or 0,
            unindexed=self.unindexed,
        )

    def stop_maintenance(self) -> None:
        """Give up what runs in the background; nothing that was acknowledged is lost by it."""
        self.closed = True
        self.work.set()
        for builder in self.builders:
            builder.stop()

    def close(self) -> None:
        """Release every file."""
        self.stop_maintenance()
        self.jobs.close()
        self.visits.rooms.close_all()
        for index in self.indexes:
            index.close()
        self.extractor.close()
        self.database.close()


def _counted(count: Callable[[], int]) -> int | None:
    try:
        return count()
    except WellwornError:
        return None


def _answers(question: Callable[[], object]) -> bool:
    try:
        question()
    except WellwornError:
        return False
    return True
