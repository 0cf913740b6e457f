"""Loads what a session was told before a call, and what of it the call refers to or corrects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from wellworn.domain.memory.corrections import (
    begins_as_correction,
    find_answered,
    find_corrected,
    remove_hint,
)
from wellworn.domain.memory.follow_ups import FollowUp, FollowUpKind, find_follow_up
from wellworn.domain.memory.models import Prompt
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.thoughts.store import LastCall
from wellworn.engines.reading import ReaderService
from wellworn.engines.storage.sql import Transaction
from wellworn.kit.likelihood import ANSWERS


@dataclass(frozen=True, slots=True)
class PriorState:
    """The state of a session before the call wrote anything.

    Attributes:
        returned_ids: what the session's last answer showed, best first.
        query_seq: its query.
        question: its prompt; where the call refers to it and it referred to one before itself, the
            last that said what it was about.
        offered: the areas that it offered.
        shown_ids: what the last answer that showed anything showed; only where the call refers to
            it.
        contents: how that begins, best first.
        follow_up: what the call refers to in it; None for a prompt of its own.
        offered_tags: those of the areas that are tags; the others are words.
        contributed_id: what was stored of its prompt, if anything.
        corrected_ids: what of it the call corrects, without saying which by its id.
        answered: the question that a correction answers, where it does not say what it is about.
    """

    returned_ids: tuple[str, ...] = ()
    query_seq: int | None = None
    question: str = ""
    offered: tuple[str, ...] = ()
    shown_ids: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    offered_tags: tuple[str, ...] = ()
    contributed_id: str | None = None
    corrected_ids: tuple[str, ...] = ()
    answered: str = ""

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


class Corrected(TypedDict, total=False):
    """The fields of a prior state that say what a call corrects."""

    corrected_ids: tuple[str, ...]
    answered: str


class PriorStateLoader:
    """Reads what was said before a call."""

    def __init__(self, thoughts: Thoughts, reader: ReaderService) -> None:
        self._sessions = thoughts.sessions
        self._reader = reader

    def load(self, transaction: Transaction, access: Access, prompt: Prompt) -> PriorState:
        """Return what the session was told last, and what of it the prompt refers to or corrects.

        Raises:
            SessionNotFound: the session is unknown or another agent's.
        """
        calls = self._load_calls(transaction, access, prompt)
        last = _build_state(calls[0]) if calls else PriorState()
        corrections = self._find_corrected(transaction, access, prompt, calls, last)
        if prompt.session_id is None:
            # Without a session a call goes on with nothing of what was said before.
            return replace(PriorState(), **corrections)
        if calls and (follow_up := find_follow_up(prompt.prompt, last.offered)) is not None:
            last = self._add_reference(
                transaction, access, calls, replace(last, follow_up=follow_up)
            )
        return replace(last, **corrections)

    def _load_calls(
        self, transaction: Transaction, access: Access, prompt: Prompt
    ) -> list[LastCall]:
        """Return what the session was told, newest first; without one, the agent a moment ago."""
        session_id, agent_id = prompt.session_id, prompt.agent_id
        if session_id is not None:
            return self._sessions.load_last_calls(transaction, access, session_id, agent_id)
        if not begins_as_correction(prompt.prompt):
            return []
        last = self._sessions.find_last_call(transaction, access, agent_id)
        return [] if last is None else [last]

    def _add_reference(
        self, transaction: Transaction, access: Access, calls: Sequence[LastCall], last: PriorState
    ) -> PriorState:
        """Add what a call that refers to the last answer is about."""
        shown = next((call.returned_ids for call in calls if call.returned_ids), ())
        return replace(
            last,
            question=_find_topic(calls, last.question),
            shown_ids=shown,
            contents=self._sessions.load_openings(transaction, access, shown),
            offered_tags=self._sessions.filter_tags(transaction, access, last.offered),
        )

    def _find_corrected(
        self,
        transaction: Transaction,
        access: Access,
        prompt: Prompt,
        calls: Sequence[LastCall],
        last: PriorState,
    ) -> Corrected:
        """Return what a prompt corrects: the correction just before it, or what was shown."""
        if prompt.names_thoughts or not begins_as_correction(prompt.prompt):
            return {}
        shown = last.returned_ids
        if last.contributed_id is not None and begins_as_correction(last.question):
            shown = (last.contributed_id, *shown)
        contents = self._sessions.load_openings(transaction, access, shown)
        living = {seen: text for seen, text in zip(shown, contents, strict=True) if text}
        corrected = find_corrected(prompt.prompt, living)
        corrected = corrected or self._read_corrected(prompt.prompt, last.question, living)
        if corrected is None:
            return {}
        topic = _find_topic(calls, last.question)
        stood_first = corrected == next(iter(living))
        answered = find_answered(
            prompt.prompt, topic, last.question, living[corrected], stood_first=stood_first
        )
        return {"corrected_ids": (corrected,), "answered": answered}

    def _read_corrected(self, prompt: str, question: str, shown: Mapping[str, str]) -> str | None:
        """Return the first of what was shown that answers a question, if the prompt does, too."""
        hint = remove_hint(prompt)
        readings = self._reader.read(question, [hint, *shown.values()]) if hint else None
        if readings is None or readings[0].answers < ANSWERS:
            return None
        pairs = zip(shown, readings[1:], strict=True)
        return next((seen for seen, reading in pairs if reading.answers >= ANSWERS), None)


def _find_topic(calls: Sequence[LastCall], last: str) -> str:
    """Return the last question that said what it was about; the very last if none did."""
    questions = (call.question for call in calls if find_follow_up(call.question, ()) is None)
    return next(questions, last)


def _build_state(call: LastCall) -> PriorState:
    return PriorState(
        call.returned_ids,
        call.query_seq,
        call.question,
        call.offered_tags,
        contributed_id=call.contributed_id,
    )
