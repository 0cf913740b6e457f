from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

import wellworn as package
from fences import quoted
from wellworn.engines import daemon

pytestmark = pytest.mark.anyio

LESSON = "Rotate the signing key before the release branch is cut, never after it."


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def over_http(url: str, name: str, mode: str = "legacy") -> Client:
    return Client(f"{url}/mcp", mode=mode, client_info=Implementation(name=name, version="1"))


def over_stdio(home: Path, name: str, **environment: str) -> Client:
    source = str(Path(package.__file__).parents[1])
    spawn = StdioServerParameters(
        command=sys.executable,
        args=["-m", "wellworn", "mcp"],
        env={**os.environ, "PYTHONPATH": source, "WELLWORN_HOME": str(home), **environment},
    )
    return Client(spawn, mode="legacy", client_info=Implementation(name=name, version="1"))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_what_one_agent_says_over_mcp_another_recalls_with_provenance(server, mode):
    async with over_http(server.url, "release-bot", mode) as client:
        stored = await client.call_tool("remember", {"content": LESSON, "tags": ["release"]})
    async with over_http(server.url, "dev-bot", mode) as client:
        recalled = await client.call_tool("recall", {"query": "When is the signing key rotated?"})
        [first, *_] = recalled.structured_content["thoughts"]
        read = await client.call_tool("fetch", {"id": first["thought_id"]})
    assert first["thought_id"] == stored.structured_content["thought_id"]
    assert (first["contributor"], quoted(first["content"])) == ("release-bot", LESSON)
    assert "release" in first["tags"]
    assert recalled.structured_content["guidance"].startswith("Welcome!")
    assert quoted(read.structured_content["text"]) == LESSON
    assert read.structured_content["metadata"]["access_count"] == 1


async def test_feedback_search_and_forget_do_what_they_say(server):
    async with over_http(server.url, "release-bot") as client:
        stored = await client.call_tool("remember", {"content": LESSON})
        thought_id = stored.structured_content["thought_id"]
    async with over_http(server.url, "dev-bot") as client:
        recalled = await client.call_tool("recall", {"query": "signing key rotation"})
        session_id = recalled.structured_content["session_id"]
        judged = await client.call_tool(
            "feedback",
            {"session_id": session_id, "thought_id": thought_id, "signal": "useful"},
        )
        found = await client.call_tool("search", {"query": "signing key"})
        await client.call_tool("forget", {"thought_id": thought_id, "reason": "a test"})
        gone = await client.call_tool("search", {"query": "signing key"})
        read = await client.call_tool("fetch", {"id": thought_id})
    assert judged.structured_content["pheromone_weight"] == pytest.approx(1.15, abs=0.01)
    assert [hit["id"] for hit in found.structured_content["results"]] == [thought_id]
    assert gone.structured_content["results"] == []
    assert LESSON not in read.model_dump_json()
    assert read.structured_content["metadata"]["erased_at"] is not None


async def test_agents_on_two_pipes_share_the_daemon_that_the_first_one_started(home):
    async with over_stdio(home, "release-bot") as one, over_stdio(home, "dev-bot") as other:
        await one.call_tool("remember", {"content": LESSON})
        recalled = await other.call_tool("recall", {"query": "signing key rotation"})
    [thought] = recalled.structured_content["thoughts"]
    assert thought["contributor"] == "release-bot"
    assert daemon.find_daemon(home) is not None


async def test_a_pipe_survives_the_daemon_being_killed_between_two_calls(home, serve):
    server = serve(home)
    async with over_stdio(home, "ignored", WELLWORN_AGENT="release-bot") as client:
        await client.call_tool("remember", {"content": LESSON})
        server.kill()
        recalled = await client.call_tool("recall", {"query": "signing key rotation"})
    [thought] = recalled.structured_content["thoughts"]
    assert (thought["contributor"], quoted(thought["content"])) == ("release-bot", LESSON)


async def test_an_unknown_session_is_refused_with_the_code_of_the_specification(server):
    unknown = "6f1f5f0e-6f0b-4b46-9a3e-3f7a3f0f9d10"
    async with over_http(server.url, "dev-bot") as client:
        refused = await client.call_tool("recall", {"query": "x", "session_id": unknown})
    assert refused.is_error
    assert refused.structured_content["error"]["code"] == "SESSION_NOT_FOUND"
