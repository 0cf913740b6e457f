"""Finds what of memory is close to a prompt that was not asked of it, if anything.

A prompt of another conversation is no question to this one. It is compared and not stored, and what
is nearest is no result: most prompts have nothing to do with what is known.

Source: `docs/how-to/connect-your-agent.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Exposure, FoundThought, Thoughts
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database
from wellworn.errors import DiskFull
from wellworn.kit.ids import new_id

_LOOKED_AT: Final = 10
_CLOSE: Final = 0.4
"""Least cosine of what is shown unasked: of prompts that nothing answered, none came so near."""
_CLOSE_WITH_WORDS: Final = 0.33
"""The same of what has words of the prompt as well."""
CONTEXT: Final = "context"
"""The log's word for calls that asked nothing: no search, and no question unanswered."""

LookUp = Callable[..., list[FoundThought]]


class Overhearing:
    """Finds what is close to what an agent was told, and counts what of it was shown."""

    def __init__(self, database: Database, thoughts: Thoughts, look_up: LookUp) -> None:
        self._database = database
        self._sessions = thoughts.sessions
        self._look_up = look_up

    def find(
        self, access: Access, prompt: str, *, agent_id: str, left_out: Set[str]
    ) -> list[FoundThought]:
        """Return what is true and close to a prompt, best first; often nothing. Leaves no trail."""

        def is_due(thought: FoundThought) -> bool:
            return is_close(thought) and thought.thought_id not in left_out

        found = self._look_up(access, prompt, limit=_LOOKED_AT, agent_id=agent_id, least=is_due)
        # What was said since about the same is brought along by reading, and may be known, too.
        return [each for each in found if is_due(each) and each.outdated_at is None]

    def count(
        self, access: Access, thoughts: Sequence[FoundThought], *, agent_id: str
    ) -> str | None:
        """Count thoughts as shown; return the session in which they may be judged.

        The prompt itself is not stored. On a full disk nothing is, and there is no session.
        """
        session_id, agent_id = new_id(), redact(agent_id).text
        exposure = Exposure(
            query_id=new_id(),
            agent_id=agent_id,
            session_id=session_id,
            query_text="",
            context_text=None,
            vector=None,
            method=CONTEXT,
        )
        try:
            with self._database.share_write() as transaction:
                self._sessions.open_session(transaction, access, session_id, agent_id)
                living = self._sessions.filter_living(transaction, [each.seq for each in thoughts])
                shown = [each for each in thoughts if each.seq in living or each.space is not None]
                self._sessions.leave_trace(transaction, access, exposure, shown)
        except DiskFull:
            return None
        return session_id


def is_close(thought: FoundThought) -> bool:
    """Tell whether a result has so much to do with a prompt that it is shown unasked; pure."""
    return thought.score >= (_CLOSE_WITH_WORDS if thought.keyword > 0 else _CLOSE)
