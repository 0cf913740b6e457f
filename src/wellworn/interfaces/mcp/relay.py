"""One JSON-RPC request carried to the daemon's `/mcp` and its reply carried back.

Source: Model Context Protocol, transports (streamable HTTP; headers of both protocol eras).
"""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from random import uniform
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from wellworn.errors import Overloaded, WellwornError
from wellworn.interfaces.mcp import headers, offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ANSWER_S = 300.0
_MOST_RETRIES = 3
_LONGEST_PAUSE_S = 5
_OVERLOADED = 503
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

Message = dict[str, Any]


class Unreachable(WellwornError):
    """No memory server answered at the address, or something else did."""

    retryable = True


class Relay:
    """The way to the daemon.

    Every message shows the `key` and names the `space` and the `tools` that are wanted; without
    them the server decides.
    `is_there` tells whether the daemon is still at an address.
    With `offers`, where the daemon is of this version, it says itself what needs no memory.
    It remembers what a client of streamable HTTP has to repeat with every message: the session id
    and the protocol version that `initialize` agreed on.
    """

    def __init__(
        self,
        address: Callable[[], str],
        *,
        is_there: Callable[[str], bool] = lambda _: True,
        agent: str | None = None,
        key: str | None = None,
        space: str | None = None,
        tools: str | None = None,
        offers: bool = False,
    ) -> None:
        self._address = address
        self._is_there = is_there
        self._offers = frozenset(offer.METHODS) if offers else frozenset[str]()
        if tools:
            self._offers -= {"tools/list"}
        self._same = _build_headers(agent, key, {headers.SPACE: space, headers.TOOLS: tools})
        self._lock = Lock()
        self._url: str | None = None
        self._session_id: str | None = None
        self._version: str | None = None

    def url(self) -> str:
        """Return where the daemon is, looked up (and the daemon started) when it is not known.

        Where it was, somebody else may listen by now, who would be shown the key.
        """
        with self._lock:
            if self._url is None or not self._is_there(self._url):
                self._url = self._address()
            return self._url

    def answer(self, request: Message) -> Message:
        """Return the reply: at once where no memory is needed, else the daemon's.

        Raises:
            Unreachable: nothing that speaks MCP answered, twice.
            WellwornError: the daemon could not be started.
        """
        result = offer.find_answer(request) if request.get("method") in self._offers else None
        if result is None:
            return self.ask(request)
        if handshake := offer.read_handshake(request):
            self._version = handshake.version
            self._session_id = headers.session_of(handshake.client_name)
        return {"jsonrpc": "2.0", "id": request["id"], "result": result}

    def ask(self, request: Message) -> Message:
        """Return the daemon's reply; a daemon that died is found or started again, once.

        Raises:
            Unreachable: nothing that speaks MCP answered, twice.
            WellwornError: the daemon could not be started.
        """
        key = str(uuid4())
        url = self.url()
        try:
            return self._send(url, request, key)
        except (Unreachable, HTTPException, OSError):
            self._forget(url)
        try:
            return self._send(self.url(), request, key)
        except (HTTPException, OSError) as error:
            raise Unreachable("no memory server answers") from error

    def _forget(self, url: str) -> None:
        with self._lock:
            # Another call may have found the new daemon in the meantime.
            if self._url == url:
                self._url = None

    def _send(self, url: str, request: Message, key: str) -> Message:
        """Send a message, again while the server says to come back in a moment."""
        for _ in range(_MOST_RETRIES):
            try:
                return self._send_once(url, request, key)
            except Overloaded as error:
                sleep(min(error.retry_after_s, _LONGEST_PAUSE_S) * uniform(1, 2))  # noqa: S311 - no secret
        return self._send_once(url, request, key)

    def _send_once(self, url: str, request: Message, key: str) -> Message:
        with closing(_connection(url)) as connection:
            body = json.dumps(request).encode()
            connection.request("POST", f"{_path(url)}/mcp", body, self._headers(request, key))
            response = connection.getresponse()
            reply = _reply(response)
            if request.get("method") == "initialize":
                self._agree(response, reply)
        # A message that was refused before its id was read is answered without one.
        return {**reply, "id": request.get("id")} if reply.get("id") is None else reply

    def _headers(self, request: Message, key: str) -> dict[str, str]:
        sent = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            headers.IDEMPOTENCY_KEY: key,
            **self._same,
        }
        modern = _modern_version(request)
        if modern is not None:
            return sent | _modern_headers(request, modern)
        if request.get("method") == "initialize":
            return sent
        known = {headers.SESSION_ID: self._session_id, headers.PROTOCOL_VERSION: self._version}
        return sent | {name: value for name, value in known.items() if value}

    def _agree(self, response: HTTPResponse, reply: Message) -> None:
        version = _member(reply.get("result"), "protocolVersion")
        self._version = version if isinstance(version, str) else None
        self._session_id = response.getheader(headers.SESSION_ID)


def _build_headers(
    agent: str | None, key: str | None, chosen: Mapping[str, str | None]
) -> dict[str, str]:
    sent = {header: headers.encode(value) for header, value in chosen.items() if value}
    if agent:
        name = headers.encode(agent)
        sent |= {headers.AGENT_ID: name, headers.AGENT_NAME: name}
    if key:
        # Encoded as well, so that no complaint about a header can repeat it.
        sent[headers.AUTHORIZATION] = f"Bearer {headers.encode(key)}"
    return sent


def _connection(url: str) -> HTTPConnection:
    scheme, _, rest = url.partition("://")
    kind = HTTPSConnection if scheme == "https" else HTTPConnection
    return kind(rest.partition("/")[0], timeout=ANSWER_S)


def _path(url: str) -> str:
    _, slash, path = url.partition("://")[2].partition("/")
    return (slash + path).rstrip("/")


def _reply(response: HTTPResponse) -> Message:
    """Raises: Unreachable, when it is no JSON-RPC reply; Overloaded."""
    wait = response.getheader("retry-after", "")
    if response.status == _OVERLOADED and wait.isdecimal():
        message = "the memory server is too busy; try again in a moment, with fewer calls at once"
        raise Overloaded(message, retry_after_s=int(wait))
    try:
        reply: object = json.loads(response.read())
    except ValueError:
        reply = None
    if not isinstance(reply, dict) or "jsonrpc" not in reply:
        raise Unreachable(f"the memory server refused the message ({response.status})")
    return cast("Message", reply)


def _modern_version(request: Message) -> str | None:
    version = _member(_member(request.get("params"), "_meta"), _VERSION_KEY)
    return version if isinstance(version, str) else None


def _modern_headers(request: Message, version: str) -> dict[str, str]:
    method = str(request.get("method"))
    sent = {headers.PROTOCOL_VERSION: version, headers.METHOD: method}
    name = _member(request.get("params"), _NAMED_BY.get(method, ""))
    if isinstance(name, str):
        sent[headers.NAME] = name
    return {header: headers.encode(value) for header, value in sent.items()}


def _member(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, dict) else None
