"""Judges what a session said: what lasts, what tells a secret, what is an order planted there.

No rule of words: a few questions are put to the reader, and what it says of each, whose words they
are, and the encoder's vectors of the sentence and of its neighbours are weighed by three judges
that were trained on sessions written for them.

Source: `training/capturing.py`, which makes the weights; docs/benchmarks.md, "Capture".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import TypeAdapter

from wellworn.engines.embedding import Embedder, FloatArray
from wellworn.engines.reading import ReaderService, get_logit
from wellworn.kit.folding import fold_forms

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
    vectors = np.zeros((len(in_order), embedder.dimensions), np.float32)
    given = [at for at, text in enumerate(in_order) if text]
    vectors[given] = embedder.embed([in_order[at] for at in given])
    seen = np.column_stack([*columns, vectors[1:-1]])
    by_user = np.array([[float(statement.by == "user")] for statement in excerpt.statements])
    return np.concatenate([seen, seen * by_user, by_user, vectors[:-2], vectors[2:]], axis=1)


@cache
def _load() -> CaptureWeights:
    return TypeAdapter(CaptureWeights).validate_json(_FILE.read_bytes())
