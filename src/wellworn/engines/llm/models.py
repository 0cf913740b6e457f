"""The port to a language model: one question, one answer of a given type, or a refusal.

Models fail often and every caller can go on without one: a refusal is a value, no exception.

Source: the roles are those of the pipeline specification, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Generic, Protocol, TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)
T_co = TypeVar("T_co", bound=BaseModel, covariant=True)


class ModelRole(StrEnum):
    """One model, four temperatures."""

    REFLEX = "reflex"
    NERVES = "nerves"
    MIND = "mind"
    VOICE = "voice"


TEMPERATURES: Final = MappingProxyType(
    {ModelRole.REFLEX: 0.3, ModelRole.NERVES: 0.1, ModelRole.MIND: 0.5, ModelRole.VOICE: 0.7}
)
"""Gates and classes; compression and extraction; planning; words for people."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model read and wrote."""

    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)


class RefusalReason(StrEnum):
    """Why a model gave no answer."""

    UNAVAILABLE = "unavailable"
    """It cannot be asked now: unreachable, unauthorised, unknown, or out of quota."""
    TOO_LONG = "too_long"
    """The question does not fit the model's context window."""
    UNUSABLE = "unusable"
    """It refused the question, or its answer does not fit the output type."""


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T_co]):
    """An answer and what it cost."""

    output: T_co
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """The reason for having no answer, and its cost; `message` quotes nothing of the question."""

    reason: RefusalReason
    message: str
    usage: Usage = Usage()


class ChatModel(Protocol):
    """A language model; its name is recorded in what is derived from its answers.

    Example:
        answer = model.ask(ModelRole.NERVES, Facts, prompt, instructions=rules, budget=500)
        facts = answer.output if isinstance(answer, ModelAnswer) else None
    """

    name: str

    def ask(
        self, role: ModelRole, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> ModelAnswer[T] | ModelRefusal:
        """Ask a question and wait for the answer; must not be called within an event loop.

        Args:
            role: sets the temperature.
            output_type: a Pydantic model in which every text, list and number is bounded.
            prompt: the question; text that is not the caller's own is fenced in it.
            instructions: what is asked and what each field means.
            budget: the most tokens that the answer may have.

        Raises:
            ValueError: a field of the output type has no bounds; the message names it.
        """
        ...
