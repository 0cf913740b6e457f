"""The SDK's own OAuth client against a real server: found, registered, let in, renewed, ended."""

from __future__ import annotations

import subprocess
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
from journeys.conftest import clean_environment, program
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
def run(home):
    def run(*words, key=None):
        done = subprocess.run(
            program(*words),
            check=False,
            env=clean_environment(home, **({"WELLWORN_KEY": key} if key else {})),
            capture_output=True,
            text=True,
            timeout=LONG_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


async def test_a_client_that_knows_the_address_alone_is_let_in_and_out_again(home, serve, run):
    server = serve(home)
    key = run("space", "create", "pool", "--as", "ana")
    space = run("space", "list", "--json", key=key).split('"id": "')[1].split('"')[0]
    browser = httpx2.Client(base_url=server.url, timeout=LONG_S)
    editor = Program(f"{server.url}/mcp/{space}", Person(browser, key))
    async with editor.connected() as (client, _):
        stored = await client.call_tool("remember", {"content": LESSON})
        assert stored.structured_content["thought_id"]
    first = editor.kept["tokens"]
    assert first.scope == "contributor"
    assert editor.answer["iss"] == server.url

    # A restart ends nothing, and a used-up hour is renewed without a person.
    port = server.url.rpartition(":")[2]
    server.kill()
    server = serve(home, "--port", port)
    async with editor.connected() as (client, provider):
        recalled = await client.call_tool("recall", {"query": "When is the pool drained?"})
        assert quoted(recalled.structured_content["thoughts"][0]["content"]) == LESSON
        provider.context.token_expiry_time = 1.0
        await client.call_tool("recall", {"query": "When is the pool drained?"})
    renewed = editor.kept["tokens"]
    assert renewed.access_token != first.access_token
    assert renewed.refresh_token != first.refresh_token
    assert editor.asked == 1

    # It stands among the keys, and goes with one command.
    listed = run("credential", "list", "--json", key=key)
    assert "Editor (http://127.0.0.1:33418/callback)" in listed
    kid = renewed.access_token.split("_")[1]
    run("credential", "revoke", kid, "--yes", key=key)
    bearer = {"authorization": f"Bearer {renewed.access_token}"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    refused = browser.post(f"/mcp/{space}", json=ping, headers=bearer)
    assert refused.status_code == 401
    async with editor.connected() as (client, _):
        await client.call_tool("recall", {"query": "When is the pool drained?"})
    assert editor.asked == 2

    # What the client gives back itself is gone as well.
    last = editor.kept["tokens"]
    form = {"token": last.refresh_token, "client_id": editor.kept["client"].client_id}
    assert browser.post("/revoke", data=form).status_code == 200
    bearer = {"authorization": f"Bearer {last.access_token}"}
    assert browser.post(f"/mcp/{space}", json=ping, headers=bearer).status_code == 401
