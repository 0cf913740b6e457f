"""What every model behind the Mind port must do, as checks that take a way to make one.

A case makes a model that is about to give these answers, in turn: the fields of the wanted type as
a dictionary, or a text that is no such thing.

    @pytest.mark.parametrize("check", MIND_CONTRACT)
    def test_it_keeps_the_contract(check, make_mind):
        check(make_mind)

Source: the port in wellworn.engines.llm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from wellworn.engines.llm import Mind, Refused, Role, Said, Usage, Why

MakeMind = Callable[[Sequence[dict[str, Any]]], Mind]


class Verdict(BaseModel):
    """A bounded type: what a model can be asked for."""

    word: str = Field(max_length=20)
    score: int = Field(ge=0, le=10)


class Endless(BaseModel):
    """One that a model could fill for ever."""

    words: list[str]


YES = {"word": "yes", "score": 7}
OTHER = {"something": "else"}


def _ask(mind: Mind, prompt: str = "Is it so?") -> Said[Verdict] | Refused:
    return mind.ask(Role.REFLEX, Verdict, prompt, instructions="Say yes or no.", budget=64)


def an_answer_is_of_the_type_that_was_asked_for(make: MakeMind) -> None:
    said = _ask(make([YES]))
    assert isinstance(said, Said), said
    assert said.output == Verdict(word="yes", score=7)


def what_was_read_and_written_is_counted(make: MakeMind) -> None:
    said = _ask(make([YES]))
    assert said.usage.tokens_in > 0
    assert said.usage.tokens_out > 0
    assert said.usage + Usage(1, 2) == Usage(said.usage.tokens_in + 1, said.usage.tokens_out + 2)


def an_answer_of_another_form_is_a_value_and_no_exception(make: MakeMind) -> None:
    said = _ask(make([OTHER, OTHER, OTHER]))
    assert isinstance(said, Refused)
    assert said.why is Why.UNUSABLE


def a_refusal_says_nothing_of_the_question(make: MakeMind) -> None:
    said = _ask(make([OTHER, OTHER, OTHER]), "the plans of the fortress")
    assert isinstance(said, Refused)
    assert said.message
    assert "fortress" not in said.message


def a_type_without_bounds_is_refused_before_anything_is_asked(make: MakeMind) -> None:
    mind = make([])
    try:
        mind.ask(Role.REFLEX, Endless, "Go on.", instructions="", budget=64)
    except ValueError as error:
        assert "Endless.words" in str(error)  # noqa: PT017 - suites shipped without pytest
    else:
        raise AssertionError("an unbounded type was asked for")


def one_model_answers_again_and_again(make: MakeMind) -> None:
    mind = make([YES, {"word": "no", "score": 1}])
    words = [said.output.word for said in (_ask(mind), _ask(mind)) if isinstance(said, Said)]
    assert words == ["yes", "no"]


def it_has_a_name(make: MakeMind) -> None:
    assert make([]).name


MIND_CONTRACT: tuple[Callable[[MakeMind], None], ...] = (
    an_answer_is_of_the_type_that_was_asked_for,
    what_was_read_and_written_is_counted,
    an_answer_of_another_form_is_a_value_and_no_exception,
    a_refusal_says_nothing_of_the_question,
    a_type_without_bounds_is_refused_before_anything_is_asked,
    one_model_answers_again_and_again,
    it_has_a_name,
)
