"""Names who is speaking: by the call, or else the transport, or else the client's own name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wellworn.domain.spaces import AccessToken, parse_credential
from wellworn.domain.turns import Listener
from wellworn.engines.crypto import KeyPrefix
from wellworn.errors import InvalidInput
from wellworn.interfaces.mcp import headers
from wellworn.interfaces.mcp.arguments import RULES, Named, Spoken
from wellworn.kit.text import is_blank, is_storable

NAMELESS = "mcp-client"
_ACCESS = f"{KeyPrefix.ACCESS}_"
_LONGEST_ID = 100
_LONGEST_NAME = 200
_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Agent:
    """At most 100 characters of id and 200 of name."""

    agent_id: str
    agent_name: str


@dataclass(frozen=True, slots=True)
class Caller:
    """The request around a tool call.

    Attributes:
        sent: its headers, read without regard to case; empty without HTTP.
        client_name: from the handshake or the request's envelope.
        site: address of the server as the client sees it, no slash at its end.
        address: where the client calls from.
        space: which one the address or a header names; None for the caller's usual one.
        tools: groups and names of the tools it wants, with commas between; None for all.
        resource: the address that tokens must have been issued for; None where there are none.
        notify: told how far a call is that takes long.
    """

    sent: Mapping[str, str] = field(repr=False)
    client_name: str | None = None
    site: str = ""
    address: str = "unknown"
    space: str | None = None
    resource: str | None = None
    tools: str | None = None
    notify: Listener | None = None

    def credential(self) -> str | None:
        """Return the credential that came along, or None.

        Raises:
            Unauthenticated: there are two that differ, or the header has another scheme.
        """
        shown = parse_credential(
            self.sent.get(headers.AUTHORIZATION), api_key=self.sent.get(headers.API_KEY)
        )
        if shown is None or self.resource is None or not shown.startswith(_ACCESS):
            return shown
        return AccessToken(shown, resource=self.resource)

    def key(self) -> str | None:
        """Return the idempotency key under which a retry gets the first answer.

        Raises:
            InvalidInput: it is empty or over 200 characters.
        """
        idempotency_key = self.sent.get(headers.IDEMPOTENCY_KEY)
        if idempotency_key is not None and not 1 <= len(idempotency_key) <= _LONGEST_KEY:
            raise InvalidInput("the Idempotency-Key header must have 1 to 200 characters")
        return idempotency_key

    def agent(self, arguments: Spoken) -> Agent:
        """Return who speaks: a name alone is also the id, an id alone also the name.

        Raises:
            InvalidInput: a header names an agent that cannot be one.
        """
        named = self.client_name or headers.client_of(self.sent.get(headers.SESSION_ID, ""))
        named = named if named and named.strip() and is_storable(named) else NAMELESS
        header_id = self._read_name(headers.AGENT_ID, "agent_id", _LONGEST_ID)
        header_name = self._read_name(headers.AGENT_NAME, "agent_name", _LONGEST_NAME)
        named_by_call = arguments.agent_name if isinstance(arguments, Named) else None
        agent_id = arguments.agent_id or header_id or named_by_call or header_name or named
        name = named_by_call or header_name or arguments.agent_id or header_id or named
        return Agent(agent_id[:_LONGEST_ID], name[:_LONGEST_NAME])

    def _read_name(self, header: str, field: str, longest: int) -> str | None:
        raw = self.sent.get(header)
        if raw is None:
            return None
        text = headers.decode(raw)
        if text is None or is_blank(text) or not is_storable(text) or len(text) > longest:
            raise InvalidInput(f"the {header} header {RULES[field]}")
        return text
