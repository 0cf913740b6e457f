"""What the bridge answers by itself is what the server answers."""

from __future__ import annotations

import pytest

import wellworn
from wellworn.interfaces.mcp import offer
from wellworn.interfaces.mcp.relay import Relay

CLIENT = {"name": "desktop", "version": "1"}


def greeting(version: object = "2025-06-18", client: object = CLIENT) -> dict:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize("method", offer.METHODS[1:])
def test_a_list_is_the_servers(url, method):
    request = {"jsonrpc": "2.0", "id": 1, "method": method}
    renewed = "run `python scripts/build_offer.py`"
    assert offer.find_answer(request) == Relay(lambda: url).ask(request)["result"], renewed


def test_a_list_with_a_token_for_progress_is_the_servers(url):
    # Codex 0.171 asks so, and leaves out the tools of a server that must start first.
    params = {"_meta": {"progressToken": 0}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    assert offer.find_answer(request) == Relay(lambda: url).ask(request)["result"]


@pytest.mark.parametrize("version", [*offer.VERSIONS, "2024-01-01", "2026-07-28", ""])
def test_a_handshake_agrees_on_what_the_server_would(url, version):
    served = Relay(lambda: url).ask(greeting(version))["result"]
    served["serverInfo"]["version"] = wellworn.__version__
    assert offer.find_answer(greeting(version)) == served


@pytest.mark.parametrize(
    "request_",
    [
        greeting(1),
        greeting(client={"name": "desktop"}),
        {**greeting(), "params": []},
        {"method": "initialize"},
        {"method": "tools/list", "params": 3},
        {"method": "tools/list", "params": {"_meta": 3}},
        {"method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/x": "1"}}},
        {"method": "tools/call", "params": {"name": "recall"}},
        {"method": 1},
    ],
)
def test_everything_else_is_the_servers_to_answer(request_):
    assert offer.find_answer(request_) is None
