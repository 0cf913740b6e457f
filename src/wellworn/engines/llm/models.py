"""The port to a language model: one question, one answer of a given type, or why there is none.

A model that does not answer is an everyday thing, and everybody who asks one has a way to go on
without it; so it is a value and no exception.

Source: issue 5, point 4; the roles are those of the pipeline specification, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Generic, Protocol, TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)
T_co = TypeVar("T_co", bound=BaseModel, covariant=True)


class Role(StrEnum):
    """One model, four temperatures."""

    REFLEX = "reflex"
    NERVES = "nerves"
    MIND = "mind"
    VOICE = "voice"


TEMPERATURES: Final = MappingProxyType(
    {Role.REFLEX: 0.3, Role.NERVES: 0.1, Role.MIND: 0.5, Role.VOICE: 0.7}
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


class Why(StrEnum):
    """Why a model gave no answer."""

    UNAVAILABLE = "unavailable"
    """It cannot be asked at all now: not reached, not allowed, not there, or its quota is used."""
    TOO_LONG = "too_long"
    """This question is longer than what it can read."""
    UNUSABLE = "unusable"
    """It refused this question, or its answer is not of the type."""


@dataclass(frozen=True, slots=True)
class Said(Generic[T_co]):
    """An answer and what it cost."""

    output: T_co
    usage: Usage


@dataclass(frozen=True, slots=True)
class Refused:
    """No answer, why, in a sentence without any of the question, and what it cost all the same."""

    why: Why
    message: str
    usage: Usage = Usage()


class Mind(Protocol):
    """A language model; its name says of what is derived by whom."""

    name: str

    def ask(
        self, role: Role, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> Said[T] | Refused:
        """Ask once and wait for the answer, which is of the type; never within an event loop.

        Args:
            role: how freely it may answer.
            output_type: a model whose every text, list and number has its bounds.
            prompt: the question; what is not the caller's own words is fenced in it.
            instructions: what is asked and what each field means.
            budget: tokens that the answer may have at most.

        Raises:
            ValueError: the type has no bounds somewhere; the message says where.
        """
        ...
