"""Ids of requests: by which of them a message can be answered.

Source: Model Context Protocol, base protocol (requests, notifications); JSON-RPC 2.0, section 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

INVALID_REQUEST: Final = -32600
NO_ID: Final = "the id of a request is a string or a whole number"


def can_be_answered(message: Mapping[str, object]) -> bool:
    """Tell whether a message has an id that its answer can name, or none, as a notification has."""
    name = message.get("id")
    if name is None:
        return "id" not in message or str(message.get("method")).startswith("notifications/")
    return isinstance(name, str | int) and not isinstance(name, bool)
