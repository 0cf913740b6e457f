"""The specification's story of documents, told by an agent that has nothing but MCP."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import Implementation

from fences import quoted
from forked_processes import run_command
from journeys.conftest import Server, clean_environment, serving

pytestmark = pytest.mark.anyio

INFRASTRUCTURE = """\
# Infrastructure

Main infrastructure overview: the servers, and how to reach them by SSH.

## Servers

- **cube** (100.70.237.79) - Home GPU server, runs AI workloads and Frigate.
- **clifford** (5.161.97.53) - Production VPS on Hetzner, hosts 90% of web apps.

Connect with `ssh cube` or `ssh clifford`.
"""
BACKUPS = """\
# Backups

Kopia is the backup tool. It runs nightly at 03:00 to the Bremen NAS.

## Troubleshooting

If the prod endpoint is down, restart kopia on the old server.
"""
HDRPOP = """\
# HDRPop Operations

## Analytics API

- Endpoint: https://hdrpop.com/api/reports/daily-analytics
- Auth: X-Analytics-Token header
- Secret: HDRPOP_ANALYTICS_TOKEN

## Key Metrics

- Funnel: visitors → uploads → results → signups
- Acquisition sources: Google Ads, ChatGPT referral, Direct
- Device breakdown: check for mobile vs desktop conversion gaps

## Alert Thresholds

- Upload rate drop >20% day-over-day: investigate
- Zero signups for 3+ days: check funnel
- Bot rate >50%: review traffic sources

## Notification

- Daily digest to: david010@gmail.com
- Urgent alerts: also send to Discord
"""
DOCUMENTS = {
    "AGENTS.md": INFRASTRUCTURE,
    "backups/README.md": BACKUPS,
    "projects/hdrpop/operations.md": HDRPOP,
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    """A server that has synced a folder of notes as somebody keeps them."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notes") / "mytech"
    for path, text in DOCUMENTS.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with serving(home) as running:
        wellworn(home, "source", "add", str(folder))
        yield running


def wellworn(home: Path, *words: str) -> str:
    """Run the command line and return what it printed."""
    done = run_command(*words, environment=clean_environment(home))
    done.check_returncode()
    return done.stdout.strip()


