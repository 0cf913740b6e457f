"""Bodies of requests at `/mcp`: one JSON-RPC message, or an array of them.

The SDK reads one message a request, as protocol versions since 2025-06-18 have it. Version
2025-03-26, which is agreed to as well, obliges a server to take arrays, so that each message of one
is answered by itself here.

Source: Model Context Protocol 2025-03-26, base protocol (batching); JSON-RPC 2.0, section 6.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from starlette.requests import ClientDisconnect

from wellworn.interfaces.mcp import headers
from wellworn.interfaces.mcp.ids import INVALID_REQUEST, NO_ID, can_be_answered

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    Handle = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_MESSAGE_BYTES: Final = 1_048_576
MOST_MESSAGES: Final = 100
"""In one array: it is one call to all that wait for a slot."""
_PARSE_ERROR: Final = -32700
_CHALLENGE: Final = b"www-authenticate"


async def read_body(receive: Receive) -> bytes:
    """Return the body of a request, or so much of it as shows that it is too long.

    Raises:
        ClientDisconnect: the client left.
    """
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        if not message.get("more_body") or sum(map(len, pieces)) > LARGEST_MESSAGE_BYTES:
            return b"".join(pieces)


async def answer_body(
    handle: Handle, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Answer one message by `handle`, or each of an array, and say whose session it is.

    `receive` tells what comes after the body: that the client leaves.
    """
    fault = None if len(body) > LARGEST_MESSAGE_BYTES else _find_fault(body)
    if fault is not None:
        await _send_json(send, 400, _build_error(*fault))
    elif body.lstrip().startswith(b"["):
        await _answer_batch(handle, scope, json.loads(body), receive, send)
    else:
        if len(body) <= LARGEST_MESSAGE_BYTES:
            message = json.loads(body)
            scope = _offer_handshake(scope, message)
            meant = _read_plainly(message)
            body = body if meant is message else json.dumps(meant).encode()
        await handle(scope, _replay(body, receive), _with_head(scope, send))


def _offer_handshake(scope: Scope, message: dict[str, Any]) -> Scope:
    """Return a request whose handshake says in its body alone which version it asks for.

    A header with a version that is not known yet would end it before one is agreed on.
    """
    params = message.get("params")
    if message.get("method") != "initialize" or (isinstance(params, dict) and "_meta" in params):
        return scope
    version = headers.PROTOCOL_VERSION.lower().encode()
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != version]}


def _read_plainly(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with the arguments of a tool that stand there as their JSON text."""
    sent: object = message.get("params")
    params = cast("dict[str, object]", sent) if isinstance(sent, dict) else {}
    given = params.get("arguments")
    if message.get("method") != "tools/call" or not isinstance(given, str):
        return message
    with suppress(ValueError, RecursionError):
        read: object = json.loads(given)
        if isinstance(read, dict):
            meant: dict[str, Any] = message | {"params": params | {"arguments": read}}
            json.dumps(meant)  # what is nested too deep stays as it was sent
            return meant
    return message


def _find_fault(body: bytes) -> tuple[int, str] | None:
    """Return the number and the words of what makes a body no message at all."""
    try:
        read: object = json.loads(body)
    except (ValueError, RecursionError):
        return _PARSE_ERROR, "the message is not JSON"
    messages = cast("list[object]", read) if isinstance(read, list) else [read]
    if not 1 <= len(messages) <= MOST_MESSAGES:
        return INVALID_REQUEST, f"an array takes 1 to {MOST_MESSAGES} messages"
    if not isinstance(read, list) and not _is_message(read):
        return INVALID_REQUEST, "the message is not a JSON-RPC object"
    if not isinstance(read, list) and not can_be_answered(cast("dict[str, object]", read)):
        return INVALID_REQUEST, NO_ID
    return None


def _is_message(value: object) -> bool:
    message = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return message.get("jsonrpc") == "2.0" and not {"method", "id"}.isdisjoint(message)


async def _answer_batch(
    handle: Handle, scope: Scope, messages: list[object], receive: Receive, send: Send
) -> None:
    answers: list[Any] = []
    status, pairs = 200, list[tuple[bytes, bytes]]()
    for message in messages:
        if not _is_message(message):
            answers.append(_build_error(INVALID_REQUEST, "the message is not a JSON-RPC object"))
            continue
        if not can_be_answered(cast("dict[str, object]", message)):
            answers.append(_build_error(INVALID_REQUEST, NO_ID))
            continue
        # What a message leaves in the scope is about it alone.
        own = {**scope}
        answer = _Answer()
        replayed = _replay(
            json.dumps(_read_plainly(cast("dict[str, Any]", message))).encode(), receive
        )
        await handle(own, replayed, _with_head(own, answer.take))
        if answer.status in {401, 403, 421}:
            status, pairs = answer.status, answer.challenge
        if answer.body:
            answers.append(json.loads(answer.body))
    if answers:
        await _send_json(send, status, answers, *pairs)
    else:
        await _send_json(send, 202, None)


class _Answer:
    """The answer to one message of an array."""

    def __init__(self) -> None:
        self.status = 200
        self.body = b""
        self.challenge: list[tuple[bytes, bytes]] = []

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.challenge = [pair for pair in message["headers"] if pair[0] == _CHALLENGE]
        else:
            self.body += message.get("body", b"")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, then what comes after it."""
    pieces = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pieces.pop() if pieces else await receive()

    return replay


def _with_head(scope: Scope, send: Send) -> Send:
    """Give an answer what only HTTP can say: a session id, or that a credential is needed.

    A client that just said its name gets a session id that carries it. The SDK answers errors with
    status 200; by a 401 clients know to ask for a credential.
    """

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and headers.CLIENT_KEY in scope:
            session_id = headers.session_of(scope[headers.CLIENT_KEY])
            pair = (headers.SESSION_ID.lower().encode(), session_id.encode())
            message = {**message, "headers": [*message["headers"], pair]}
        if message["type"] == "http.response.start" and headers.STRANGER_KEY in scope:
            challenge = (_CHALLENGE, scope[headers.CHALLENGE_KEY])
            message = {**message, "status": 401, "headers": [*message["headers"], challenge]}
        await send(message)

    return sending


def _build_error(number: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": number, "message": message}}


async def _send_json(send: Send, status: int, content: object, *pairs: tuple[bytes, bytes]) -> None:
    body = b"" if content is None else json.dumps(content).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *pairs]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
