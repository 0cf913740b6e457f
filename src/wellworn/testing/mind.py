"""ScriptedModel: a double that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wellworn.engines.llm import Refused, Role, Said, Usage, Why, check_bounded

T = TypeVar("T", bound=BaseModel)
Answer = BaseModel | dict[str, Any] | Refused


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it reached the model."""

    role: Role
    output_type: type[BaseModel]
    prompt: str
    instructions: str
    budget: int


class ScriptedModel:
    """Fills the Mind port for tests; a token is a word.

    What it says is a list, taken from the front, or a function of the question. A dictionary is
    taken for the fields of the wanted type; one that does not fit it is no answer, as from any
    model. When the list is at its end, the model is gone.
    """

    def __init__(
        self, answers: Iterable[Answer] | Callable[[Asked], Answer], *, name: str = "scripted"
    ) -> None:
        self.name = name
        self.asked: list[Asked] = []
        self._answer = answers if callable(answers) else _in_turn(answers)

    def ask(
        self, role: Role, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> Said[T] | Refused:
        check_bounded(output_type)
        question = Asked(role, output_type, prompt, instructions, budget)
        self.asked.append(question)
        answer = self._answer(question)
        if isinstance(answer, Refused):
            return answer
        fields = answer.model_dump() if isinstance(answer, BaseModel) else answer
        spent = Usage(len(f"{instructions} {prompt}".split()), len(str(fields).split()))
        try:
            return Said(output_type.model_validate(fields), spent)
        except ValidationError:
            return Refused(Why.UNUSABLE, "the model gave no answer: it is of another form", spent)


def _in_turn(answers: Iterable[Answer]) -> Callable[[Asked], Answer]:
    rest = iter(answers)
    gone = Refused(Why.UNAVAILABLE, "the model gave no answer: it has none left")
    return lambda _: next(rest, gone)
