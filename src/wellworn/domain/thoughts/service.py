"""Thoughts' use cases: think, retrieve, judge, follow a trail, forget.

Each use case that writes owns one transaction. The conversation composes the same pieces into a
transaction of its own.

Source: thought tracing v0.2.0, section 4.
"""

from __future__ import annotations

from dataclasses import replace

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import pheromone, tracing
from wellworn.domain.thoughts import trail as trails
from wellworn.domain.thoughts.index import maker
from wellworn.domain.thoughts.journal import Journal, no_session
from wellworn.domain.thoughts.learning import Learning
from wellworn.domain.thoughts.models import (
    Affirmed,
    Contributor,
    Draft,
    Exposure,
    Found,
    Held,
    Highway,
    Provenance,
    Record,
    Road,
    RolledBack,
    Search,
    Signal,
    Stored,
)
from wellworn.domain.thoughts.needs import Needs
from wellworn.domain.thoughts.searching import Searcher
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.store import (
    events,
    highways,
    ledger,
    purge,
    records,
    rollback,
    rollback_scope,
    rows,
    sessions,
)
from wellworn.domain.thoughts.store.rows import IndexableThought
from wellworn.domain.thoughts.thinking import Thinker, checked
from wellworn.domain.thoughts.topics import Topics
from wellworn.engines.embedding import Embedder
from wellworn.engines.safety import redacted
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex, point_ids, points_in
from wellworn.errors import Forbidden, NotFound, ThoughtNotFound
from wellworn.kit.clock import Clock

DEEPEST_PROVENANCE = 20
_SETTLED_AT_ONCE = 5_000
_REPLAYED_AT_ONCE = 500


