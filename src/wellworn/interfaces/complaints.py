"""Explains why something is refused: its status, and what to change; never what was sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

MALFORMED = "the request body must be valid JSON"

STATUS_OF_CODE = {
    "VALIDATION_ERROR": 400,
    "INVALID_THOUGHT_TYPE": 400,
    "MISSING_SOURCE_IDS": 400,
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "FORBIDDEN_HOST": 403,
    "CROSS_SITE": 403,
    "THOUGHT_NOT_FOUND": 404,
    "SESSION_NOT_FOUND": 404,
    "SPACE_NOT_FOUND": 404,
    "CREDENTIAL_NOT_FOUND": 404,
    "SOURCE_NOT_FOUND": 404,
    "DOCUMENT_NOT_FOUND": 404,
    "TURN_NOT_FOUND": 404,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "SYNC_RUNNING": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "SPACE_LOCKED": 423,
    "RATE_LIMITED": 429,
    "EMBEDDING_FAILED": 500,
    "EXTRACTION_UNAVAILABLE": 500,
    "QDRANT_ERROR": 500,
    "INTERNAL_ERROR": 500,
    "NOT_READY": 503,
    "OVERLOADED": 503,
}
"""The HTTP status of each code of an error."""


def describe_fault(error: Mapping[str, Any], location: Sequence[int | str]) -> str:
    """Say what one pydantic error asks to be changed, without repeating what was sent."""
    kind, bounds = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return MALFORMED
    if kind == "extra_forbidden":
        unknown = _name_unknown(location)
        return f"{unknown}; GET /api/v1/openapi.json lists the fields of every endpoint"
    field = name_field(location)
    if kind == "missing":
        return f"{field} is required{_AND_NON_EMPTY.get(field, '')}{_say_what_is_sent(field)}"
    if kind == "value_error":
        complaint = f"{field} {bounds['error']}"
        return complaint + _say_what_is_sent(field) * complaint.endswith(_NON_EMPTY)
    wanted = _WANTED.get(kind)
    return f"{field} must be {wanted.format(**bounds)}" if wanted else f"{field} is not valid"


_TEXTS: tuple[str, ...] = (
    *("prompt", "agent_id", "agent_name", "query"),
    *("content", "contributor_id", "contributor_name"),
)
_NON_EMPTY = " and must be a non-empty string"
_AND_NON_EMPTY: dict[str, str] = dict.fromkeys(_TEXTS, _NON_EMPTY)
_SENT = {
    "prompt": "what you ask, or what you state to be kept",
    "query": "what you ask",
    "q": "the words to search for, such as /api/v1/search?q=staging+port",
    "content": "what is to be kept",
    "agent_id": "who calls, a name of your choice",
    "agent_name": "how whoever calls is named in answers",
    "contributor_id": "who says it, a name of your choice",
    "contributor_name": "how whoever says it is named in answers",
}
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z_-]{0,39}")
"""Names that may be repeated of those that were sent: no secret looks like one."""
_WANTED = {
    "string_type": "a string",
    "string_unicode": "a string without unpaired surrogates",
    "string_too_short": "a non-empty string",
    "string_too_long": "at most {max_length} characters",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "an array",
    "tuple_type": "an array",
    "too_long": "an array of at most {max_length} items",
    "too_short": "an array of at least {min_length} items",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "enum": "one of {expected}",
    "literal_error": "one of {expected}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "greater_than": "more than {gt}",
    "less_than": "less than {lt}",
}


def _say_what_is_sent(field: str) -> str:
    return f": {_SENT[field]}" if field in _SENT else ""


def _name_unknown(location: Sequence[int | str]) -> str:
    """Name the field that nobody knows if its name is one, and where it stands otherwise."""
    *outer, name = location
    if _PLAIN_NAME.fullmatch(str(name)):
        return f"unknown field {name_field(location)}"
    return f"unknown field in {name_field(outer)}" if outer else "unknown field"


def name_field(location: Sequence[int | str]) -> str:
    """Name the field an error is about: `tags[2]`, `metadata.domain`, or the body itself."""
    named = ""
    for part in location:
        if isinstance(part, int):
            named += f"[{part}]"
        else:
            named += f".{part}" if named else part
    return named or "the request body"
