"""Tells of sessions and the paths that they took, and where several of a space gathered.

A member is told of their own sessions, an admin of everybody's, as of decisions. All of it is read
from the query log when it is asked for, so that nothing outlives what was erased or rolled back.

Source: `docs/concepts.md`, "The path of a session".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.sessions import session_not_found
from wellworn.domain.thoughts.store import paths as store
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.paths import SessionSummary
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.topics import TopicIndex
from wellworn.engines.retrieval.gatherings import (
    FEWEST_AGENTS,
    USUAL_DAYS,
    WINDOW_DAYS,
    GatheringAnswer,
    find_gatherings,
    find_regions,
    refuse_log,
)
from wellworn.engines.retrieval.trajectories import (
    LEAST_QUESTIONS,
    MOST_QUESTIONS,
    Regime,
    follow_path,
)
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.kit.clock import Clock

_DAY_S: Final = 86_400.0
_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class PathStep:
    """A question of a session, and how far it moved: 1 minus the cosine.

    Attributes:
        asked_at: in epoch seconds.
        local_drift: from the question before; 0 of the first.
        global_drift: from the first.
    """

    query_id: str
    asked_at: float
    question: str
    local_drift: float
    global_drift: float


@dataclass(frozen=True, slots=True)
class SessionPath:
    """The path of a session through its newest questions.

    Attributes:
        steps: in order.
        dispersion: the mean distance of two questions.
        regime: undetermined unless its order says more than chance.
        p: how probable so much order is by chance; None where there are too few questions.
        needed: how many it takes.
    """

    session_id: str
    agent_id: str
    steps: tuple[PathStep, ...]
    dispersion: float
    regime: Regime
    p: float | None
    needed: int = LEAST_QUESTIONS


@dataclass(frozen=True, slots=True)
class GatheredRegion:
    """What more agents came to than chance would have it.

    Attributes:
        agents, sessions: how many came, and how often, within the window.
        p: how probable any region as unusual is where nobody gathers.
        first_at: when the first of them came, in epoch seconds.
        topic_id, title: of most of what they were shown; None where that is in no topic.
        thoughts: what they were shown the most, that the caller may see.
        questions: what some of them asked, as far as the caller may know.
    """

    agents: int
    sessions: int
    p: float
    first_at: float
    topic_id: str | None
    title: str | None
    thoughts: tuple[ThoughtSummary, ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Whether several came to one region lately that usually do not.

    Attributes:
        agents: of how many it is known what they usually ask.
        needed: how many it takes.
        days: how far the log reaches back, at most 33.
    """

    answer: GatheringAnswer
    agents: int
    days: int
    regions: tuple[GatheredRegion, ...] = ()
    needed: int = FEWEST_AGENTS


class PathFinder:
    """Finds the paths of sessions, and where they met; every method needs an Access."""

    def __init__(self, database: Database, topics: TopicIndex, clock: Clock) -> None:
        self._database = database
        self._topics = topics
        self._clock = clock

    def list_sessions(self, access: Access, *, limit: int = 20) -> list[SessionSummary]:
        """Return the sessions that something was asked in last, of those that the caller may know.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            return store.list_sessions(transaction, access, owner=_find_owner(access), limit=limit)

    def follow(self, access: Access, session_id: str) -> SessionPath:
        """Return the path of a session.

        Raises:
            SessionNotFound: there is none that the caller may know of.
            StorageUnavailable: the database failed.
        """
        owner = _find_owner(access)
        with self._database.read() as transaction:
            if not store.has_asked(transaction, access, session_id, owner=owner):
                raise session_not_found()
            asked = store.list_questions(
                transaction, access, session_id, owner=owner, most=MOST_QUESTIONS
            )
        if not asked:
            return SessionPath(session_id, "", (), 0.0, Regime.UNDETERMINED, None)
        path = follow_path(np.stack([each.vector for each in asked]))
        steps = [
            PathStep(each.query_id, each.asked_at, each.text, local, whole)
            for each, local, whole in zip(asked, path.local_drift, path.global_drift, strict=True)
        ]
        agent = asked[-1].agent_id
        return SessionPath(session_id, agent, tuple(steps), path.dispersion, path.regime, path.p)

    def find_gathered(self, access: Access) -> Gathered:
        """Return what more agents came to in the last three days than chance would have it.

        Raises:
            StorageUnavailable: the database failed.
        """
        now = self._clock.now()
        since = now - (USUAL_DAYS + WINDOW_DAYS) * _DAY_S
        with self._database.read() as transaction:
            openings = store.list_openings(transaction, access, since=since)
        if not openings:
            return Gathered(GatheringAnswer.NOT_ENOUGH_AGENTS, 0, 0)
        _, users = np.unique([each.user for each in openings], return_inverse=True)
        # A clock that ran ahead is now.
        ages = np.array([max(0.0, now - each.asked_at) for each in openings])
        days = (ages // _DAY_S).astype(np.int64)
        # Where one person works alone, each digest would divide a month of questions for nothing.
        if refused := refuse_log(users, days):
            return Gathered(refused.answer, refused.agents, refused.days)
        regions = find_regions(np.stack([each.vector for each in openings]))
        found = find_gatherings(users, days, regions)
        told: list[GatheredRegion] = []
        with self._database.read() as transaction:
            for each in found.found:
                came = np.flatnonzero((regions == each.region) & (days < WINDOW_DAYS))
                first_at = min(openings[at].asked_at for at in came)
                seqs = [openings[at].query_seq for at in came]
                shown = self._describe(transaction, access, seqs)
                told.append(GatheredRegion(each.agents, len(came), each.p, first_at, *shown))
        return Gathered(found.answer, found.agents, found.days, tuple(told))

    def _describe(
        self, transaction: Transaction, access: Access, query_seqs: Sequence[int]
    ) -> tuple[str | None, str | None, tuple[ThoughtSummary, ...], tuple[str, ...]]:
        """Return the topic of some questions with its title, what they were shown, and some."""
        counts = Counter(store.list_shown(transaction, query_seqs))
        visible = rows.load_summaries(transaction, access, [*counts])
        most = [seq for seq, _ in counts.most_common() if seq in visible]
        topic_map = self._topics.build_map(transaction, access)
        place_of = {
            seq: topic
            for topic in topic_map.list_topics()
            for seq in topic_map.list_members(topic).tolist()
        }
        within = Counter[str]()
        for seq in most:
            if seq in place_of:
                within[place_of[seq].id] += counts[seq]
        topic = topic_map.find(within.most_common(1)[0][0]) if within else None
        questions = store.list_texts(
            transaction, query_seqs, owner=_find_owner(access), most=_MOST_NAMED
        )
        return (
            topic and topic.id,
            topic and topic_map.find_title(topic),
            tuple(visible[seq] for seq in most[:_MOST_NAMED]),
            tuple(questions),
        )


def _find_owner(access: Access) -> str | None:
    """Return whose sessions alone the caller may know of; None of everybody's."""
    return None if access.role.allows(Role.ADMIN) else access.owner
