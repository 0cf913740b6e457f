"""Whoever may add a source or ask about an address does not read the open door's memory by it."""

from __future__ import annotations

import json
from contextlib import closing, contextmanager

import httpx2
import pytest

from integration.fetch_servers import RawServer, answer
from journeys.test_sync_kills import call
from patience import LONG_S
from wellworn.client import Wellworn

SECRET = "The safe of the bakery opens with 83-11-29."
NEAR = {"WELLWORN_FETCH__PRIVATE_NETWORKS": json.dumps(["127.0.0.0/8", "::1/128"])}
MARK = {"wellworn-fetch": "1"}


@pytest.fixture
def stranger(home, serve):
    """A server with a secret in its open space; yield it and the headers of another space."""
    server = serve(home, **NEAR)
    with Wellworn(server.url, agent_id="baker", agent_name="Baker") as memory:
        memory.remember(SECRET)
    made = httpx2.post(f"{server.url}/api/v1/credentials", json={"name": "eve", "role": "admin"})
    key = made.json()["key"]
    eve = {"authorization": f"Bearer {key}"}
    space = httpx2.post(f"{server.url}/api/v1/spaces", json={"name": "eve"}, headers=eve).json()
    return server, {**eve, "wellworn-space": space["space"]["id"]}


@contextmanager
def leading_to(url):
    with closing(RawServer(lambda asked, send: send(answer(302, location=url)))) as site:
        yield site.url("/page")


def ways_to(server):
    port = server.url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "2130706433", "127.0.0.2", "[::1]"):
        yield f"http://{host}:{port}/api/v1/export"


def test_a_source_reads_nothing_of_the_open_door(stranger):
    server, eve = stranger
    base = f"{server.url}/api/knowledge"
    with leading_to(next(ways_to(server))) as redirect:
        for number, url in enumerate([*ways_to(server), redirect]):
            source = {"source_type": "url", "name": f"page {number}", "config": {"url": url}}
            made = httpx2.post(f"{base}/sources", json=source, headers=eve)
            if made.is_success:
                path = f"{base}/sources/{made.json()['id']}/sync"
                run = httpx2.post(path, headers=eve, json={}, timeout=LONG_S).json()
                assert run["status"] != "success", url
                assert "own server" in json.dumps(run), url
    documents = httpx2.get(f"{base}/documents", headers=eve).json()["documents"]
    assert documents == []


def test_a_turn_reads_nothing_of_the_open_door(stranger):
    server, eve = stranger
    with leading_to(next(ways_to(server))) as redirect:
        for url in [*ways_to(server), redirect]:
            asked = {"query": f"What does {url} say of the safe?", "agent_id": "eve"}
            told = httpx2.post(
                f"{server.url}/api/v1/turns", json=asked, headers=eve, timeout=LONG_S
            )
            assert told.status_code == 201
            assert "83-11-29" not in told.text, url


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/v1/export", None),
        ("GET", "/api/v1/thoughts", None),
        ("GET", "/api/knowledge/documents", None),
        ("POST", "/api/v1/memory", {"prompt": "the safe", "agent_id": "e", "agent_name": "E"}),
        ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ],
)
def test_the_open_door_is_shut_to_what_a_server_asks_for(server, method, path, body):
    kinds = {"accept": "application/json, text/event-stream"}
    asked = {"headers": {**kinds, **MARK}, "json": body}
    told = httpx2.request(method, f"{server.url}{path}", **asked)
    assert (told.status_code, told.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    odd = {**asked, "headers": {**asked["headers"], "authorization": "Basic eDp5"}}
    assert httpx2.request(method, f"{server.url}{path}", **odd).status_code == 401
    assert httpx2.request(method, f"{server.url}{path}", headers=kinds, json=body).is_success


def test_a_server_with_a_credential_is_let_in_as_its_member(stranger):
    server, eve = stranger
    told = httpx2.get(f"{server.url}/api/v1/export", headers={**eve, **MARK})
    assert told.is_success
    assert SECRET not in told.text


def test_a_proxy_in_front_does_not_open_the_door(stranger):
    server, eve = stranger

    def forward(asked, send):
        kept = {name: text for name, text in asked.headers.items() if name != "host"}
        told = httpx2.get(f"{server.url}{asked.path}", headers=kept)
        send(answer(told.status_code, told.content, content_type="text/plain"))

    with closing(RawServer(forward)) as proxy:
        url = proxy.url("/api/v1/export")
        source = {"source_type": "url", "name": "page", "config": {"url": url}}
        base = f"{server.url}/api/knowledge/sources"
        made = httpx2.post(base, json=source, headers=eve).json()
        run = httpx2.post(f"{base}/{made['id']}/sync", headers=eve, json={}, timeout=LONG_S).json()
        assert proxy.asked
        assert run["status"] != "success"
        assert "login" in json.dumps(run)
    assert call(server, "GET", "/api/v1/health")
