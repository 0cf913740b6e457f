"""One call of the conversation, on its way from the search to the transaction."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.domain.memory.contribution import Contribution, is_follow_up
from wellworn.domain.memory.follow_ups import FollowUp, FollowUpKind
from wellworn.domain.memory.models import Prompt
from wellworn.domain.thoughts import Exposure, RetrievalMethod, ThoughtDraft
from wellworn.engines.embedding import FloatArray
from wellworn.kit.ids import new_id


@dataclass(frozen=True, slots=True)
class PriorState:
    """What was known before the call wrote anything.

    Attributes:
        returned_ids: what the session's last answer showed, best first.
        query_seq: its query.
        question: its prompt.
        offered: the areas that it offered.
        contents: the beginnings of what it showed, best first; only where the call refers to it.
        follow_up: what the call refers to in it; None for a prompt of its own.
        offered_tags: those of the areas that are tags; the others are words.
    """

    returned_ids: tuple[str, ...] = ()
    query_seq: int | None = None
    question: str = ""
    offered: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    offered_tags: tuple[str, ...] = ()

    @property
    def chosen_tags(self) -> tuple[str, ...]:
        """The areas that the call chooses, if they are tags."""
        areas = self.follow_up.areas if self.follow_up else ()
        return areas if set(areas) <= set(self.offered_tags) else ()

    @property
    def picks(self) -> bool:
        """Whether the call only picks from the last answer, and so is no request of its own."""
        follow_up = self.follow_up
        return follow_up is not None and (follow_up.is_choice or bool(follow_up.areas))

    def complete(self, prompt: str) -> str:
        """Return the prompt with what it refers to, as it is searched for."""
        if self.follow_up is None:
            return prompt
        kind = self.follow_up.kind
        if kind is FollowUpKind.PLACE:
            return next(iter(self.follow_up.pick(self.contents)), "") or prompt
        if kind is FollowUpKind.SAME_QUESTION:
            return f"{self.question} {prompt}"
        if self.picks:
            return " ".join([self.question, *self.follow_up.areas])
        return " ".join([self.question, *self.contents[:1], prompt])


@dataclass(frozen=True, slots=True)
class ConversationCall:
    """One call on its way from the search to the transaction."""

    prompt: Prompt
    before: PriorState
    draft: ThoughtDraft | None
    vector: FloatArray
    session_id: str
    contribution: Contribution

    @property
    def encourages(self) -> bool:
        """Whether the call confirms what the session's previous one returned."""
        follows = self.draft is not None or is_follow_up(self.prompt.prompt)
        return bool(self.before.returned_ids) and follows

    def build_exposure(self, method: RetrievalMethod) -> Exposure:
        return Exposure(
            query_id=new_id(),
            agent_id=self.prompt.agent_id,
            session_id=self.session_id,
            query_text=self.prompt.prompt,
            context_text=self.prompt.context,
            vector=self.vector if self.vector.any() else None,
            method=method,
            encourages=self.before.query_seq if self.encourages else None,
        )
