"""The use cases of thoughts: think, retrieve, give feedback, follow a trail, forget.

Each that writes owns a transaction. The conversation combines the same parts in one of its own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from wellworn.domain.inspection import Inspector
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import moderation, pheromone, tracing
from wellworn.domain.thoughts import trail as trails
from wellworn.domain.thoughts.convergence import (
    ConvergenceFinder,
    Sightings,
    count_independent,
)
from wellworn.domain.thoughts.curation import Curator
from wellworn.domain.thoughts.deciding import DecisionLog, decide
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.learning import WeightLearner
from wellworn.domain.thoughts.models import (
    Affirmed,
    Contributor,
    Exposure,
    FeedbackSignal,
    FoundThought,
    HeldThought,
    Highway,
    HighwayOrder,
    Provenance,
    RollbackSummary,
    SearchQuery,
    Stored,
    ThoughtKind,
    TracedThought,
)
from wellworn.domain.thoughts.needed_next import NeedPredictor
from wellworn.domain.thoughts.neighbours import NeighbourFinder
from wellworn.domain.thoughts.paths import PathFinder
from wellworn.domain.thoughts.picking import pick_in_turn
from wellworn.domain.thoughts.repair import ThoughtProgress
from wellworn.domain.thoughts.results import describe_standing
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.selection import ThoughtSelector
from wellworn.domain.thoughts.sessions import Sessions, session_not_found
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.sleep import BridgeKeeper, OverviewReader, Sleeper
from wellworn.domain.thoughts.store import (
    consolidations,
    events,
    highways,
    ledger,
    purge,
    records,
    replacements,
    rollback,
    rollback_scope,
    rows,
    sessions,
)
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.domain.thoughts.store.rows import IndexableThought
from wellworn.domain.thoughts.topics import Cartographer, TopicBrowser, TopicIndex
from wellworn.domain.thoughts.values import Appraiser
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.domain.thoughts.writing import ThoughtWriter
from wellworn.engines.embedding import Embedder
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Transaction, split_into_batches
from wellworn.engines.storage.vectors import VectorIndex, point_ids, points_in
from wellworn.errors import DiskFull, Forbidden, NotFound, ThoughtNotFound
from wellworn.kit.clock import Clock

DEEPEST_PROVENANCE = 20
_OBJECTIONS = frozenset({FeedbackSignal.OUTDATED, FeedbackSignal.WRONG})
_SETTLED_AT_ONCE = 5_000
_REPLAYED_AT_ONCE = 500


class Thoughts:
    """The service of thoughts; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        clock: Clock,
        settings: ThoughtSettings,
        *,
        inspector: Inspector | None = None,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self.settings = settings
        self._versions = versions = FeatureVersions.of(embedder)
        self.progress = ThoughtProgress(database, versions)
        self.searcher = ThoughtSearcher(database, index, clock, settings, versions=versions)
        self.writer = ThoughtWriter(index, embedder, clock, inspector or Inspector())
        self.sessions = Sessions(clock, keeps_decisions=settings.decision_days > 0)
        self.decisions = DecisionLog(database, clock, days=settings.decision_days)
        self.curator = Curator(database, self.searcher, clock)
        self.sightings = Sightings(database, clock)
        self.convergence = ConvergenceFinder(database, self.curator.alike, self.curator.load)
        self.neighbourhood = NeighbourFinder(database, self.searcher, self.curator, embedder, clock)
        self.needed_next = NeedPredictor(database, clock)
        self.learner = WeightLearner(
            database,
            self.searcher,
            embedder,
            clock,
            is_on=settings.learned_weights,
            is_logged=settings.decision_days > 0,
            tries=settings.try_weights,
        )
        self.topics = TopicIndex(database, index, clock, version=versions.whole)
        self.topic_browser = TopicBrowser(database, self.topics, clock)
        self.selector = ThoughtSelector(
            database, self.searcher, self.curator, self.topic_browser, clock
        )
        self.cartographer = Cartographer(
            database, self.topics, self.decisions, clock, version=versions.whole
        )
        self.values = Appraiser(database, self.topics)
        self.paths = PathFinder(database, self.topics, clock)
        self.overviews = OverviewReader(database, index, clock)
        self.bridges = BridgeKeeper(database, self.topics, clock)
        self.sleeper = Sleeper(
            database,
            self.topics,
            self.overviews,
            self.bridges,
            clock,
            version=versions.whole,
            every_hours=settings.sleep_hours,
        )

    def think(self, access: Access, draft: ThoughtDraft) -> Stored | Affirmed:
        """Store a thought, or affirm the one with the same content.

        Raises:
            InvalidInput, MissingSources, ThoughtNotFound: the draft cannot be stored.
        """
        draft = draft.validate_new()
        passages = self.writer.prepare(access, draft)
        with self._database.write() as transaction:
            _, outcome = self.writer.store(transaction, access, draft, passages)
        return outcome

    def search(self, access: Access, search: SearchQuery) -> list[FoundThought]:
        """Search thoughts without leaving a trace."""
        return self.searcher.load_distinct(access, self.searcher.rank(access, search), search.limit)

    def retrieve(
        self, access: Access, search: SearchQuery, exposure: Exposure
    ) -> list[FoundThought]:
        """Search thoughts and strengthen their trails; the weights returned are the new ones.

        On a full disk the trails stay as they are.

        Raises:
            SessionNotFound: the session belongs to another agent.
        """
        search = replace(search, call_id=exposure.query_id)
        found = self.searcher.find(access, search)
        found = found._replace(hits=pick_in_turn(found.hits, search.call_id, search.limit))
        thoughts = self.searcher.load_distinct(access, found.hits, search.limit)
        exposure = replace(exposure, decision=decide(thoughts, found))
        after: dict[int, trails.Trail] = {}
        with suppress(DiskFull), self._database.write() as transaction:
            self.sessions.enter_session(transaction, access, exposure.session_id, exposure.agent_id)
            living = self.sessions.filter_living(transaction, [hit.seq for hit in thoughts])
            thoughts = [thought for thought in thoughts if thought.seq in living]
            after = self.sessions.leave_trace(transaction, access, exposure, thoughts)
        now = self._clock.now()
        return [
            replace(thought, pheromone_weight=after[thought.seq].weight_at(now))
            if thought.seq in after
            else thought
            for thought in thoughts
        ]

    def add_feedback(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: FeedbackSignal,
        agent_id: str | None = None,
    ) -> float:
        """Apply explicit feedback to a thought that the session was shown; return its new weight.

        Raises:
            SessionNotFound: no such session, or not this agent's.
            ThoughtNotFound: the session was never shown the thought.
        """
        with self._database.write() as transaction:
            session_id, owner = self.sessions.find_agent(transaction, access, session_id)
            if owner is None or (agent_id is not None and agent_id != owner):
                raise session_not_found()
            seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id)
            query_seq = seq and sessions.find_query(transaction, access, session_id, seq)
            if not seq or not query_seq:
                raise ThoughtNotFound("thought_id was not returned in this session")
            if signal in _OBJECTIONS:
                moderation.require_restraint(
                    transaction, access, seq, access.resolve_user(owner), now=self._clock.now()
                )
            return tracing.apply_signal(
                transaction,
                access,
                seq,
                session_id=session_id,
                agent_id=owner,
                query_seq=query_seq,
                signal=signal,
                now=self._clock.now(),
            )

    def withdraw_replacement(
        self, access: Access, thought_id: str, replaced_id: str, *, agent_id: str
    ) -> None:
        """Take back that one thought replaces another; both are true again.

        Raises:
            Forbidden: others stated it, of thoughts of others.
            ThoughtNotFound: no thought of the space has that id, or neither replaces the other.
        """
        user = access.resolve_user(agent_id)
        with self._database.write() as transaction:
            newer = _find_seq(transaction, access, thought_id)
            older = _find_seq(transaction, access, replaced_id)
            if not (links := replacements.find_links(transaction, newer, older)):
                raise no_such_thought("neither of the two thoughts replaces the other")
            own = moderation.select_withdrawable(transaction, access, links, user)
            replacements.withdraw(transaction, own, by=user, now=self._clock.now())

    def list_highways(
        self,
        access: Access,
        *,
        min_access: int = trails.HIGHWAY_ACCESSES,
        min_users: int = trails.HIGHWAY_AGENTS,
        limit: int = 20,
        sort_by: HighwayOrder = HighwayOrder.USE,
    ) -> list[Highway]:
        """Return the thoughts that several agents return to."""
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

    def get_record(self, access: Access, thought_id: str) -> TracedThought:
        """Return a thought with its full trace.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        now = self._clock.now()
        with self._database.read() as transaction:
            seq = _find_seq(transaction, access, thought_id)
            record = records.load_record(transaction, seq, now=now)
            standing = load_standings(transaction, [seq], at=now).find(seq)
            linked = rows.load_summaries(transaction, access, standing.ends)
            [count] = count_independent(transaction, [[seq]])
        return replace(record, rediscovered=count, **describe_standing(standing, linked))

    def get_provenance(
        self, access: Access, thought_id: str, *, depth: int = DEEPEST_PROVENANCE
    ) -> Provenance:
        """Walk the chain of sources both ways, at most `depth` steps.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = _find_seq(transaction, access, thought_id)
            return Provenance(
                thought_id,
                came_from=records.load_origins(transaction, seq, depth=depth, forward=False),
                built_into=records.load_origins(transaction, seq, depth=depth, forward=True),
            )

    def get_contributor(self, access: Access, contributor_id: str) -> Contributor:
        """Summarize a contributor's thoughts and how often they were accessed.

        Raises:
            NotFound: the space has no thought of theirs.
        """
        with self._database.read() as transaction:
            contributor = records.summarize_contributor(transaction, access, contributor_id)
        if contributor is None:
            raise NotFound("no thought of that contributor is known")
        return contributor

    def erase(
        self,
        transaction: Transaction,
        access: Access,
        thought_id: str,
        *,
        erased_by: str,
        reason: str | None = None,
    ) -> float:
        """Remove a thought's content and vectors in the caller's transaction; return the time.

        For a thought that is erased already, this is the time of its first erasure. Who is no admin
        erases what they said; what other members said in the same words stays theirs.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        seq = _find_seq(transaction, access, thought_id)
        if (before := rows.find_erasure_time(transaction, seq)) is not None:
            return before
        now = self._clock.now()
        [thought] = rows.load_indexable(transaction, [seq])
        held = rows.load_authorships(transaction, [seq])[seq].held
        erased_by, reason = redact(erased_by).text, reason and redact(reason).text
        consolidations.forget_told(transaction, [seq])
        rows.erase(transaction, access, seq, erased_by=erased_by, reason=reason, now=now)
        self._index.delete(point_ids(seq))
        self.searcher.state.forget([seq])
        if access.is_inspected and thought.kind is ThoughtKind.THOUGHT:
            self.writer.pass_on(transaction, access, thought, held=held)
        return now

    def list_held(self, access: Access) -> list[HeldThought]:
        """Return the thoughts in quarantine, oldest first.

        Raises:
            Forbidden: the caller is not an admin of the space.
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
            seq = _find_seq(transaction, access, thought_id)
            is_erased = rows.find_erasure_time(transaction, seq) is not None
            return not is_erased and rows.load_authorships(transaction, [seq])[seq].held

    def release(self, access: Access, *thought_ids: str) -> None:
        """Release thoughts from quarantine, those that are in it; all or none.

        Raises:
            Forbidden: the caller is not an admin of the space.
            ThoughtNotFound: the space has no such thought.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            seqs = rows.find_seqs(transaction, access, thought_ids)
            if len(seqs) < len({*thought_ids}):
                raise ThoughtNotFound("the space has no such thought")
            rows.release(transaction, [*seqs.values()])

    def roll_back(
        self,
        transaction: Transaction,
        access: Access,
        owner: str,
        *,
        since: float,
        dry_run: bool = False,
    ) -> tuple[RollbackSummary, list[IndexableThought]]:
        """Take back an owner's contributions in the caller's transaction.

        Returns the counts, and the removed thoughts for callers that keep copies of their content.
        """
        scope = rollback_scope.find_scope(transaction, access, owner, since)
        summary = RollbackSummary(
            thoughts=len(scope.own_thoughts),
            derived=len(scope.removed_thoughts) - len(scope.own_thoughts),
            queries=len(scope.queries),
            uses=len(scope.uses) + scope.lost_uses,
            dry_run=dry_run,
        )
        if dry_run:
            return summary, []
        removed = rows.load_indexable(transaction, list(scope.removed_thoughts))
        consolidations.forget_told(transaction, scope.removed_thoughts)
        for seqs in split_into_batches(
            rollback.roll_back(transaction, access, scope), _REPLAYED_AT_ONCE
        ):
            events.replay_trails(transaction, seqs)
        self._index.delete([point for seq in scope.removed_thoughts for point in point_ids(seq)])
        self.searcher.state.forget(scope.removed_thoughts)
        self.learner.forget(transaction, access, since=since)
        self.bridges.forget(transaction, access, since=since)
        self.needed_next.forget(transaction, access)
        return summary, removed

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Delete all thoughts of the space with their traces, in the caller's transaction."""
        seqs = purge.list_seqs(transaction, access)
        purge.purge(transaction, access)
        self.learner.forget(transaction, access)
        self.bridges.forget(transaction, access)
        self.needed_next.forget(transaction, access)
        self._index.delete(points_in(self._index, seqs))
        self.searcher.state.forget(seqs)

    def require_own(self, access: Access, thought_id: str) -> None:
        """Refuse callers who did not contribute the thought.

        Raises:
            Forbidden: another owner contributed it.
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = _find_seq(transaction, access, thought_id)
            owner = rows.load_authorships(transaction, [seq])[seq].owner
        if access.owner is None or owner != access.owner:
            raise Forbidden("only an admin of the space can erase what others contributed")

    def settle(self, access: Access) -> int:
        """Store the space's current weights, the decay job by hand; return how many changed.

        Weights fade whether this runs or not; it makes the stored numbers agree with those read.
        """
        changed, last = 0, 0
        while True:
            with self._database.write() as transaction:
                batch = ledger.load_trail_page(
                    transaction, access, after_seq=last, limit=_SETTLED_AT_ONCE
                )
                if not batch:
                    return changed
                last, now = max(batch), self._clock.now()
                after = {
                    seq: trails.with_pheromone(trail, pheromone.settle(trail.pheromone, now))
                    for seq, trail in batch.items()
                }
                settled = {seq: trail for seq, trail in after.items() if trail != batch[seq]}
                ledger.save_trails(transaction, settled)
                changed += len(settled)


def no_such_thought(message: str = "no thought has this thought_id") -> ThoughtNotFound:
    return ThoughtNotFound(message)


def _find_seq(transaction: Transaction, access: Access, thought_id: str) -> int:
    seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id)
    if seq is None:
        raise no_such_thought()
    return seq
