"""What a conversation needs of sessions and traces, inside its own transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import tracing
from wellworn.domain.thoughts.models import Exposure, Found
from wellworn.domain.thoughts.store import rows, sessions, tagging
from wellworn.domain.thoughts.store.sessions import LastCall
from wellworn.domain.thoughts.tags import tags_for
from wellworn.domain.thoughts.trail import Trail
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import SessionNotFound
from wellworn.kit.clock import Clock


def no_session() -> SessionNotFound:
    return SessionNotFound("no session has this session_id")


class Journal:
    """Who has asked what, and what it left behind."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def is_new(self, transaction: Transaction, access: Access, agent_id: str) -> bool:
        """Tell whether the query log has never seen the agent."""
        return not sessions.has_queried(transaction, access, agent_id)

    def last_call(
        self, transaction: Transaction, access: Access, session_id: str, agent_id: str
    ) -> LastCall | None:
        """Return the newest call of the agent's session.

        Raises:
            SessionNotFound: no such session, or another agent's.
        """
        if not sessions.is_own(transaction, access, session_id, agent_id):
            raise no_session()
        return sessions.load_last_call(transaction, access, session_id)

    def open_session(
        self, transaction: Transaction, access: Access, session_id: str, agent_id: str
    ) -> None:
        """Open a session whose id was just made."""
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
            raise no_session()
        self.open_session(transaction, access, session_id, agent_id)

    def encourage(
        self, transaction: Transaction, access: Access, thought_ids: Sequence[str]
    ) -> None:
        """Give each thought the bonus of implicit feedback."""
        tracing.encourage(transaction, access, thought_ids, now=self._clock.now())

    def leave_trace(
        self,
        transaction: Transaction,
        access: Access,
        exposure: Exposure,
        found: Sequence[Found],
        *,
        offered_tags: Sequence[str] = (),
        contributed_seq: int | None = None,
    ) -> dict[int, Trail]:
        """Write everything a retrieval leaves; return the new trail of each seq it left it on.

        What is held in quarantine is shown without a trace.
        """
        traced = [one for one in found if not one.held]
        if found:
            exposure = replace(exposure, policy_version=found[0].policy_version)
        return tracing.leave_trace(
            transaction,
            access,
            exposure,
            {one.thought_id: one.seq for one in traced},
            authors={one.seq: one.author for one in traced},
            offered_tags=offered_tags,
            contributed_seq=contributed_seq,
            now=self._clock.now(),
        )

    def living(self, transaction: Transaction, seqs: Sequence[int]) -> set[int]:
        """Return those of the thoughts that nobody has erased."""
        return rows.filter_living(transaction, seqs)

    def next_position(self, transaction: Transaction, access: Access, session_id: str) -> int:
        """Return the place of the session's next thought, from 0."""
        return rows.find_next_position(transaction, access, session_id)

    def tags_for(
        self, transaction: Transaction, access: Access, prompt: str, given: Sequence[str]
    ) -> tuple[str, ...]:
        """Return the tags of a new thought: given ones, hashtags, and known ones it names."""
        return tuple(tags_for(prompt, given, tagging.find_tags(transaction, access, prompt)))
