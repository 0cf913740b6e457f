"""Stores what the server says of itself before it is asked of a memory, for the bridge.

A client waits for the handshake and the list of tools before it shows anything, and a server takes
seconds to start. So the bridge answers them from `offer.json`, the server's own answers, which
`python scripts/build_offer.py` writes.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

from wellworn import __version__

METHODS = ("initialize", "ping", "tools/list", "resources/list", "prompts/list")
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Protocol versions with a handshake, the latest last: what others are offered."""


class Handshake(NamedTuple):
    """The protocol and features that `initialize` agrees on."""

    client_name: str
    version: str


def find_answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the server's result for a request that needs no memory, None for any other."""
    method, params = request.get("method"), request.get("params", {})
    if method not in METHODS or not isinstance(params, dict):
        return None
    # Codex wants to hear of progress, of which there is none; what else stands there may change
    # the answer.
    told = cast("dict[str, Any]", params).get("_meta", {})
    if not isinstance(told, dict) or {*cast("dict[str, Any]", told)} - {"progressToken"}:
        return None
    answer = _load_offer()[method]
    if method != "initialize":
        return answer
    handshake = read_handshake(request)
    return answer | {"protocolVersion": handshake.version} if handshake else None


def read_handshake(request: dict[str, Any]) -> Handshake | None:
    """Return what a handshake agrees on, None for what the server would refuse."""
    match request:
        case {
            "method": "initialize",
            "params": {
                "protocolVersion": str(asked),
                "capabilities": dict(),
                "clientInfo": {"name": str(name), "version": str()},
            },
        }:
            return Handshake(name, asked if asked in VERSIONS else VERSIONS[-1])
        case _:
            return None


@cache
def _load_offer() -> dict[str, dict[str, Any]]:
    text = files(__package__ or "").joinpath("offer.json").read_text("utf-8")
    offer = cast("dict[str, dict[str, Any]]", json.loads(text))
    offer["initialize"]["serverInfo"]["version"] = __version__
    return offer
