"""Keeps what a session said that is worth keeping: what was decided, learned, failed, preferred.

No rule of words: a few questions are put to the reader, and what it says of each, whose words they
are, and the encoder's vectors of the statement and of its neighbours are weighed by judges that
were trained on sessions written for them: of what lasts, of what tells a secret, and of what is an
order planted for the agent.

Source: `training/capturing.py`, which makes the weights; docs/how-to/connect-your-agent.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

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

Speaker: TypeAlias = Literal["user", "agent"]


class Statement(NamedTuple):
    """A sentence of a session, and who said it."""

    text: str
    by: Speaker


class Excerpt(NamedTuple):
    """Statements of a session in their order, and the texts that stand before and after them."""

    statements: Sequence[Statement]
    before: str = ""
    after: str = ""


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
    by: Speaker
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


class CaptureHead(NamedTuple):
    """What one of the judges weighs: `(features,)`, and the logit from which on it says yes."""

    weights: tuple[float, ...]
    bias: float
    bound: float


class CaptureWeights(NamedTuple):
    """What the judges weigh, and how.

    Attributes:
        encoder, reader: the models whose numbers they weigh; no others will do.
        questions: what the reader is asked of each statement.
        worth, secret, order: the judges of what is kept, and of what is left out for another
            reason; `measure` says what they weigh.
    """

    encoder: str
    reader: str
    questions: tuple[str, ...]
    worth: CaptureHead
    secret: CaptureHead
    order: CaptureHead


class Judgement(NamedTuple):
    """How many logits a statement is above, or below, what the judges' bounds are."""

    worth: float
    secret: float
    order: float


class CaptureJudge:
    """Judges statements by what the reader and the encoder see in them."""

    def __init__(self, reader: ReaderService, embedder: Embedder) -> None:
        self._reader = reader
        self._embedder = embedder

    def judge(self, excerpt: Excerpt) -> list[Judgement] | None:
        """Return a judgement a statement; None if nobody can judge.

        Raises:
            EmbeddingFailed: the encoder's file is missing or damaged.
        """
        if not excerpt.statements:
            return []
        known = _load()
        if (self._reader.name, self._embedder.name) != (known.reader, known.encoder):
            return None
        numbers = measure(self._reader, self._embedder, known.questions, excerpt)
        if numbers is None:
            return None
        heads = (known.worth, known.secret, known.order)
        logits = numbers @ np.array([head.weights for head in heads]).T
        logits += [head.bias - head.bound for head in heads]
        return [Judgement(*map(float, row)) for row in logits]


class Capture:
    """Captures statements of sessions as thoughts of the agent that brings them."""

    def __init__(self, thoughts: Thoughts, reader: ReaderService, embedder: Embedder) -> None:
        self._thoughts = thoughts
        self._judge = CaptureJudge(reader, embedder)

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
        judgements = self._judge.judge(excerpt)
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
            worth = get_probability(judgement.worth)
            done.append(CapturedStatement(*statement, worth, outcome, thought_id))
        return Captured(tuple(done), tuple(held))

    def _screen(self, text: str, judgement: Judgement) -> CaptureOutcome:
        if judgement.worth < 0:
            return CaptureOutcome.PASSING
        if judgement.secret >= 0 or redact(text).text != text:
            return CaptureOutcome.WITH_SECRET
        is_order = judgement.order >= 0 or self._thoughts.writer.inspector.is_order(text)
        return CaptureOutcome.ORDER if is_order else CaptureOutcome.KEPT


def _draft(statement: Statement, agent_id: str, session: str | None) -> ThoughtDraft:
    origin = f"said by the {statement.by}"
    return ThoughtDraft(
        statement.text.strip(),
        agent_id,
        agent_id,
        tags=(CAPTURED_TAG,),
        context_metadata=f"{origin} in the session {session}" if session else origin,
    )


def measure(
    reader: ReaderService, embedder: Embedder, questions: Sequence[str], excerpt: Excerpt
) -> FloatArray | None:
    """Return what is weighed of statements, `(statements, 2 * questions + 4 * dimensions + 1)`.

    That is the logit that a statement answers each question and its vector, the same where it is
    the user's, whether it is, and the vectors of what stands before and after: zeros at the ends.
    None where the reader cannot read.

    Raises:
        EmbeddingFailed: the encoder's file is missing or damaged.
    """
    texts = [fold_forms(statement.text) for statement in excerpt.statements]
    columns: list[Sequence[float]] = []
    for question in questions:
        readings = reader.read(question, texts)
        if readings is None:
            return None
        columns.append([get_logit(reading.answers) for reading in readings])
    in_order = [fold_forms(excerpt.before), *texts, fold_forms(excerpt.after)]
    vectors = np.zeros((len(in_order), embedder.dimensions))
    given = [at for at, text in enumerate(in_order) if text]
    vectors[given] = embedder.embed([in_order[at] for at in given])
    seen = np.column_stack([*columns, vectors[1:-1]])
    by_user = np.array([[float(statement.by == "user")] for statement in excerpt.statements])
    return np.concatenate([seen, seen * by_user, by_user, vectors[:-2], vectors[2:]], axis=1)


@cache
def _load() -> CaptureWeights:
    return TypeAdapter(CaptureWeights).validate_json(_FILE.read_bytes())
