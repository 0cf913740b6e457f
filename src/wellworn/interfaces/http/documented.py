"""What the OpenAPI document says of every route's failures."""

from __future__ import annotations

from typing import Any

from wellworn.client.models import ErrorAnswer

_REASONS = {
    400: "A field is missing, empty, too long or of the wrong type.",
    404: "Nothing of that id is known, or nothing that this caller may know of.",
    409: "The source is being synced by another call.",
    413: "The body is too large.",
    415: "The body has another content type.",
    503: "The server is too busy, or a part fails; see Retry-After.",
}


_ANYWHERE = {
    401: "No credential, or none that is valid now.",
    403: "Addressed by a foreign host name, or the role is too small.",
    423: "The space is sealed, and the credential cannot unlock it.",
    429: "Too many calls; see Retry-After.",
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documented failures of a route; the last of them can happen anywhere."""
    documented: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorAnswer, "description": _REASONS[status]} for status in statuses
    }
    documented |= {
        status: {"model": ErrorAnswer, "description": reason}
        for status, reason in _ANYWHERE.items()
    }
    documented[500] = {"model": ErrorAnswer, "description": "A part failed; nothing was written."}
    return documented
