from __future__ import annotations

import httpx2
import pytest
from mcp import Client, MCPError

from wellworn.errors import InvalidInput
from wellworn.interfaces.mcp.tools import GROUPS, TOOLS, choose_tools

ASK = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def offered(url: str, query: str = "", **headers: str) -> list[str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = httpx2.post(
        f"{url}/mcp{query}", json=message, headers={**ASK, **named}, trust_env=False
    )
    return [tool["name"] for tool in reply.json()["result"]["tools"]]


def test_nothing_said_and_nothing_meant_is_every_tool():
    everything = [tool.name for tool in TOOLS]
    assert all(list(choose_tools(said)) == everything for said in (None, "", " , "))
    assert list(choose_tools(",".join(GROUPS))) == everything


def test_groups_and_names_may_be_mixed_and_keep_the_usual_order():
    memory = [tool.name for tool in GROUPS["memory"]]
    assert list(choose_tools("knowledge_search, memory,recall")) == [*memory, "knowledge_search"]


@pytest.mark.parametrize("said", ["zebra", "memory,zebra", "Memory"])
def test_a_name_of_no_group_and_no_tool_is_refused_and_not_repeated(said):
    with pytest.raises(InvalidInput, match="memory, knowledge, browse, turns") as refused:
        choose_tools(said)
    assert "zebra" not in refused.value.message


def test_the_address_chooses_and_a_header_does_when_it_says_nothing(url):
    assert offered(url, "?tools=browse") == ["outline", "read"]
    assert offered(url, "?tools=browse&tools=fetch") == ["fetch", "outline", "read"]
    assert offered(url, Wellworn_Tools="browse,fetch") == ["fetch", "outline", "read"]
    assert offered(url, "?tools=fetch", Wellworn_Tools="browse") == ["fetch"]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_tool_that_was_not_chosen_cannot_be_called(url, memory, mode):
    async with Client(f"{url}/mcp?tools=knowledge", mode=mode) as client:
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("remember", {"content": "x"})
        await client.call_tool("knowledge_search", {"query": "x"})
    assert memory.prompts == []
    assert len(memory.documents.calls) == 1


@pytest.mark.anyio
async def test_a_wrong_choice_is_said_in_the_shape_of_every_failure(url):
    async with Client(f"{url}/mcp?tools=zebra") as client:
        with pytest.raises(MCPError) as refused:
            await client.list_tools()
    assert refused.value.message.startswith("VALIDATION_ERROR: tools must be memory, ")
    assert refused.value.data["error"]["code"] == "VALIDATION_ERROR"
