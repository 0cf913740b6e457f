"""Keeps what a session said that is worth keeping: what was decided, learned, failed, preferred.

A trained judge decides, or a configured model picks; what either lets through is looked at for
secrets and orders before it is kept.

Source: docs/how-to/connect-your-agent.md, "What sessions leave".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from wellworn.domain.memory.capture_judge import (
    CaptureJudge,
    Excerpt,
    Judgement,
    Speaker,
    Statement,
)
from wellworn.domain.memory.capture_picking import MOST_CAPTURED, ModelPicker
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Affirmed, ThoughtDraft, Thoughts
from wellworn.engines.embedding import Embedder
from wellworn.engines.reading import ReaderService, get_probability
from wellworn.engines.safety import redact
from wellworn.errors import InvalidInput

CAPTURED_TAG: Final = "captured"
MOST_CAPTURED_CHARACTERS: Final = 10_000
"""Of all statements of one call: to read them takes some seven seconds of a processor."""
_UNSEEN: Final = Judgement(-inf, -inf, -inf)


class CaptureOutcome(StrEnum):
    """What became of a statement."""

    KEPT = "kept"
    KNOWN = "known"
    PASSING = "passing"
    """It says nothing that lasts."""
    WITH_SECRET = "secret"  # noqa: S105 - the name of an outcome
    """It holds one, so it is not kept."""
    ORDER = "order"
    """It reads like an order to its readers."""
    UNJUDGED = "unjudged"
    """Other models are set than those that judge, or none, or they fail."""


@dataclass(frozen=True, slots=True)
class CapturedStatement:
    """A statement, and what became of it; `worth` is the probability that it is worth keeping.

    It is None where a model picked, or nobody judged.
    """

    text: str
    by: Speaker
    worth: float | None = None
    outcome: CaptureOutcome = CaptureOutcome.UNJUDGED
    thought_id: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of statements, in their order.

    Attributes:
        held: ids of the thoughts that went into quarantine.
        picked_by: name of the model that picked; None where the judge decided.
    """

    statements: tuple[CapturedStatement, ...]
    held: tuple[str, ...]
    picked_by: str | None = None

    @property
    def kept(self) -> int:
        """How many are new in memory, or would be."""
        return sum(each.outcome is CaptureOutcome.KEPT for each in self.statements)

    def list_ids(self, *outcomes: CaptureOutcome) -> list[str]:
        """Return the ids of the thoughts of these outcomes."""
        found = [each for each in self.statements if each.outcome in outcomes]
        return [each.thought_id for each in found if each.thought_id]


class Capture:
    """Captures statements of sessions as thoughts of the agent that brings them."""

    def __init__(self, thoughts: Thoughts, reader: ReaderService, embedder: Embedder) -> None:
        self._thoughts = thoughts
        self._judge = CaptureJudge(reader, embedder)
        self.picker: ModelPicker | None = None
        """Decides what is worth keeping, in the judge's place."""

    def capture(
        self,
        access: Access,
        excerpt: Excerpt,
        *,
        agent_id: str,
        session: str | None = None,
        dry_run: bool = False,
    ) -> Captured:
        """Keep what is worth it; what tells a secret or reads like an order is left out.

        Raises:
            InvalidInput: there are more than `MOST_CAPTURED` statements, or they are too long.
            EmbeddingFailed: the encoder's file is missing or damaged.
        """
        statements = excerpt.statements
        if len(statements) > MOST_CAPTURED:
            raise InvalidInput(f"at most {MOST_CAPTURED} statements are judged in one call")
        if sum(len(statement.text) for statement in statements) > MOST_CAPTURED_CHARACTERS:
            raise InvalidInput(
                f"at most {MOST_CAPTURED_CHARACTERS} characters are judged in one call; make two"
            )
        judgements, picked_by = self._judge_all(excerpt)
        if judgements is None:
            return Captured(tuple(CapturedStatement(*each) for each in statements), ())
        done: list[CapturedStatement] = []
        held: list[str] = []
        for statement, judgement in zip(statements, judgements, strict=True):
            outcome, thought_id = self._screen(statement.text, judgement), None
            if outcome is CaptureOutcome.KEPT and not dry_run:
                stored = self._thoughts.think(access, _draft(statement, agent_id, session))
                thought_id = stored.thought_id
                if isinstance(stored, Affirmed):
                    outcome = CaptureOutcome.KNOWN
                elif stored.held:
                    held.append(thought_id)
            worth = None if picked_by else get_probability(judgement.worth)
            done.append(CapturedStatement(*statement, worth, outcome, thought_id))
        return Captured(tuple(done), tuple(held), picked_by)

    def _judge_all(self, excerpt: Excerpt) -> tuple[list[Judgement] | None, str | None]:
        """Return a judgement a statement, and the model whose picks decide what is worth it.

        What tells a secret is not sent to it.
        """
        judged = self._judge.judge(excerpt)
        if self.picker is None:
            return judged, None
        seen = judged or [_UNSEEN] * len(excerpt.statements)
        both = [*zip(excerpt.statements, seen, strict=True)]
        sent = [at for at, (said, what) in enumerate(both) if not _tells_secret(said.text, what)]
        picked = self.picker.pick([excerpt.statements[at] for at in sent])
        if picked is None:
            return judged, None
        kept = {sent[at] for at in picked}
        return [
            judgement._replace(worth=inf if at in kept else -inf)
            for at, judgement in enumerate(seen)
        ], self.picker.name

    def _screen(self, text: str, judgement: Judgement) -> CaptureOutcome:
        if judgement.worth < 0:
            return CaptureOutcome.PASSING
        if _tells_secret(text, judgement):
            return CaptureOutcome.WITH_SECRET
        is_order = judgement.order >= 0 or self._thoughts.writer.inspector.is_order(text)
        return CaptureOutcome.ORDER if is_order else CaptureOutcome.KEPT


def _tells_secret(text: str, judgement: Judgement) -> bool:
    return judgement.secret >= 0 or redact(text).text != text


def _draft(statement: Statement, agent_id: str, session: str | None) -> ThoughtDraft:
    origin = f"said by the {statement.by}"
    return ThoughtDraft(
        statement.text.strip(),
        agent_id,
        agent_id,
        tags=(CAPTURED_TAG,),
        context_metadata=f"{origin} in the session {session}" if session else origin,
    )
