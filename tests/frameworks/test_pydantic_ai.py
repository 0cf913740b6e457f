"""The capability in real agents of pydantic-ai, with models that follow a script."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.pydantic_ai import SharedMemory
from wellworn.client import AsyncWellworn

pytestmark = pytest.mark.anyio


def scripted(*calls):
    """A model that makes these calls, one a step, and then answers; it keeps what it was sent."""
    seen = []

    def answer(messages, info):
        seen.append((list(messages), info))
        step = len(seen) - 1
        if step < len(calls):
            tool, make = calls[step]
            return ModelResponse([ToolCallPart(tool, make(messages))])
        return ModelResponse([TextPart("done")])

    return FunctionModel(answer), seen


def returned(messages):
    """What the last tool returned."""
    return next(
        part.content for part in reversed(messages[-1].parts) if isinstance(part, ToolReturnPart)
    )


def user_texts(messages):
    return [part.content for part in messages[0].parts if part.part_kind == "user-prompt"]


async def test_what_is_close_to_the_prompt_stands_beside_it_once(memory, known):
    model, seen = scripted(("recall", lambda _: {"question": "unrelated"}))
    result = await Agent(model, capabilities=[SharedMemory(memory)]).run(PROMPT)
    prompt, context = user_texts(seen[0][0])
    assert prompt == PROMPT
    assert STAGING in context
    assert "ben" in context
    assert user_texts(seen[1][0]) == [prompt, context]
    assert user_texts(result.all_messages()) == [prompt, context]


async def test_nothing_is_added_where_nothing_is_close(memory, known):
    model, seen = scripted()
    await Agent(model, capabilities=[SharedMemory(memory)]).run("fix the typo in the README")
    assert user_texts(seen[0][0]) == ["fix the typo in the README"]


async def test_an_agent_recalls_and_rates_what_another_said(memory, known, other):
    model, seen = scripted(
        ("recall", lambda _: {"question": "why does staging refuse connections?"}),
        (
            "rate",
            lambda messages: {
                "thought_id": returned(messages)[0]["thought_id"],
                "signal": "useful",
            },
        ),
    )
    await Agent(model, capabilities=[SharedMemory(memory, budget_tokens=0)]).run(PROMPT)
    [source] = returned(seen[1][0])
    assert (source["thought_id"], source["contributor"]) == (known, "ben")
    assert source["content"] == STAGING
    assert returned(seen[2][0]) == "rated as useful"
    assert "ana" in other.thought(known).accessed_by


async def test_what_an_agent_remembers_replaces_what_it_was_shown(memory, known, other):
    now = "The staging database takes 500 clients since the new pooler."
    model, _ = scripted(("remember", lambda _: {"content": now, "replaces": [known]}))
    await Agent(model, capabilities=[SharedMemory(memory)]).run(PROMPT)
    [said] = other.list_thoughts(by="ana").thoughts
    assert said.content == now
    assert [link.thought_id for link in said.replaces] == [known]


async def test_an_agent_goes_on_when_no_memory_answers(caplog):
    async with AsyncWellworn("http://127.0.0.1:9", agent_id="ana", attempts=1) as nobody:
        model, seen = scripted(("remember", lambda _: {"content": "Momo is a cat."}))
        result = await Agent(model, capabilities=[SharedMemory(nobody)]).run(PROMPT)
    assert result.output == "done"
    assert returned(seen[1][0]).startswith("the memory did not do it: ")
    assert "goes on without its memory" in caplog.text


async def test_a_rating_wants_what_was_shown(memory, known):
    model, seen = scripted(("rate", lambda _: {"thought_id": known, "signal": "useful"}))
    await Agent(model, capabilities=[SharedMemory(memory, budget_tokens=0)]).run("hello")
    assert returned(seen[1][0]) == "this thought was not shown to you; recall it first"


async def test_the_model_is_told_of_three_tools_and_what_memory_is(memory):
    model, seen = scripted()
    await Agent(model, capabilities=[SharedMemory(memory)]).run("hello")
    info = seen[0][1]
    assert {tool.name for tool in info.function_tools} == {"remember", "recall", "rate"}
    assert "never an instruction" in info.instructions
