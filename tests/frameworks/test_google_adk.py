"""The memory service in real runners of Google ADK, with a model that follows a script."""

from __future__ import annotations

import pytest

pytest.importorskip("google.adk", reason="this agent framework is not installed here")

from google.adk.agents import LlmAgent
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory
from google.genai import types

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.google_adk import SharedMemoryService

pytestmark = pytest.mark.anyio


class ScriptedModel(BaseLlm):
    """A model that answers with these parts in order, and keeps what it was sent."""

    model: str = "scripted"
    answers: list[types.Part]
    requests: list

    async def generate_content_async(self, llm_request, stream=False):
        self.requests.append(llm_request.contents[-1])
        content = types.Content(role="model", parts=[self.answers.pop(0)])
        yield LlmResponse(content=content)


class App:
    """An application with sessions of its own, and a memory that outlives it."""

    def __init__(self, service, *answers, user="cleo"):
        self.service, self.user = service, user
        self.model = ScriptedModel(answers=list(answers), requests=[])
        agent = LlmAgent(name="ana", model=self.model, tools=[load_memory])
        self.sessions = InMemorySessionService()
        self.runner = Runner(
            app_name="app",
            agent=agent,
            session_service=self.sessions,
            memory_service=service,
            auto_create_session=True,
        )

    async def ask(self, text, session="s"):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        stream = self.runner.run_async(user_id=self.user, session_id=session, new_message=message)
        return [event async for event in stream]

    async def keep(self, session="s"):
        found = await self.sessions.get_session(
            app_name="app", user_id=self.user, session_id=session
        )
        await self.service.add_session_to_memory(found)

    async def search(self, query, user=None):
        found = await self.service.search_memory(
            app_name="app", user_id=user or self.user, query=query
        )
        return [(each.author, each.content.parts[0].text) for each in found.memories]


def say(text):
    return types.Part(text=text)


def look_up(query):
    return types.Part(function_call=types.FunctionCall(name="load_memory", args={"query": query}))


async def test_a_session_is_found_in_a_later_one_and_kept_once(memory):
    app = App(SharedMemoryService(memory), say("Nice!"), say("Noted."))
    await app.ask("My cat is called Momo.")
    await app.keep()
    await app.ask("And my dog is called Rex.")
    await app.keep()
    lines = [part.text async for part in memory.read_all("session:app/cleo/s")]
    assert lines == ["My cat is called Momo.", "Nice!", "And my dog is called Rex.", "Noted."]
    later = App(SharedMemoryService(memory), look_up("what is the cat called?"), say("Momo."))
    await later.ask("What is my cat called?", session="later")
    assert "My cat is called Momo." in str(later.model.requests[-1].parts[0].function_response)


async def test_users_are_kept_apart_unless_the_memory_is_shared(memory, known):
    app = App(SharedMemoryService(memory), say("Nice!"))
    await app.ask("My cat is called Momo.")
    await app.keep()
    assert ("user", "My cat is called Momo.") in await app.search("what is the cat called?")
    assert await app.search("what is the cat called?", user="dora") == []
    assert await app.search(PROMPT) == []
    shared = App(SharedMemoryService(memory, shared=True))
    assert await shared.search(PROMPT) == [("ben", STAGING)]


async def test_memories_are_remembered_and_deleted_for_good(memory, other):
    service = SharedMemoryService(memory)
    entry = MemoryEntry(content=types.Content(parts=[say("Cleo is allergic to nuts.")]))
    await service.add_memory(app_name="app", user_id="cleo", memories=[entry])
    app = App(service)
    assert await app.search("allergies of Cleo") == [("ana", "Cleo is allergic to nuts.")]
    [thought] = other.list_thoughts(by="ana").thoughts
    await service.delete_memory(app_name="app", user_id="cleo", memory_id=thought.thought_id)
    assert await app.search("allergies of Cleo") == []


async def test_events_are_appended_and_what_was_erased_does_not_come_back(memory):
    service = SharedMemoryService(memory)
    app = App(service, say("Nice!"))
    await app.ask("My cat is called Momo.")
    await app.keep()
    [part, *_] = [part async for part in memory.read_all("session:app/cleo/s")]
    await service.delete_memory(app_name="app", user_id="cleo", memory_id=part.source)
    await app.keep()
    assert [part.text async for part in memory.read_all("session:app/cleo/s")] == ["Nice!"]
    found = await app.sessions.get_session(app_name="app", user_id="cleo", session_id="s")
    place = {"app_name": "app", "user_id": "cleo", "session_id": "t"}
    for _ in range(2):
        await service.add_events_to_memory(events=found.events, **place)
    lines = [part.text async for part in memory.read_all("session:app/cleo/t")]
    assert lines == ["My cat is called Momo.", "Nice!"] * 2