class Thoughts:
    """What can be done with thoughts; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        clock: Clock,
        settings: ThoughtSettings,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self.settings = settings
        self.searcher = Searcher(database, index, clock, settings, made_by=maker(embedder))
        self.thinker = Thinker(index, embedder, clock)
        self.journal = Journal(clock)
        self.needs = Needs(database, clock)
        self.learning = Learning(
            database, self.searcher, embedder, clock, is_on=settings.learned_weights
        )
        self.topics = Topics(database, index, made_by=maker(embedder))

    def think(self, access: Access, draft: Draft) -> Stored | Affirmed:
        """Store a thought, or affirm the one that says the same already.

        Raises:
            InvalidInput, MissingSources, ThoughtNotFound: the draft cannot be stored.
        """
        draft = checked(draft)
        [passages] = self.thinker.prepare([draft])
        with self._database.write() as transaction:
            _, outcome = self.thinker.keep(transaction, access, draft, passages)
        return outcome

    def search(self, access: Access, search: Search) -> list[Found]:
        """Find thoughts without leaving a trace."""
        return self.searcher.read(self.searcher.pool(access, search)[: search.limit])

    def retrieve(self, access: Access, search: Search, exposure: Exposure) -> list[Found]:
        """Find thoughts and wear their trails; the weights returned are those after.

        Raises:
            SessionNotFound: the session belongs to another agent.
        """
        found = self.search(access, search)
        with self._database.write() as transaction:
            self.journal.enter_session(transaction, access, exposure.session_id, exposure.agent_id)
            living = self.journal.living(transaction, [one.seq for one in found])
            found = [one for one in found if one.seq in living]
            after = self.journal.leave_trace(transaction, access, exposure, found)
        now = self._clock.now()
        return [
            replace(one, pheromone_weight=after[one.seq].weight_at(now))
            if one.seq in after
            else one
            for one in found
        ]

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: Signal,
        agent_id: str | None = None,
    ) -> float:
        """Apply explicit feedback to a thought that the session was shown; return its new weight.

        Raises:
            SessionNotFound: no such session, or not this agent's.
            ThoughtNotFound: the session was never shown that thought.
        """
        with self._database.write() as transaction:
            owner = sessions.find_agent(transaction, access, session_id)
            if owner is None or (agent_id is not None and agent_id != owner):
                raise no_session()
            seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id)
            query_seq = seq and sessions.find_query(transaction, access, session_id, seq)
            if not seq or not query_seq:
                message = "thought_id was not returned in this session"
                raise ThoughtNotFound(message)
            return tracing.judge(
                transaction,
                access,
                seq,
                session_id=session_id,
                agent_id=owner,
                query_seq=query_seq,
                signal=signal,
                now=self._clock.now(),
            )

    def highways(
        self,
        access: Access,
        *,
        min_access: int = 3,
        min_users: int = 2,
        limit: int = 20,
        sort_by: Road = Road.TRAFFIC,
    ) -> list[Highway]:
        """Return what several agents keep coming back to."""
        with self._database.read() as transaction:
            return highways.list_highways(
                transaction,
                access,
                min_access=min_access,
                min_users=min_users,
                limit=limit,
                sort_by=sort_by,
                now=self._clock.now(),
            )

    def record(self, access: Access, thought_id: str) -> Record:
        """Return a thought with its whole trace.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            found = records.load_record(transaction, access, thought_id, now=self._clock.now())
        if found is None:
            raise no_thought()
        return found

    def provenance(
        self, access: Access, thought_id: str, *, depth: int = DEEPEST_PROVENANCE
    ) -> Provenance:
        """Walk the chain of sources both ways, at most `depth` steps.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = _seq(transaction, access, thought_id)
            return Provenance(
                thought_id,
                came_from=records.load_origins(transaction, seq, depth=depth, forward=False),
                built_into=records.load_origins(transaction, seq, depth=depth, forward=True),
            )

    def contributor(self, access: Access, contributor_id: str) -> Contributor:
        """Sum up what one contributor gave and how often it was accessed.

        Raises:
            NotFound: the space knows no thought of theirs.
        """
        with self._database.read() as transaction:
            found = records.summarize_contributor(transaction, access, contributor_id)
        if found is None:
            message = "no thought of that contributor is known"
            raise NotFound(message)
        return found

    def erase(
        self,
        transaction: Transaction,
        access: Access,
        thought_id: str,
        *,
        erased_by: str,
        reason: str | None = None,
    ) -> float:
        """Remove a thought's words and vectors in the caller's transaction; return when.

        What was erased before stays so; its first time is returned.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        seq = _seq(transaction, access, thought_id)
        before = rows.find_erasure_time(transaction, seq)
        if before is not None:
            return before
        now = self._clock.now()
        erased_by, reason = redacted(erased_by).text, reason and redacted(reason).text
        rows.erase(transaction, access, seq, erased_by=erased_by, reason=reason, now=now)
        self._index.delete(point_ids(seq))
        self.searcher.forget([seq])
        return now

    def held(self, access: Access) -> list[Held]:
        """Return what is held in quarantine, oldest first.

        Raises:
            Forbidden: the caller is no admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.read() as transaction:
            return rows.list_quarantined(transaction, access)

    def is_held(self, access: Access, thought_id: str) -> bool:
        """Tell whether a thought is in quarantine, and not erased.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = _seq(transaction, access, thought_id)
            is_erased = rows.find_erasure_time(transaction, seq) is not None
            return not is_erased and rows.load_authorships(transaction, [seq])[seq].held

    def release(self, access: Access, thought_id: str) -> None:
        """Let a thought out of quarantine; one that is not held stays as it is.

        Raises:
            Forbidden: the caller is no admin of the space.
            ThoughtNotFound: the space has no such thought.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            rows.release(transaction, _seq(transaction, access, thought_id))

    def roll_back(
        self,
        transaction: Transaction,
        access: Access,
        owner: str,
        *,
        since: float,
        dry_run: bool = False,
    ) -> tuple[RolledBack, list[IndexableThought]]:
        """Take an owner's part back in the caller's transaction; return what it was.

        With the counts come the thoughts that are gone, for those who keep copies of their words.
        """
        found = rollback_scope.find_scope(transaction, access, owner, since)
        done = RolledBack(
            thoughts=len(found.own_thoughts),
            derived=len(found.removed_thoughts) - len(found.own_thoughts),
            queries=len(found.queries),
            uses=len(found.uses) + found.lost_uses,
            dry_run=dry_run,
        )
        if dry_run:
            return done, []
        gone = rows.load_indexable(transaction, list(found.removed_thoughts))
        touched = rollback.roll_back(transaction, access, found)
        for start in range(0, len(touched), _REPLAYED_AT_ONCE):
            events.replay_trails(transaction, touched[start : start + _REPLAYED_AT_ONCE])
        self._index.delete([point for seq in found.removed_thoughts for point in point_ids(seq)])
        self.searcher.forget(found.removed_thoughts)
        self.learning.forget(access)
        return done, gone

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Delete all thoughts of the space with their whole trace, in the caller's transaction."""
        seqs = purge.list_seqs(transaction, access)
        purge.purge(transaction, access)
        self.learning.forget(access)
        self._index.delete(points_in(self._index, seqs))
        self.searcher.forget(seqs)

    def require_own(self, access: Access, thought_id: str) -> None:
        """Refuse whoever did not contribute the thought.

        Raises:
            Forbidden: it is another's.
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = _seq(transaction, access, thought_id)
            owner = rows.load_authorships(transaction, [seq])[seq].owner
        if access.owner is None or owner != access.owner:
            message = "only an admin of the space can erase what others contributed"
            raise Forbidden(message)

    def settle(self, access: Access) -> int:
        """Write the space's weights as they are now, the decay job by hand; tell how many changed.

        Weights fade whether this runs or not; it makes the stored numbers agree with what is read.
        """
        changed, last = 0, 0
        while True:
            with self._database.write() as transaction:
                batch = ledger.load_trail_page(
                    transaction, access, after_seq=last, limit=_SETTLED_AT_ONCE
                )
                if not batch:
                    return changed
                last = max(batch)
                settled = self._settled(batch)
                ledger.save_trails(transaction, settled)
                changed += len(settled)

    def _settled(self, batch: dict[int, trails.Trail]) -> dict[int, trails.Trail]:
        now = self._clock.now()
        after = {
            seq: trails.with_pheromone(trail, pheromone.settled(trail.pheromone, now))
            for seq, trail in batch.items()
        }
        return {seq: trail for seq, trail in after.items() if trail != batch[seq]}


def no_thought() -> ThoughtNotFound:
    return ThoughtNotFound("no thought has this thought_id")


def _seq(transaction: Transaction, access: Access, thought_id: str) -> int:
    seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id)
    if seq is None:
        raise no_thought()
    return seq
