"""The session and the tools in real runs of the OpenAI Agents SDK, with models of a script."""

from __future__ import annotations

import json

import pytest

agents = pytest.importorskip("agents", reason="this agent framework is not installed here")

from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from frameworks.conftest import STAGING
from wellworn.adapters.openai_agents import SharedSession, build_tools
from wellworn.adapters.tools import INSTRUCTIONS

pytestmark = pytest.mark.anyio


class ScriptedModel(Model):
    """A model that gives these outputs in order, and keeps what it was sent."""

    def __init__(self, *outputs):
        self.outputs, self.inputs = list(outputs), []

    async def get_response(self, system_instructions, input, *_args, **_options):  # noqa: A002
        self.inputs.append(input)
        return ModelResponse([self.outputs.pop(0)], Usage(), None)

    def stream_response(self, *_args, **_options):
        raise NotImplementedError


def said(text):
    content = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id="msg_1", type="message", role="assistant", status="completed", content=[content]
    )


def called(name, **arguments):
    return ResponseFunctionToolCall(
        type="function_call", name=name, call_id=f"call_{name}", arguments=json.dumps(arguments)
    )


async def run(model, prompt, **options):
    agent = agents.Agent("Ana", instructions=INSTRUCTIONS, model=model, **options.pop("agent", {}))
    settings = agents.RunConfig(tracing_disabled=True)
    return await agents.Runner.run(agent, prompt, run_config=settings, **options)


def words(items):
    return [(item["role"], item["content"]) for item in items]


async def test_a_later_run_goes_on_where_an_earlier_one_ended(memory):
    await run(ScriptedModel(said("Nice!")), "My cat is Momo.", session=SharedSession("c", memory))
    model = ScriptedModel(said("Momo."))
    await run(model, "What is my cat called?", session=SharedSession("c", memory))
    assert words(model.inputs[0]) == [
        ("user", "My cat is Momo."),
        ("assistant", "Nice!"),
        ("user", "What is my cat called?"),
    ]


async def test_what_was_said_in_a_session_is_recalled_by_another_agent(memory, other):
    session = SharedSession("c", memory, user="cleo")
    await run(ScriptedModel(said("Noted.")), "My cat is called Momo.", session=session)
    [source, *_] = other.recall("What is the cat called?").sources
    assert (source.content, source.contributor) == ("My cat is called Momo.", "cleo")


async def test_calls_of_tools_stay_out_of_the_session(memory, known):
    model = ScriptedModel(called("recall", question="what does staging refuse?"), said("100."))
    session = SharedSession("c", memory)
    await run(model, "How many?", session=session, agent={"tools": build_tools(memory)})
    assert STAGING in str(model.inputs[1][-1]["output"])
    assert words(await session.get_items()) == [("user", "How many?"), ("assistant", "100.")]


async def test_an_agent_rates_what_it_recalled(memory, known, other):
    model = ScriptedModel(
        called("recall", question="what does staging refuse?"),
        called("rate", thought_id=known, signal="useful"),
        said("done"),
    )
    await run(model, "How many?", agent={"tools": build_tools(memory)})
    assert model.inputs[2][-1]["output"] == "rated as useful"


async def test_the_latest_items_come_in_their_order(memory):
    session = SharedSession("c", memory)
    await session.add_items([{"role": "user", "content": word} for word in ("one", "two", "three")])
    assert words(await session.get_items(2)) == [("user", "two"), ("user", "three")]
    assert await session.get_items(0) == []
    assert len(await SharedSession("c", memory).get_items()) == 3
    limited = SharedSession("c", memory, session_settings=agents.SessionSettings(limit=1))
    assert words(await limited.get_items()) == [("user", "three")]


async def test_what_is_taken_out_is_erased_and_can_be_said_again(memory, other):
    session = SharedSession("c", memory)
    await session.add_items([{"role": "user", "content": "Momo is a cat."}])
    assert await session.pop_item() == {"role": "user", "content": "Momo is a cat."}
    assert await session.pop_item() is None
    assert other.recall("who is Momo?").sources == ()
    again = SharedSession("c", memory)
    await again.add_items([{"role": "user", "content": "Momo is a cat."}])
    assert words(await again.get_items()) == [("user", "Momo is a cat.")]
    await again.clear_session()
    assert await again.get_items() == []


async def test_sessions_do_not_mix_and_long_messages_are_kept_whole(memory):
    long = "Momo sleeps. " * 1_000
    await SharedSession("a", memory).add_items([{"role": "user", "content": long}])
    await SharedSession("b", memory).add_items([{"role": "user", "content": "hello"}])
    pieces = [text for _, text in words(await SharedSession("a", memory).get_items())]
    assert " ".join(pieces) == long.strip()
    assert words(await SharedSession("b", memory).get_items()) == [("user", "hello")]
