"""MCP over stdio: a thin bridge from a client's pipe to the one running daemon.

It answers the handshake and the lists itself, with what the server would say, so that a client does
not wait for one to start; all else it passes on as it is. It uses nothing but the standard library,
so that it starts without the MCP SDK. The endpoint at the other end keeps no connections: a daemon
that died between two calls is started again and the call repeated, with an idempotency key so that
it counts once.

Source: Model Context Protocol, transports (stdio).
"""

from __future__ import annotations

import json
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, cast

from wellworn.engines.daemon import (
    DaemonFailed,
    create_files_privately,
    ensure_daemon,
    find_home,
    is_announced,
)
from wellworn.engines.projects import find_project
from wellworn.errors import InvalidInput, WellwornError
from wellworn.interfaces.mcp.ids import INVALID_REQUEST, NO_ID, can_be_answered
from wellworn.interfaces.mcp.relay import Message, Relay
from wellworn.kit.project_ids import is_space_id

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

AGENT_VARIABLE = "WELLWORN_AGENT"
KEY_VARIABLE = "WELLWORN_KEY"
SPACE_VARIABLE = "WELLWORN_SPACE"
URL_VARIABLE = "WELLWORN_URL"
TOOLS_VARIABLE = "WELLWORN_TOOLS"
CALLS_AT_ONCE = 8
_PARSE_ERROR = -32700
_INTERNAL_ERROR = -32603

_log = logging.getLogger(__name__)


def run(
    home: Path,
    url: str | None,
    *,
    key: str | None = None,
    space: str | None = None,
    tools: str | None = None,
) -> None:
    """Serve MCP on this process's stdin and stdout until stdin ends.

    Args:
        home: the data folder whose daemon is used, started when there is none.
        url: a server to use instead; it is never started.
        key: who may talk; else the variable WELLWORN_KEY.
        space: id of the space talked to; else the variable WELLWORN_SPACE.
        tools: groups or names of the only tools to offer, with commas between; else the variable
            WELLWORN_TOOLS.
    """
    relay = make_relay(home, url, key=key, space=space, tools=tools)
    source, sink = _claim_pipes()
    bridge(source, sink, relay)


def run_by_environment() -> bool:
    """Serve MCP as variables and the working directory say, without loading the command line.

    Clients that ask their model before all servers have answered leave out the tools of slow ones.
    Returns False, and does nothing, where the command line has something to look up or to explain.
    """
    key, space = os.environ.get(KEY_VARIABLE), os.environ.get(SPACE_VARIABLE)
    if space and not is_space_id(space):
        return False
    try:
        project = None if space or key else find_project()
        home = find_home()
    except (InvalidInput, RuntimeError):
        return False
    create_files_privately()
    with suppress(KeyboardInterrupt):
        run(home, os.environ.get(URL_VARIABLE) or None, space=project.space if project else None)
    return True


def make_relay(
    home: Path,
    url: str | None,
    *,
    key: str | None = None,
    space: str | None = None,
    tools: str | None = None,
) -> Relay:
    """Return the way to the server; arguments as of `run`."""
    return Relay(
        lambda: url or ensure_daemon(home).url,
        is_there=lambda address: url is not None or is_announced(home, address),
        agent=os.environ.get(AGENT_VARIABLE),
        key=key or os.environ.get(KEY_VARIABLE),
        space=space or os.environ.get(SPACE_VARIABLE),
        tools=tools or os.environ.get(TOOLS_VARIABLE),
        offers=url is None,
    )


def bridge(source: Iterable[bytes], sink: BinaryIO, relay: Relay) -> None:
    """Answer every request in `source`, one message a line, in whatever order answers come."""
    writing = Lock()

    def answer(line: bytes) -> None:
        reply = reply_to(line, relay)
        if reply is not None:
            with writing:
                sink.write(json.dumps(reply).encode() + b"\n")
                sink.flush()

    with ThreadPoolExecutor(CALLS_AT_ONCE) as calls:
        # The daemon starts while the client is still composing its first message.
        calls.submit(relay.url)
        for line in source:
            if line.strip():
                calls.submit(answer, line)


def reply_to(line: bytes, relay: Relay) -> Message | list[Message] | None:
    """Return the reply to one line, None when it asks for none; of a batch, those that there are.

    Notifications end here: the endpoint keeps no connection that they could be about.
    """
    try:
        message = cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return _error(None, _PARSE_ERROR, "the message is not JSON")
    batch = cast("list[object]", message) if isinstance(message, list) else None
    if batch:
        return [reply for item in batch if (reply := _answer(item, relay)) is not None] or None
    return _answer(cast("object", message), relay)


def _answer(message: object, relay: Relay) -> Message | None:
    if not isinstance(message, dict):
        return _error(None, INVALID_REQUEST, "the message is not a JSON-RPC object")
    request = cast("Message", message)
    if "id" not in request or "method" not in request:
        return None
    if not can_be_answered(request):
        return _error(None, INVALID_REQUEST, NO_ID)
    if request["id"] is None:
        return None
    try:
        return relay.answer(request)
    except Exception as error:  # noqa: BLE001 - an interface: a client waits for every answer
        return _error(request["id"], _INTERNAL_ERROR, _reason(error))


def _reason(error: Exception) -> str:
    _log.error("a message was not passed on", exc_info=error)
    if isinstance(error, DaemonFailed):
        return "the memory server could not be started; its log says why"
    if isinstance(error, WellwornError):
        return error.message
    return "the message could not be passed on"


def _error(request_id: object, code: int, reason: str) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": reason}}


def _claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol; what anything else prints goes to stderr."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    return source, sink
