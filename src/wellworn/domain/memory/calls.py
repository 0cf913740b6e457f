"""One call of the conversation, on its way from the search to the transaction."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.domain.memory.contribution import Contribution, DividedPrompt, is_follow_up
from wellworn.domain.memory.models import Prompt
from wellworn.domain.memory.prior_state import PriorState
from wellworn.domain.thoughts import Exposure, RetrievalMethod, ThoughtDraft
from wellworn.engines.embedding import FloatArray


@dataclass(frozen=True, slots=True)
class ConversationCall:
    """One call on its way from the search to the transaction.

    Attributes:
        question: what of the prompt is answered; all of it, unless it states something else.
        divided: both, if it does.
    """

    prompt: Prompt
    question: Prompt
    before: PriorState
    draft: ThoughtDraft | None
    vector: FloatArray
    session_id: str
    query_id: str
    contribution: Contribution
    divided: DividedPrompt | None = None

    @property
    def stored_part(self) -> str:
        """The stored part of a prompt that asks something beside it; empty for any other."""
        return self.draft.content if self.draft and self.divided else ""

    @property
    def encourages(self) -> bool:
        """Whether the call confirms what the session's previous one returned."""
        follows = self.draft is not None or is_follow_up(self.prompt.prompt)
        return bool(self.before.returned_ids) and follows

    def build_exposure(self, method: RetrievalMethod) -> Exposure:
        return Exposure(
            query_id=self.query_id,
            agent_id=self.prompt.agent_id,
            session_id=self.session_id,
            query_text=self.prompt.prompt,
            context_text=self.prompt.context,
            vector=self.vector if self.vector.any() else None,
            method=method,
            encourages=self.before.query_seq if self.encourages else None,
        )
