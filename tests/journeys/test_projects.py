"""Projects, told through the command line, the MCP bridge and Python in real repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

from fences import quoted
from forked_processes import run_command
from journeys.conftest import clean_environment
from patience import LONG_S
from wellworn.client import Wellworn, WellwornClientError

pytestmark = pytest.mark.anyio

SHOP = "The staging port of the shop is 4100."
BILLING = "The staging port of billing is 4200."
SHARED = "The release train leaves on Thursday."
PORT = "which staging port?"
TRAIN = "when does the release train leave?"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def within(home):
    """Run the command line in a folder."""

    def run(folder, *words, **more):
        return run_command(*words, environment=clean_environment(home, **more), folder=folder)

    return run


@pytest.fixture
def repository(tmp_path):
    def make(name):
        folder = tmp_path / name / "src"
        folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
        return folder

    return make


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def printed(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_repositories_of_one_server_keep_their_own_and_read_what_is_shared(
    within, repository, outside, server
):
    shop, billing = repository("shop"), repository("billing")
    printed(within(outside, "remember", SHARED))
    first = within(shop, "remember", SHOP)
    assert f"project shop of {shop.parent} (ksp-shop-" in first.stderr
    assert within(shop, "remember", "The shop opens at nine.").stderr == ""
    printed(within(billing, "remember", BILLING))
    ports = printed(within(shop, "recall", PORT))
    assert (SHOP in ports, BILLING in ports) == (True, False)
    assert BILLING in printed(within(billing.parent, "recall", PORT))
    for folder in (shop, billing):
        recalled = printed(within(folder, "recall", TRAIN))
        assert SHARED in recalled
        assert "shared" in recalled.splitlines()[0]
    assert SHOP not in printed(within(outside, "recall", PORT, "--all"))
    listed = printed(within(outside, "space", "list"))
    assert [line.split()[1:] for line in listed.splitlines()] == [
        ["ks-default", "open", "admin"],
        ["shop", "open", "admin"],
        ["billing", "open", "admin"],
    ]


def test_options_and_variables_decide_over_the_directory(within, repository, outside, server):
    shop = repository("shop")
    printed(within(shop, "remember", SHOP))
    for said, words, more in (
        (SHARED, ["--shared"], {}),
        ("The canary is yellow.", ["--space", "ks-default"], {}),
        ("Ana keeps the minutes.", [], {"WELLWORN_SPACE": "ks-default"}),
    ):
        stored = within(shop, "remember", said, *words, **more)
        assert "ksp-" not in printed(stored) + stored.stderr
    assert len(json.loads(printed(within(outside, "recent", "--json")))["thoughts"]) == 3
    assert SHOP in printed(within(outside, "recall", PORT, "--space", "shop"))
    sealed = json.loads(printed(within(shop, "space", "create", "team", "--sealed", "--json")))
    key = sealed["issued"]["key"]
    printed(within(shop, "remember", "Only the team knows.", "--space", "team", WELLWORN_KEY=key))
    assert "Only the team" in printed(within(shop, "recall", "who knows?", WELLWORN_KEY=key))


def test_status_says_which_space_is_talked_to_and_why(within, repository, outside, server):
    shop = repository("shop")
    (shop.parent / ".wellworn").write_text('name = "store"')
    assert f"project store of {shop.parent} (ksp-store-" in printed(within(shop, "status"))
    assert "space ks-default, outside any project" in printed(within(outside, "status"))
    chosen = json.loads(printed(within(shop, "status", "--json", "--space", "ks-default")))
    assert chosen["space"] == "space ks-default, by --space or WELLWORN_SPACE"


@pytest.mark.parametrize("line", ['name = "{}"', 'space = "{}"', 'name = "shop"\nspace = "{}"'])
def test_a_file_of_a_stranger_points_at_no_other_space(
    within, repository, server, monkeypatch, line
):
    shop = repository("shop")
    sealed = json.loads(printed(within(shop, "space", "create", "team", "--sealed", "--json")))
    (shop / ".wellworn").write_text(line.format(sealed["space"]["id"]))
    for words in (["remember", SHOP], ["recall", PORT], ["mcp"]):
        done = within(shop, *words, WELLWORN_URL=server.url)
        assert (done.returncode, done.stdout) == (1, "")
        assert ".wellworn" in done.stderr
        assert "Traceback" not in done.stderr
    monkeypatch.chdir(shop)
    with pytest.raises(WellwornClientError, match=r"\.wellworn"):
        Wellworn(server.url, project=True)


def test_where_every_call_needs_a_key_a_project_does_too(home, within, repository, serve):
    shop = repository("shop")
    printed(within(shop, "credential", "create", "ana", "--role", "admin"))
    printed(within(shop, "stop"))
    for words, more in (
        (["--host", "0.0.0.0"], {}),
        ([], {"WELLWORN_SPACES__REQUIRE_CREDENTIALS": "true"}),
    ):
        closed = serve(home, *words, **more)
        refused = within(shop, "remember", SHOP)
        assert refused.returncode == 1
        assert "needs a credential" in refused.stderr
        closed.process.terminate()
        closed.process.wait(timeout=LONG_S)


def over_stdio(home, folder):
    environment = {**os.environ, **clean_environment(home)}
    spawn = StdioServerParameters(
        command=sys.executable, args=["-m", "wellworn", "mcp"], env=environment, cwd=folder
    )
    return Client(spawn, mode="legacy", client_info=Implementation(name="bot", version="1"))


async def test_an_agent_over_mcp_works_in_the_project_it_was_started_in(
    home, within, repository, outside, server
):
    shop = repository("shop")
    printed(within(shop, "remember", SHOP))
    async with over_stdio(home, shop.parent) as client:
        recalled = await client.call_tool("recall", {"query": PORT})
        await client.call_tool("remember", {"content": SHARED, "shared": True})
    assert [quoted(hit["content"]) for hit in recalled.structured_content["thoughts"]] == [SHOP]
    async with over_stdio(home, repository("billing")) as client:
        recalled = await client.call_tool("recall", {"query": TRAIN})
    [thought] = recalled.structured_content["thoughts"]
    assert (quoted(thought["content"]), thought["space"]) == (SHARED, "ks-default")
    assert SHARED in printed(within(outside, "recall", TRAIN))


def test_python_talks_to_a_project_only_when_told(repository, server, monkeypatch):
    monkeypatch.chdir(repository("shop"))
    with Wellworn(server.url) as memory, Wellworn(server.url, project=True) as project:
        memory.remember(SHARED)
        project.remember(SHOP)
        assert SHOP not in [source.content for source in memory.recall(PORT).sources]
        assert project.recall(PORT).sources[0].content == SHOP
        [source] = [each for each in project.recall(TRAIN).sources if each.content == SHARED]
        assert source.space == "ks-default"
        monkeypatch.setenv("WELLWORN_SPACE", "ks-default")
        with Wellworn(server.url, project=True) as chosen:
            assert SHOP not in [source.content for source in chosen.recall(PORT).sources]
