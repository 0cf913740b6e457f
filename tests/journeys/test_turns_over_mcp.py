"""Turns over MCP: questions hold up nobody and are asked once; agents keep turns of their own."""

from __future__ import annotations

import anyio
import pytest
from anyio import to_thread

from fences import quoted
from journeys.test_mcp import LESSON, over_http, over_stdio
from journeys.test_turn_kills import SETTINGS, Site, list_turns, make_query
from wellworn.engines import daemon
from wellworn.engines.slots import MOST_OF_A_CALLER

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


async def wait_until_asked(site, times=1):
    for _ in range(times):
        await to_thread.run_sync(site.wait_until_asked)


async def test_a_question_whose_server_is_killed_is_asked_once(serve, home, site):
    server = serve(home, **SETTINGS)
    answers = []
    async with over_stdio(home, "ada", **SETTINGS) as client, anyio.create_task_group() as tasks:

        async def ask():
            query = make_query(site.url("/first"), site.url("/held"))
            answers.append(await client.call_tool("ask", {"query": query}))

        tasks.start_soon(ask)
        await wait_until_asked(site, 2)
        server.kill()
        # The bridge starts another server, and asks again.
        await wait_until_asked(site)
        site.may_answer.set()
    [answer] = answers
    assert answer.structured_content["status"] == "done"
    assert "The ferry held leaves the harbour at noon." in quoted(
        answer.structured_content["answer"]
    )
    [turn] = list_turns(daemon.find_daemon(home))
    assert turn["id"] == answer.structured_content["turn_id"]
    assert site.visits == {site.url("/first"): 1, site.url("/held"): 2}


async def test_questions_hold_up_no_other_call_and_one_too_many_is_refused(serve, home, site):
    server = serve(home, **SETTINGS, WELLWORN_SLOTS__AT_ONCE="1")
    statuses = []
    async with over_http(server.url, "ada") as client, anyio.create_task_group() as tasks:

        async def ask(number):
            query = f"{make_query(site.url('/held'))} Number {number}"
            answer = await client.call_tool("ask", {"query": query})
            statuses.append(answer.structured_content["status"])

        for number in range(MOST_OF_A_CALLER):
            tasks.start_soon(ask, number)
        await wait_until_asked(site, MOST_OF_A_CALLER)
        stored = await client.call_tool("remember", {"content": LESSON})
        assert not stored.is_error
        refused = await client.call_tool("ask", {"query": "One more?"})
        assert refused.is_error
        error = refused.structured_content["error"]
        assert error["code"] == "RATE_LIMITED"
        assert error["message"] == "at most 4 turns at once; read or end one first"
        site.may_answer.set()
    assert statuses == ["failed"] * MOST_OF_A_CALLER
    assert len(list_turns(server)) == MOST_OF_A_CALLER


@pytest.mark.parametrize("is_over_http", [True, False])
async def test_an_agents_own_turn_goes_in_and_comes_back_as_documents(serve, home, is_over_http):
    server = serve(home, **SETTINGS)
    client = over_http(server.url, "ada") if is_over_http else over_stdio(home, "ada", **SETTINGS)
    entry = {
        "tool": "shell.run",
        "arguments": {"command": "free -g"},
        "result": "Mem: 64",
        "sources": [{"text": "cube has 64 GB of memory", "source": "free -g", "title": "cube"}],
    }
    claims = [{"text": "64 GB of memory", "evidence": 1}, {"text": "It is fast"}]
    async with client:
        opened = await client.call_tool(
            "ask", {"query": "How much memory has cube?", "entries": [{"result": "I ask cube."}]}
        )
        turn_id = opened.structured_content["turn_id"]
        added = await client.call_tool("ask", {"turn_id": turn_id, "entries": [entry]})
        end = {"turn_id": turn_id, "answer": "cube has 64 GB [1].", "claims": claims}
        closed = await client.call_tool("ask", end)
        late = await client.call_tool("ask", end)
        [listed] = (await client.read_resource(f"wellworn://turns/{turn_id}")).contents
        addresses = [line.removeprefix("- ") for line in listed.text.split("\n")]
        texts = {each: (await client.read_resource(each)).contents[0].text for each in addresses}
    assert opened.structured_content["sources"] == []
    assert added.structured_content["sources"] == [
        {"number": 1, "title": "cube", "source": "free -g"}
    ]
    assert closed.structured_content["status"] == "done"
    assert late.is_error
    assert late.structured_content["error"]["message"].startswith("the turn is done")
    context = texts[closed.structured_content["context"]]
    assert '`shell.run(command="free -g")`' in context
    assert "cube has 64 GB [1]." in context
    assert "It is fast" in context
    results = texts[f"wellworn://turns/{turn_id}/toolresults.md"]
    assert results.index("I ask cube.") < results.index("cube has 64 GB of memory")
    [turn] = list_turns(server)
    assert (turn["id"], turn["engine"], turn["status"]) == (turn_id, "ada", "done")
