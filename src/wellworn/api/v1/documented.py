"""What the OpenAPI document says of every route's failures."""

from __future__ import annotations

from typing import Any

from wellworn.api.replies import ErrorReply

_REASONS = {
    400: "A field is missing, empty, too long or of the wrong type.",
    404: "Nothing of that id is known.",
    413: "The body is too large.",
    415: "The body has another content type.",
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documented failures of a route; 403 and 500 can happen anywhere."""
    documented: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorReply, "description": _REASONS[status]} for status in statuses
    }
    documented[403] = {"model": ErrorReply, "description": "Addressed by a foreign host name."}
    documented[500] = {"model": ErrorReply, "description": "A part failed; nothing was written."}
    return documented
