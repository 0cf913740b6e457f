"""What a session was told before a call, and what of it the call refers to or corrects."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wellworn.domain.memory.corrections import begins_as_correction, find_corrected
from wellworn.domain.memory.follow_ups import FollowUp, FollowUpKind, find_follow_up
from wellworn.domain.memory.models import Prompt
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Thoughts
from wellworn.engines.storage.sql import Transaction


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
        corrected_ids: what of it the call corrects, without saying which by its id.
    """

    returned_ids: tuple[str, ...] = ()
    query_seq: int | None = None
    question: str = ""
    offered: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    offered_tags: tuple[str, ...] = ()
    corrected_ids: tuple[str, ...] = ()

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


class PriorStateLoader:
    """Reads what was said before a call."""

    def __init__(self, thoughts: Thoughts) -> None:
        self._sessions = thoughts.sessions

    def load(self, transaction: Transaction, access: Access, prompt: Prompt) -> PriorState:
        """Return what the session was told last, and what of it the prompt refers to or corrects.

        Raises:
            SessionNotFound: the session is unknown or another agent's.
        """
        before = self._load_last(transaction, access, prompt)
        corrected = self._find_corrected(transaction, access, prompt, before)
        return replace(before, corrected_ids=corrected) if corrected else before

    def _load_last(self, transaction: Transaction, access: Access, prompt: Prompt) -> PriorState:
        if prompt.session_id is None:
            return PriorState()
        session_id, agent_id = prompt.session_id, prompt.agent_id
        last = self._sessions.load_last_call(transaction, access, session_id, agent_id)
        if last is None:
            return PriorState()
        before = PriorState(last.returned_ids, last.query_seq, last.question, last.offered_tags)
        if (follow_up := find_follow_up(prompt.prompt, last.offered_tags)) is None:
            return before
        return replace(
            before,
            follow_up=follow_up,
            contents=self._sessions.load_openings(transaction, access, last.returned_ids),
            offered_tags=self._sessions.filter_tags(transaction, access, last.offered_tags),
        )

    def _find_corrected(
        self, transaction: Transaction, access: Access, prompt: Prompt, before: PriorState
    ) -> tuple[str, ...]:
        """Return what a prompt corrects of the last answer of its session.

        Without a session it is the last answer of its agent, if that was a moment ago.
        """
        if prompt.names_thoughts or not begins_as_correction(prompt.prompt):
            return ()
        shown = before.returned_ids
        if prompt.session_id is None:
            shown = self._sessions.find_last_shown(transaction, access, prompt.agent_id)
        contents = self._sessions.load_openings(transaction, access, shown)
        living = {seen: text for seen, text in zip(shown, contents, strict=True) if text}
        corrected = find_corrected(prompt.prompt, living)
        return () if corrected is None else (corrected,)
