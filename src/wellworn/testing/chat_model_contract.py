"""The contract of the `ChatModel` port, as checks that every implementation must pass.

Each check takes a factory: called with a list of answers, it returns a model that gives them in
turn. An answer is a dictionary of the output type's fields, or one that does not fit the type.

    @pytest.mark.parametrize("check", MIND_CONTRACT)
    def test_it_keeps_the_contract(check, make_mind):
        check(make_mind)

Source: the port in wellworn.engines.llm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from wellworn.engines.llm import (
    ChatModel,
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    Usage,
)

MakeChatModel = Callable[[Sequence[dict[str, Any]]], ChatModel]


class BoundedOutput(BaseModel):
    """An output type whose every field has bounds."""

    word: str = Field(max_length=20)
    score: int = Field(ge=0, le=10)


class UnboundedOutput(BaseModel):
    """An output type that a model could fill without end."""

    words: list[str]


YES = {"word": "yes", "score": 7}
OTHER = {"something": "else"}


def _ask(
    chat_model: ChatModel, prompt: str = "Is it so?"
) -> ModelAnswer[BoundedOutput] | ModelRefusal:
    return chat_model.ask(
        ModelRole.REFLEX, BoundedOutput, prompt, instructions="Say yes or no.", budget=64
    )


def an_answer_is_of_the_type_that_was_asked_for(make: MakeChatModel) -> None:
    reply = _ask(make([YES]))
    assert isinstance(reply, ModelAnswer), reply
    assert reply.output == BoundedOutput(word="yes", score=7)


def what_was_read_and_written_is_counted(make: MakeChatModel) -> None:
    reply = _ask(make([YES]))
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out > 0
    assert reply.usage + Usage(1, 2) == Usage(reply.usage.tokens_in + 1, reply.usage.tokens_out + 2)


def an_answer_of_another_form_is_a_value_and_no_exception(make: MakeChatModel) -> None:
    reply = _ask(make([OTHER, OTHER, OTHER]))
    assert isinstance(reply, ModelRefusal)
    assert reply.reason is RefusalReason.UNUSABLE


def a_refusal_says_nothing_of_the_question(make: MakeChatModel) -> None:
    reply = _ask(make([OTHER, OTHER, OTHER]), "the plans of the fortress")
    assert isinstance(reply, ModelRefusal)
    assert reply.message
    assert "fortress" not in reply.message


def a_type_without_bounds_is_refused_before_anything_is_asked(make: MakeChatModel) -> None:
    chat_model = make([])
    try:
        chat_model.ask(ModelRole.REFLEX, UnboundedOutput, "Go on.", instructions="", budget=64)
    except ValueError as error:
        assert "UnboundedOutput.words" in str(error)  # noqa: PT017 - suites shipped without pytest
    else:
        raise AssertionError("an unbounded type was asked for")


def one_model_answers_again_and_again(make: MakeChatModel) -> None:
    chat_model = make([YES, {"word": "no", "score": 1}])
    words = [
        reply.output.word
        for reply in (_ask(chat_model), _ask(chat_model))
        if isinstance(reply, ModelAnswer)
    ]
    assert words == ["yes", "no"]


def it_has_a_name(make: MakeChatModel) -> None:
    assert make([]).name


CHAT_MODEL_CONTRACT: tuple[Callable[[MakeChatModel], None], ...] = (
    an_answer_is_of_the_type_that_was_asked_for,
    what_was_read_and_written_is_counted,
    an_answer_of_another_form_is_a_value_and_no_exception,
    a_refusal_says_nothing_of_the_question,
    a_type_without_bounds_is_refused_before_anything_is_asked,
    one_model_answers_again_and_again,
    it_has_a_name,
)
