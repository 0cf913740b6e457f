"""The reader port: does this text answer this question, and with which words?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wellworn.errors import InvalidInput

FloatArray = NDArray[np.float32]

MOST_TEXTS: Final = 256
"""Texts that one call reads; more are refused, so that no call takes minutes."""
LATER: Final = " Later: "
"""Stands between two texts that are read as one, the older first: what answers since then?"""
ORDER_QUESTION: Final = "What is an AI assistant told to do here?"
"""Asked of what may be an order to the agent that reads it."""
_LEAST: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader's view of a text beside a question.

    Attributes:
        answers: the probability that the text answers the question.
        span: the characters of the text that answer likeliest, if it answers; None where the
            reader names no words.
        certainty: the probability of the span, if the text answers; zero without one.
    """

    answers: float
    span: tuple[int, int] | None = None
    certainty: float = 0.0


def get_logit(probability: float) -> float:
    """Return the logarithm of the odds, for comparing probabilities that are near 0 or 1."""
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))


def get_probability(logit: float) -> float:
    """Return the probability whose odds have a logarithm; of one that is no number, none."""
    return float(1 / (1 + np.exp(-np.clip(logit, -60, 60))))


class Reader(Protocol):
    """Tells what texts answer a question, and with which words.

    Example:
        [reading] = reader.read("Which port has staging?", ["Staging has port 8443."])
    """

    name: str
    sends_texts: bool

    def can_read(self, question: str) -> bool:
        """Tell whether it knows the words of a question; what it reads of others says nothing.

        Raises:
            ReadingFailed: the model is missing or damaged.
        """
        ...

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Return one reading a text, in their order; both may be cut short.

        What a text gets does not depend on the others, and is the same each time.

        Raises:
            InvalidInput: there are more than `MOST_TEXTS` texts.
            ReadingFailed: the model is missing or damaged, or its server does not answer.
        """
        ...


@runtime_checkable
class LaterReader(Protocol):
    """A reader that can tell whether a text changed what an older one answers."""

    def read_later(self, question: str, older: str, newer: Sequence[str]) -> list[Reading] | None:
        """Read each newer text after an older one, in their order; None where it cannot.

        Of a reading, `answers` is the probability that the newer text has the words that answer
        since, and `span` says which.

        Raises:
            ReadingFailed: the model is missing or damaged.
        """
        ...


class PairNumbers(Protocol):
    """The numbers of a question and a text, as the engine that runs models has them."""

    @property
    def outputs(self) -> Mapping[str, FloatArray]: ...

    @property
    def first(self) -> int: ...

    @property
    def spans(self) -> Sequence[tuple[int, int]]: ...


class RunsPairs(Protocol):
    """A model that reads a question together with a text; `embedding` loads such models."""

    name: str
    outputs: tuple[str, ...]

    def can_read(self, question: str) -> bool: ...

    def run(self, question: str, texts: Sequence[str]) -> Sequence[PairNumbers]: ...


class OpensModel(Protocol):
    """Loads a model of pairs from a folder; with checksums, files of the package's own."""

    def __call__(
        self, folder: Path, *, threads: int = 1, checksums: Mapping[str, str] = ...
    ) -> RunsPairs: ...


def check_count(texts: Sequence[str]) -> None:
    """Refuse more texts than one call reads.

    Raises:
        InvalidInput: there are more.
    """
    if len(texts) > MOST_TEXTS:
        raise InvalidInput(f"at most {MOST_TEXTS} texts are read in one call")
