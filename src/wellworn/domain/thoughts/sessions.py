"""Sessions and traces, read and written in the transaction of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from wellworn.domain.spaces import DEFAULT_SPACE, Access
from wellworn.domain.thoughts import tracing
from wellworn.domain.thoughts.deciding import judge_pool
from wellworn.domain.thoughts.decisions import Decision
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.models import Exposure, FoundThought
from wellworn.domain.thoughts.results import describe_standing
from wellworn.domain.thoughts.store import (
    highways,
    rows,
    sayings,
    sessions,
    sightings,
    tagging,
)
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.domain.thoughts.store.sessions import LastCall
from wellworn.domain.thoughts.tags import collect_tags, tag_key
from wellworn.domain.thoughts.tracing import TraceAhead
from wellworn.domain.thoughts.trail import Trail
from wellworn.domain.thoughts.truth import LinkedThought
from wellworn.domain.thoughts.writing import DraftAhead
from wellworn.engines.retrieval.text import split_words
from wellworn.engines.storage.sql import Asked, Rows, Transaction, fetch_together
from wellworn.errors import SessionNotFound
from wellworn.kit.clock import Clock
from wellworn.kit.ids import derive_id, new_id


def session_not_found() -> SessionNotFound:
    return SessionNotFound("no session has this session_id")


_A_MOMENT_S: Final = 600.0
_LOOKED_BACK: Final = 6
"""Calls of a session among which a short question finds what it is about."""
OPENING: Final = 300
"""Characters of a thought that complete a question about it."""


def _derive_shared_session(session_id: str) -> str:
    """Return the session of the shared space that goes with a session of a project."""
    return derive_id(session_id, DEFAULT_SPACE)


def _select_traced(thoughts: Iterable[FoundThought]) -> list[FoundThought]:
    """Return those that a call leaves a trace on in its own space: what is held gets none."""
    return [thought for thought in thoughts if thought.space is None and not thought.held]


class CallStart(NamedTuple):
    """What a call reads first in its transaction.

    Attributes:
        is_new: whether the agent has no query in the log, and no session either.
        living: those of the thoughts it found that are not erased.
    """

    is_new: bool
    living: set[int]
    draft: DraftAhead
    trace: TraceAhead

    def forget_trails(self) -> CallStart:
        """Return it with trails that are to be read again, as the call has changed some."""
        return self._replace(trace=self.trace._replace(rows=None))


class Sessions:
    """Opens sessions and records what their calls leave."""

    def __init__(self, clock: Clock, *, keeps_decisions: bool = True) -> None:
        self._clock = clock
        self._keeps_decisions = keeps_decisions

    def begin_call(
        self,
        transaction: Transaction,
        access: Access,
        agent_id: str,
        *,
        session_id: str,
        seqs: Sequence[int] = (),
        shown: Sequence[FoundThought] = (),
        draft: ThoughtDraft | None = None,
    ) -> CallStart:
        """Read all that a call needs of its transaction before it writes.

        `seqs` may have been erased since they were found; of those that are `shown` a trace is
        left, and a draft is stored.
        """
        traced = [thought.seq for thought in _select_traced(shown)]
        numbers = sessions.ask_query_seq(transaction)
        of_draft = [] if draft is None else rows.ask_thought_seq(transaction)
        found = fetch_together(
            transaction,
            sessions.ask_queried(access, agent_id),
            *([rows.ask_living(seqs)] if seqs else ()),
            *numbers,
            *of_draft,
            *([] if draft is None else [sayings.ask_said(access, draft)]),
            *tracing.ask_trails(access, agent_id, session_id, traced, now=self._clock.now()),
        )
        queried = next(found)
        living = next(found) if seqs else []
        query_seq = next(found)[0][0] if numbers else None
        seq = next(found)[0][0] if of_draft else None
        said = None if draft is None else next(found)
        is_known = queried or sessions.has_session(transaction, access, agent_id)
        return CallStart(
            not is_known,
            {seq for (seq,) in living},
            DraftAhead(seq, said),
            TraceAhead(query_seq, found),
        )

    def load_last_calls(
        self, transaction: Transaction, access: Access, session_id: str, agent_id: str
    ) -> list[LastCall]:
        """Return the newest calls of the agent's session, newest first.

        Raises:
            SessionNotFound: no such session, or another agent's.
        """
        if not sessions.is_own(transaction, access, session_id, agent_id):
            raise session_not_found()
        return sessions.load_last_calls(transaction, access, session_id, most=_LOOKED_BACK)

    def find_agent(
        self, transaction: Transaction, access: Access, session_id: str
    ) -> tuple[str, str | None]:
        """Return a session and its agent; of a project's session that in the shared space."""
        agent = sessions.find_agent(transaction, access, session_id)
        if agent is not None:
            return session_id, agent
        session_id = _derive_shared_session(session_id)
        return session_id, sessions.find_agent(transaction, access, session_id)

    def open_session(
        self, transaction: Transaction, access: Access, session_id: str, agent_id: str
    ) -> None:
        """Open a session with a new id."""
        sessions.open_session(transaction, access, session_id, agent_id, self._clock.now())

    def enter_session(
        self, transaction: Transaction, access: Access, session_id: str, agent_id: str
    ) -> None:
        """Open the session unless the agent has it already.

        Raises:
            SessionNotFound: the session belongs to another agent or another space.
        """
        if sessions.is_own(transaction, access, session_id, agent_id):
            return
        if sessions.is_taken(transaction, access, session_id):
            raise session_not_found()
        self.open_session(transaction, access, session_id, agent_id)

    def encourage(
        self, transaction: Transaction, access: Access, thought_ids: Sequence[str]
    ) -> None:
        """Give each thought the bonus of implicit feedback."""
        tracing.encourage(transaction, access, thought_ids, now=self._clock.now())

    def restate(
        self,
        transaction: Transaction,
        access: Access,
        seq: int,
        shown: Sequence[FoundThought],
    ) -> tuple[Sequence[FoundThought], tuple[LinkedThought, ...]]:
        """Return thoughts as they stand since another was stored, and what that replaces."""
        now = self._clock.now()
        if not load_standings(transaction, [seq], at=now).find(seq).replaces:
            return shown, ()
        standings = load_standings(transaction, [seq, *(hit.seq for hit in shown)], at=now)
        standing_of = {at: standings.find(at) for at in (seq, *(hit.seq for hit in shown))}
        ends = sorted({end for standing in standing_of.values() for end in standing.ends})
        linked = rows.load_summaries(transaction, access, ends)
        restated = [
            hit if hit.space else replace(hit, **describe_standing(standing_of[hit.seq], linked))
            for hit in shown
        ]
        return restated, describe_standing(standing_of[seq], linked)["replaces"]

    def leave_trace(
        self,
        transaction: Transaction,
        access: Access,
        exposure: Exposure,
        thoughts: Sequence[FoundThought],
        *,
        offered_tags: Sequence[str] = (),
        contributed_seq: int | None = None,
        ahead: TraceAhead | None = None,
    ) -> dict[int, Trail]:
        """Record a retrieval; return the new trail by seq.

        Thoughts in quarantine are shown without a trace, those of the shared space with one there.
        """
        if exposure.may_repeat and sessions.is_logged(transaction, access, exposure.query_id):
            return {}
        self._leave_shared_trace(transaction, access, exposure, thoughts)
        thoughts = [thought for thought in thoughts if thought.space is None]
        if thoughts:
            # What was brought beside a list has the number of the shipped weights, the lowest.
            version = max(thought.policy_version for thought in thoughts)
            exposure = replace(exposure, policy_version=version)
        decision = exposure.decision or Decision(judged=judge_pool(thoughts))
        exposure = replace(exposure, decision=decision if self._keeps_decisions else None)
        return tracing.leave_trace(
            transaction,
            access,
            exposure,
            _select_traced(thoughts),
            offered_tags=offered_tags,
            contributed_seq=contributed_seq,
            ahead=ahead,
            now=self._clock.now(),
        )

    def _leave_shared_trace(
        self,
        transaction: Transaction,
        access: Access,
        exposure: Exposure,
        thoughts: Sequence[FoundThought],
    ) -> None:
        """Record what a project's session was shown of the shared space, in a session there."""
        shown = [replace(thought, space=None) for thought in thoughts if thought.space is not None]
        if access.shared is None or not shown:
            return
        query_id, session_id = new_id(), _derive_shared_session(exposure.session_id)
        self.enter_session(transaction, access.shared, session_id, exposure.agent_id)
        exposure = replace(exposure, query_id=query_id, session_id=session_id)
        exposure = replace(exposure, encourages=None, decision=None)
        self.leave_trace(transaction, access.shared, exposure, shown)

    def note_seen(
        self, transaction: Transaction, access: Access, ids: Iterable[str], agent_id: str
    ) -> None:
        """Write down what an answer tells beside its results, which leaves no trail."""
        if not (wanted := set(ids)):
            return
        for space in filter(None, (access, access.shared)):
            seqs = sorted(set(rows.find_seqs(transaction, space, wanted).values()))
            user = space.resolve_user(agent_id)
            sightings.save(transaction, seqs, user, now=self._clock.now())

    def find_highways(
        self,
        transaction: Transaction,
        seqs: Sequence[int],
        *,
        most: int,
        beside: Sequence[Asked] = (),
    ) -> tuple[list[int], list[Rows]]:
        """Return the first `most` thoughts that answered questions of several agents.

        And the rows of what is asked `beside` it, which takes no round trip more.
        """
        return highways.find_highways(transaction, seqs, most=most, beside=beside)

    def filter_living(self, transaction: Transaction, seqs: Sequence[int]) -> set[int]:
        """Return those of the thoughts that are not erased."""
        return rows.filter_living(transaction, seqs)

    def read_contents(
        self, transaction: Transaction, access: Access, ids: Sequence[str]
    ) -> dict[str, str]:
        """Return by id the full texts of those thoughts that are not erased."""
        seqs = rows.find_seqs(transaction, access, ids)
        contents = rows.load_contents(transaction, [*seqs.values()])
        return {name: contents[seq] for name, seq in seqs.items() if seq in contents}

    def find_seqs(
        self, transaction: Transaction, access: Access, ids: Iterable[str]
    ) -> dict[str, int]:
        """Return by id the seqs of those thoughts that the space has."""
        return rows.find_seqs(transaction, access, ids)

    def find_next_position(self, transaction: Transaction, access: Access, session_id: str) -> int:
        """Return the position of the session's next thought, from 0."""
        return rows.find_next_position(transaction, access, session_id)

    def find_last_call(
        self, transaction: Transaction, access: Access, agent_id: str
    ) -> LastCall | None:
        """Return the newest call of an agent, if that was a moment ago."""
        since = self._clock.now() - _A_MOMENT_S
        session_id = sessions.find_last_session(transaction, access, agent_id, since=since)
        if session_id is None:
            return None
        calls = sessions.load_last_calls(transaction, access, session_id, most=1)
        return next(iter(calls), None)

    def load_openings(
        self, transaction: Transaction, access: Access, thought_ids: Sequence[str]
    ) -> tuple[str, ...]:
        """Return how thoughts begin, in their order; those that are erased are empty."""
        contents = self.read_contents(transaction, access, thought_ids)
        return tuple(contents.get(thought_id, "")[:OPENING] for thought_id in thought_ids)

    def filter_tags(
        self, transaction: Transaction, access: Access, names: Iterable[str]
    ) -> tuple[str, ...]:
        """Return the names that are tags of the space."""
        return tuple(
            name
            for name in names
            if tag_key(name) in map(tag_key, tagging.find_tags(transaction, access, name))
        )

    def find_tags_about(
        self, transaction: Transaction, access: Access, words: Iterable[str]
    ) -> tuple[str, ...]:
        """Return the space's tags that have each of the words, in any of its forms."""
        stems = frozenset(split_words(" ".join(words)))
        return tuple(tagging.find_tags_about(transaction, access, stems)) if stems else ()

    def collect_tags(
        self, transaction: Transaction, access: Access, prompt: str, tags: Sequence[str]
    ) -> tuple[str, ...]:
        """Return the tags of a new thought: those given, its hashtags, and known tags it names."""
        return tuple(collect_tags(prompt, tags, tagging.find_tags(transaction, access, prompt)))
