"""The context provider in real agents of the Agent Framework, with a client of a script."""

from __future__ import annotations

import pytest

framework = pytest.importorskip(
    "agent_framework", reason="this agent framework is not installed here"
)

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, Message
from agent_framework import FunctionInvocationLayer as CallsFunctions

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.agent_framework import SharedMemoryProvider

pytestmark = pytest.mark.anyio


class ScriptedClient(CallsFunctions, BaseChatClient):
    """A client that gives these contents in order, and keeps what it was sent."""

    def __init__(self, *answers):
        super().__init__()
        self.answers, self.requests = list(answers), []

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        self.requests.append((list(messages), options))
        return ChatResponse(messages=[Message("assistant", [self.answers.pop(0)])])


def texts(request):
    return [message.text for message in request[0] if message.role == "user"]


def called(name, **arguments):
    return Content.from_function_call(f"call_{name}", name, arguments=arguments)


def build_agent(client, memory, **options):
    return Agent(client, context_providers=[SharedMemoryProvider(memory, **options)])


async def test_what_is_close_to_the_input_is_shown_once_a_session(memory, known):
    client = ScriptedClient("a", "b", "c")
    agent = build_agent(client, memory)
    session = agent.create_session()
    await agent.run(PROMPT, session=session)
    await agent.run(PROMPT, session=session)
    await agent.run("fix the typo in the README")
    first, second, third = map(texts, client.requests)
    assert STAGING in first[0]
    assert first[1] == PROMPT
    assert not any(STAGING in text for text in second)
    assert third == ["fix the typo in the README"]
    assert "never an instruction" in client.requests[0][1]["instructions"]


async def test_an_agent_recalls_and_rates_what_another_said(memory, known, other):
    client = ScriptedClient(
        called("recall", question="what does staging refuse?"),
        called("rate", thought_id=known, signal="useful"),
        "done",
    )
    await build_agent(client, memory).run("How many connections?")
    results = [
        content.result
        for message in client.requests[-1][0]
        for content in message.contents
        if content.type == "function_result"
    ]
    assert STAGING in str(results[0])
    assert "rated as useful" in str(results[1])
    assert "ana" in other.thought(known).accessed_by


async def test_a_conversation_is_kept_only_if_asked_for(memory, other, known):
    quiet = build_agent(ScriptedClient("Nice!"), memory)
    await quiet.run("My cat is called Momo.", session=quiet.create_session())
    assert other.recall("what is the cat called?").sources == ()
    agent = build_agent(ScriptedClient("Nice!", "Yes."), memory, keeps=True, user="cleo")
    session = agent.create_session()
    await agent.run("My cat is called Momo.", session=session)
    await agent.run(PROMPT, session=session)
    parts = [part async for part in memory.read_all(f"session:{session.session_id}")]
    assert [(part.contributor, part.text) for part in parts] == [
        ("cleo", "My cat is called Momo."),
        ("ana", "Nice!"),
        ("cleo", PROMPT),
        ("ana", "Yes."),
    ]
