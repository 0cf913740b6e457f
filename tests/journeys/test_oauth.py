"""The SDK's own OAuth client against a real server: found, registered, let in, renewed, ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
import pytest
from anyio import to_thread
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from fences import quoted
from forked_processes import run_command
from journeys.conftest import clean_environment
from oauth_person import Person
from patience import LONG_S

pytestmark = pytest.mark.anyio

LESSON = "The pool is drained on the first Monday of October."
CALLBACK = "http://127.0.0.1:33418/callback"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Program:
    """A client that knows an address alone, and keeps what it was given."""

    url: str
    person: Person
    kept: dict = field(default_factory=dict)
    asked: int = 0
    answer: dict = field(default_factory=dict)
    meanwhile: Callable = field(default=lambda: None)

    async def get_tokens(self):
        return self.kept.get("tokens")

    async def set_tokens(self, tokens):
        self.kept["tokens"] = tokens

    async def get_client_info(self):
        return self.kept.get("client")

    async def set_client_info(self, client_info):
        self.kept["client"] = client_info

    async def _ask(self, url):
        self.asked += 1
        self.answer = await to_thread.run_sync(self.person.consent, url)

    async def _hear(self):
        self.meanwhile()
        return AuthorizationCodeResult(**self.answer)

    @asynccontextmanager
    async def connected(self):
        metadata = OAuthClientMetadata(client_name="Editor", redirect_uris=[CALLBACK])
        provider = OAuthClientProvider(self.url, metadata, self, self._ask, self._hear)
        async with httpx2.AsyncClient(auth=provider, timeout=LONG_S) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode="legacy") as client:
                yield client, provider


@pytest.fixture
def browser():
    with httpx2.Client(timeout=LONG_S) as browser:
        yield browser


@pytest.fixture
def run(home):
    def run(*words, key=None):
        more = {"WELLWORN_KEY": key} if key else {}
        done = run_command(*words, environment=clean_environment(home, **more))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@dataclass
class World:
    """A space of ana's, her key, and an editor that knows its address."""

    space: str
    key: str
    editor: Program
    browser: httpx2.Client
    restart: Callable

    @property
    def kid(self):
        return self.editor.kept["tokens"].access_token.split("_")[1]

    def is_let_in(self):
        bearer = {"authorization": f"Bearer {self.editor.kept['tokens'].access_token}"}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        status = self.browser.post(f"/mcp/{self.space}", json=ping, headers=bearer).status_code
        assert status in {200, 401}
        return status == 200


@pytest.fixture
def world(home, serve, run, browser):
    server = serve(home)
    key = run("space", "create", "pool", "--as", "ana")
    [space] = [each["id"] for each in json.loads(run("space", "list", "--json", key=key))]
    browser.base_url = server.url
    port = server.url.rpartition(":")[2]

    def restart():
        server.kill()
        serve(home, "--port", port)

    editor = Program(f"{server.url}/mcp/{space}", Person(browser, key))
    return World(space, key, editor, browser, restart)


async def test_a_client_that_knows_an_address_is_let_in_over_a_restart_and_renewed(world):
    editor = world.editor
    editor.meanwhile = world.restart
    async with editor.connected() as (client, _):
        stored = await client.call_tool("remember", {"content": LESSON})
        assert stored.structured_content["thought_id"]
    first = editor.kept["tokens"]
    assert first.scope == "contributor"
    assert editor.answer["iss"] == editor.url.partition("/mcp")[0]

    async with editor.connected() as (client, provider):
        recalled = await client.call_tool("recall", {"query": "When is the pool drained?"})
        assert quoted(recalled.structured_content["thoughts"][0]["content"]) == LESSON
        # Its hour is over, so it renews what it has without a person.
        provider.context.token_expiry_time = 1.0
        await client.call_tool("recall", {"query": "When is the pool drained?"})
    renewed = editor.kept["tokens"]
    assert renewed.access_token != first.access_token
    assert renewed.refresh_token != first.refresh_token
    assert editor.asked == 1


async def test_a_client_is_let_out_by_its_member_and_by_itself(world, run):
    editor, question = world.editor, {"query": "When is the pool drained?"}
    async with editor.connected() as (client, _):
        await client.call_tool("recall", question)
    assert world.is_let_in()
    assert "Editor (http://127.0.0.1:33418/callback)" in run("credential", "list", key=world.key)
    run("credential", "revoke", world.kid, "--yes", key=world.key)
    assert not world.is_let_in()

    async with editor.connected() as (client, _):
        await client.call_tool("recall", question)
    assert editor.asked == 2
    token, client_id = editor.kept["tokens"].refresh_token, editor.kept["client"].client_id
    form = {"token": token, "client_id": client_id}
    assert world.browser.post("/revoke", data=form).status_code == 200
    assert not world.is_let_in()
