"""ScriptedModel: a test double that gives scripted answers and records every request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wellworn.engines.llm import (
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    Usage,
    check_bounded,
)

T = TypeVar("T", bound=BaseModel)
ScriptedAnswer = BaseModel | dict[str, Any] | ModelRefusal


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The arguments of one call to `ask`."""

    role: ModelRole
    output_type: type[BaseModel]
    prompt: str
    instructions: str
    budget: int


class ScriptedModel:
    """A `ChatModel` for tests; one word counts as one token.

    Answers come from a list, in order, or from a function of the request. A dictionary holds the
    fields of the output type; one that does not fit the type, and every request after the end of
    the list, gives a `ModelRefusal`.

    Example:
        model = ScriptedModel([{"facts": ["staging has port 8443"]}])
        assert model.requests == []
    """

    def __init__(
        self,
        answers: Iterable[ScriptedAnswer] | Callable[[ModelRequest], ScriptedAnswer],
        *,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._answer = answers if callable(answers) else _in_turn(answers)

    def ask(
        self, role: ModelRole, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> ModelAnswer[T] | ModelRefusal:
        check_bounded(output_type)
        question = ModelRequest(role, output_type, prompt, instructions, budget)
        self.requests.append(question)
        answer = self._answer(question)
        if isinstance(answer, ModelRefusal):
            return answer
        fields = answer.model_dump() if isinstance(answer, BaseModel) else answer
        spent = Usage(len(f"{instructions} {prompt}".split()), len(str(fields).split()))
        try:
            return ModelAnswer(output_type.model_validate(fields), spent)
        except ValidationError:
            return ModelRefusal(
                RefusalReason.UNUSABLE, "the model gave no answer: it is of another form", spent
            )


def _in_turn(answers: Iterable[ScriptedAnswer]) -> Callable[[ModelRequest], ScriptedAnswer]:
    rest = iter(answers)
    gone = ModelRefusal(RefusalReason.UNAVAILABLE, "the model gave no answer: it has none left")
    return lambda _: next(rest, gone)
