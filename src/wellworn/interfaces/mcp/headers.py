"""HTTP headers that both ends of MCP know, and text of any kind inside them.

The endpoint keeps no sessions, yet a client says its name only once, in `initialize`. So the
session id it is given is that name, written down: the client brings it along with every later
message, and any process can read it, after a restart as well.

Source: Model Context Protocol, transports (session management, value encoding).
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from uuid import uuid4

AGENT_ID = "X-Agent-ID"
API_KEY = "X-API-Key"
AUTHORIZATION = "Authorization"
SPACE = "Wellworn-Space"
TOOLS = "Wellworn-Tools"
AGENT_NAME = "X-Agent-Name"
IDEMPOTENCY_KEY = "Idempotency-Key"
METHOD = "Mcp-Method"
NAME = "Mcp-Name"
PROTOCOL_VERSION = "MCP-Protocol-Version"
SESSION_ID = "Mcp-Session-Id"

ENDPOINT = "/mcp"
"""The path of the endpoint; a space may follow."""
CLIENT_KEY = "wellworn.interfaces.mcp.client"
"""The key of the ASGI scope with the client's name from the handshake, for the answer's headers."""
STRANGER_KEY = "wellworn.interfaces.mcp.stranger"
"""The key of the ASGI scope that tells no valid credential came, for the answer's status."""
RESOURCE_KEY = "wellworn.interfaces.mcp.resource"
"""The key of the ASGI scope with what tokens must have been issued for, if there are any here."""
CHALLENGE_KEY = "wellworn.interfaces.mcp.challenge"
"""The key of the ASGI scope with what a 401 says about how to be let in."""

_OPENING, _CLOSING = "=?base64?", "?="


def encode(value: str) -> str:
    """Return text that survives a header: printable ASCII as it is, all else in base64."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not value.startswith(_OPENING):
        return value
    return f"{_OPENING}{b64encode(value.encode()).decode()}{_CLOSING}"


def decode(value: str) -> str | None:
    """Return the text of a header, None when its base64 is broken; plain UTF-8 is read as well."""
    try:
        if value.startswith(_OPENING) and value.endswith(_CLOSING):
            return b64decode(value[len(_OPENING) : -len(_CLOSING)], validate=True).decode()
        return value.encode("latin-1").decode()
    except (binascii.Error, UnicodeError):
        return None


def session_of(client_name: str) -> str:
    """Return a new session id that carries the client's name."""
    return f"{uuid4().hex}.{urlsafe_b64encode(client_name.encode()).decode()}"


def client_of(session_id: str) -> str | None:
    """Return the name inside a session id, None when it is not one of ours."""
    _, _, name = session_id.partition(".")
    try:
        return urlsafe_b64decode(name).decode() or None
    except (binascii.Error, UnicodeError, ValueError):
        return None