class Agent:
    """What a scripted agent does with its client: it calls tools and reads resources."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def read(self, name: str) -> str:
        read = await self._client.read_resource(f"wellworn://knowledge/{name}")
        [contents] = read.contents
        return contents.text


def client(url: str, mode: str = "legacy", space: str = "") -> Client:
    info = Implementation(name="hdr-daily-analytics", version="1")
    return Client(f"{url}/mcp{space}", mode=mode, client_info=info)


def pipe(home: Path, *words: str, **environment: str) -> Client:
    """Return a client of `wellworn mcp` with some options."""
    spawn = StdioServerParameters(
        command=sys.executable,
        args=["-m", "wellworn", "mcp", *words],
        env=clean_environment(home, **environment),
    )
    return Client(spawn, mode="legacy")


def stands_where_it_says(found: dict[str, Any]) -> bool:
    """Compare every quote of an answer with the document that it names."""
    quotes = [
        (one["citation"], one["start"], one["end"], quoted(one["text"]))
        for one in [
            *found.get("evidence", []),
            *(one["evidence"] for one in found.get("values", [])),
            *(each for one in found.get("results", []) for each in one["snippets"]),
        ]
    ]
    quotes += [
        (one["evidence"]["citation"], one["start"], one["end"], one["value"])
        for one in found.get("values", [])
    ]
    assert quotes
    return all(
        DOCUMENTS[citation.partition("#")[0].removeprefix("mytech/")][start:end] == text
        for citation, start, end, text in quotes
    )


def said(found: dict[str, Any]) -> str:
    return "\n".join(each["text"] for one in found["results"] for each in one["snippets"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_daily_digest_finds_all_it_needs_and_guesses_nothing(server, mode):
    async with client(server.url, mode) as connected:
        agent = Agent(connected)
        api = await agent.call("knowledge_search", query="hdrpop analytics api")
        thresholds = await agent.call("knowledge_search", query="hdrpop alert thresholds")
        endpoint = await agent.call("knowledge_provenance", term="hdrpop", fact_type="endpoint")
        await agent.call("knowledge_resolve", term="hdrpop")
        await agent.call("knowledge_resolve", term="hdrpop analytics")
        learned = json.loads(await agent.read("aliases.learned.json"))
    best = api["results"][0]
    assert best["path"] == "projects/hdrpop/operations.md"
    assert best["snippets"][0]["citation"].startswith("mytech/projects/hdrpop/operations.md#")
    for needed in (
        "https://hdrpop.com/api/reports/daily-analytics",
        "X-Analytics-Token",
        "HDRPOP_ANALYTICS_TOKEN",
    ):
        assert needed in said(api)
    for needed in ("Upload rate drop >20%", "Zero signups for 3+ days", "Bot rate >50%"):
        assert needed in said(thresholds)
    assert [one["value"] for one in endpoint["values"]] == [
        "https://hdrpop.com/api/reports/daily-analytics"
    ]
    assert all(map(stands_where_it_says, (api, thresholds, endpoint)))
    assert learned["hdrpop"]["canonical"].startswith("mytech/projects/hdrpop/operations.md")
    assert learned["hdrpop analytics"]["canonical"].endswith("#analytics-api")


async def test_a_name_is_resolved_with_its_value_and_where_that_stands(server):
    async with client(server.url) as connected:
        agent = Agent(connected)
        cube = await agent.call("knowledge_resolve", term="cube")
        clifford = await agent.call("knowledge_resolve", term="clifford")
        kopia = await agent.call("knowledge_resolve", term="kopia")
    assert (cube["outcome"], cube["canonical"]) == ("resolved", "mytech/AGENTS.md#servers")
    assert "100.70.237.79" in {one["value"] for one in cube["values"]}
    assert "5.161.97.53" not in json.dumps(cube)
    assert "5.161.97.53" in {one["value"] for one in clifford["values"]}
    assert kopia["canonical"].startswith("mytech/backups/README.md")
    assert all(map(stands_where_it_says, (cube, clifford, kopia)))


async def test_a_name_of_several_things_is_one_question_to_the_user(server):
    async with client(server.url) as connected:
        found = await Agent(connected).call("knowledge_resolve", term="server")
    assert found["outcome"] == "ambiguous"
    assert found["question"].count("?") == 1
    assert {one["label"] for one in found["candidates"]} == {"cube", "clifford"}
    assert "Ask the user" in found["guidance"]
    assert found["values"] == []


async def test_what_the_user_answers_is_kept(server):
    async with client(server.url) as connected:
        agent = Agent(connected)
        found = await agent.call("knowledge_resolve", term="zephyr box")
        assert found["outcome"] == "unknown"
        useless = {"term": "zephyr box", "answer": "nobody knows"}
        refused = await connected.call_tool("knowledge_resolve", useless)
        assert refused.is_error
        cube = (await agent.call("knowledge_resolve", term="cube"))["canonical"]
        taught = await agent.call("knowledge_resolve", term="zephyr box", answer=cube)
        again = await agent.call("knowledge_resolve", term="zephyr box")
    assert (taught["outcome"], taught["canonical"]) == ("resolved", cube)
    assert again["canonical"] == cube


async def test_a_name_that_nothing_explains_is_asked_for_and_noted(server):
    async with client(server.url) as connected:
        agent = Agent(connected)
        answer = await agent.call("knowledge_resolve", term="zephyr")
        noted = await agent.read("unknowns.md")
    assert answer["outcome"] == "unknown"
    assert "zephyr" in answer["question"]
    assert "Ask the user" in answer["guidance"]
    assert (answer["values"], answer["evidence"], answer["candidates"]) == ([], [], [])
    assert "zephyr" in noted


async def test_an_agent_is_told_what_there_is_before_it_asks(server):
    async with client(server.url) as connected:
        agent = Agent(connected)
        listed = [
            each
            for each in (await connected.list_resources()).resources
            if str(each.uri).startswith("wellworn://knowledge/")
        ]
        files = {one.name: await agent.read(one.name) for one in listed}
        prompt = await connected.get_prompt("knowledge_base")
    [message] = prompt.messages
    assert "Never guess hostnames, IPs, endpoints, or credentials" in message.content.text
    assert "hdrpop/operations.md" in message.content.text
    assert re.search(r"\| cube +\| mytech/AGENTS\.md#servers", files["hot_terms.md"])
    assert "backups/" in files["tree_summaries.md"]
    assert "AGENTS.md" in files["catalog.md"]


async def test_another_space_knows_nothing_of_it(server):
    key = wellworn(server.home, "space", "create", "other", "--as", "ana")
    async with pipe(server.home, "--space", "other", WELLWORN_KEY=key) as connected:
        agent = Agent(connected)
        found = await agent.call("knowledge_search", query="hdrpop analytics api")
        answer = await agent.call("knowledge_resolve", term="cube")
        catalog = await agent.read("catalog.md")
    assert found["results"] == []
    assert "never guess" in found["guidance"]
    assert answer["outcome"] == "unknown"
    assert "AGENTS.md" not in catalog


async def test_a_space_that_is_not_the_callers_lets_nobody_in(server):
    unauthenticated = pytest.RaisesExc(MCPError, match="UNAUTHENTICATED: ")
    with pytest.RaisesGroup(unauthenticated, flatten_subgroups=True):
        async with client(server.url, space="/ks-other-0a1b2c3d"):
            pass


async def test_a_pipe_offers_the_tools_that_were_chosen(server):
    async with pipe(server.home, "--tools", "knowledge,recall") as connected:
        offered = [tool.name for tool in (await connected.list_tools()).tools]
        cube = await Agent(connected).call("knowledge_resolve", term="cube")
    assert offered == ["recall", "knowledge_search", "knowledge_resolve", "knowledge_provenance"]
    assert cube["outcome"] == "resolved"
