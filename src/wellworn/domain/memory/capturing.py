"""Keeps what a session said that is worth keeping: what was decided, learned, failed, preferred.

No rule of words: a few questions are put to the reader, and what it says of each, whose words they
are, and the encoder's vector are weighed by a judge that was trained on sessions written for it.

Source: `training/capturing.py`, which makes the weights; docs/how-to/connect-your-agent.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Affirmed, ThoughtDraft, Thoughts
from wellworn.engines.embedding import Embedder, FloatArray
from wellworn.engines.reading import ReaderService, get_logit, get_probability
from wellworn.engines.safety import redact
from wellworn.errors import InvalidInput
from wellworn.kit.folding import fold_forms

CAPTURED_TAG: Final = "captured"
MOST_CAPTURED: Final = 50
"""Statements of one call: each is read as often as there are questions."""
MOST_CAPTURED_CHARACTERS: Final = 10_000
"""Of all statements of one call: to read them takes some seven seconds of a processor."""
_FILE: Final = Path(__file__).with_name("capturing.json")


class Statement(NamedTuple):
    """A sentence of a session; by the user, or else by the agent."""

    text: str
    by_user: bool


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
    """A statement, and what became of it; `worth` is the probability that it is worth keeping."""

    text: str
    by_user: bool
    worth: float | None = None
    outcome: CaptureOutcome = CaptureOutcome.UNJUDGED
    thought_id: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of statements, in their order.

    Attributes:
        held: ids of the thoughts that went into quarantine.
    """

    statements: tuple[CapturedStatement, ...]
    held: tuple[str, ...]

    @property
    def kept(self) -> int:
        """How many are new in memory, or would be."""
        return sum(each.outcome is CaptureOutcome.KEPT for each in self.statements)

    def list_ids(self, *outcomes: CaptureOutcome) -> list[str]:
        """Return the ids of the thoughts of these outcomes."""
        found = [each for each in self.statements if each.outcome in outcomes]
        return [each.thought_id for each in found if each.thought_id]


class CaptureWeights(NamedTuple):
    """What a judge weighs, and how.

    Attributes:
        encoder, reader: the models whose numbers they weigh; no others will do.
        weights: `(2 * (questions + dimensions) + 1,)`: of the logit that a statement answers each
            question and of the vector, of the same where it is the user's, and of being so.
        keep_from: the logit from which on a statement is kept.
    """

    encoder: str
    reader: str
    questions: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    keep_from: float


class CaptureJudge:
    """Judges statements by what the reader and the encoder see in them."""

    def __init__(self, reader: ReaderService, embedder: Embedder) -> None:
        self._reader = reader
        self._embedder = embedder

    def judge(self, statements: Sequence[Statement]) -> list[float] | None:
        """Return how many logits each is above, or below, what is kept; None if nobody can judge.

        Raises:
            EmbeddingFailed: the encoder's file is missing or damaged.
        """
        if not statements:
            return []
        known = _load()
        if (self._reader.name, self._embedder.name) != (known.reader, known.encoder):
            return None
        numbers = measure(self._reader, self._embedder, known.questions, statements)
        if numbers is None:
            return None
        logits = numbers @ np.asarray(known.weights) + known.bias - known.keep_from
        return [float(logit) for logit in logits]


class Capture:
    """Captures statements of sessions as thoughts of the agent that brings them."""

    def __init__(self, thoughts: Thoughts, reader: ReaderService, embedder: Embedder) -> None:
        self._thoughts = thoughts
        self._judge = CaptureJudge(reader, embedder)

    def capture(
        self,
        access: Access,
        statements: Sequence[Statement],
        *,
        agent_id: str,
        session: str | None = None,
        dry_run: bool = False,
    ) -> Captured:
        """Keep what is worth it; what holds a secret or reads like an order is left out.

        Raises:
            InvalidInput: there are more than `MOST_CAPTURED` statements, or they are too long.
            EmbeddingFailed: the encoder's file is missing or damaged.
        """
        if len(statements) > MOST_CAPTURED:
            raise InvalidInput(f"at most {MOST_CAPTURED} statements are judged in one call")
        if sum(len(statement.text) for statement in statements) > MOST_CAPTURED_CHARACTERS:
            raise InvalidInput(
                f"at most {MOST_CAPTURED_CHARACTERS} characters are judged in one call; make two"
            )
        logits = self._judge.judge(statements)
        if logits is None:
            return Captured(tuple(CapturedStatement(*each) for each in statements), ())
        done: list[CapturedStatement] = []
        held: list[str] = []
        for statement, logit in zip(statements, logits, strict=True):
            outcome, thought_id = self._screen(statement.text, logit), None
            if outcome is CaptureOutcome.KEPT and not dry_run:
                stored = self._thoughts.think(access, _draft(statement, agent_id, session))
                thought_id = stored.thought_id
                if isinstance(stored, Affirmed):
                    outcome = CaptureOutcome.KNOWN
                elif stored.held:
                    held.append(thought_id)
            worth = get_probability(logit)
            done.append(CapturedStatement(*statement, worth, outcome, thought_id))
        return Captured(tuple(done), tuple(held))

    def _screen(self, text: str, logit: float) -> CaptureOutcome:
        if logit < 0:
            return CaptureOutcome.PASSING
        if redact(text).text != text:
            return CaptureOutcome.WITH_SECRET
        is_order = self._thoughts.writer.inspector.is_order(text)
        return CaptureOutcome.ORDER if is_order else CaptureOutcome.KEPT


def _draft(statement: Statement, agent_id: str, session: str | None) -> ThoughtDraft:
    origin = f"said by the {'user' if statement.by_user else 'agent'}"
    return ThoughtDraft(
        statement.text.strip(),
        agent_id,
        agent_id,
        tags=(CAPTURED_TAG,),
        context_metadata=f"{origin} in the session {session}" if session else origin,
    )


def measure(
    reader: ReaderService,
    embedder: Embedder,
    questions: Sequence[str],
    statements: Sequence[Statement],
) -> FloatArray | None:
    """Return what is weighed of statements, `(statements, 2 * (questions + dimensions) + 1)`.

    None where the reader cannot read.

    Raises:
        EmbeddingFailed: the encoder's file is missing or damaged.
    """
    texts = [fold_forms(statement.text) for statement in statements]
    columns: list[Sequence[float]] = []
    for question in questions:
        readings = reader.read(question, texts)
        if readings is None:
            return None
        columns.append([get_logit(reading.answers) for reading in readings])
    seen = np.column_stack([*columns, embedder.embed(texts)])
    by_user = np.array([[float(statement.by_user)] for statement in statements])
    return np.concatenate([seen, seen * by_user, by_user], axis=1)


@cache
def _load() -> CaptureWeights:
    return TypeAdapter(CaptureWeights).validate_json(_FILE.read_bytes())
