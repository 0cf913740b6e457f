"""The one table from errors to HTTP, and the one shape they all have.

A message says what to change; it contains neither what was sent nor where the server keeps things.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from wellworn.errors import Overloaded, RateLimited, Unauthenticated, WellwornError

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

_OF_STATUS = {
    404: ("NOT_FOUND", "no such endpoint; GET /api/v1/ lists them"),
    405: ("METHOD_NOT_ALLOWED", "this endpoint does not take that method; see the Allow header"),
    413: ("PAYLOAD_TOO_LARGE", "the request body is too large"),
}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_MALFORMED = "the request body must be valid JSON"
_UNEXPECTED = "unexpected server error; see the server's log"

_log = logging.getLogger(__name__)


def body_of(code: str, message: str) -> dict[str, dict[str, str]]:
    return {"error": {"code": code, "message": message}}


def response_of(code: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(body_of(code, message), STATUS_OF_CODE[code], headers)


def install(api: FastAPI) -> None:
    """Give every error of this app the one shape."""
    api.add_exception_handler(WellwornError, _handle_expected)
    api.add_exception_handler(RequestValidationError, _handle_invalid)
    api.add_exception_handler(HTTPException, _handle_http_exception)
    api.add_exception_handler(Exception, _handle_unexpected)


async def _handle_expected(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WellwornError)  # noqa: S101 - narrows for the checker
    _log_failure(error)
    return respond_to(error)


def describe_failure(error: Exception) -> dict[str, dict[str, str]]:
    """Return the body for an error that is told in the middle of an answer; log it as others."""
    _log_failure(error)
    if isinstance(error, WellwornError):
        return body_of(error.code, error.message)
    return body_of("INTERNAL_ERROR", _UNEXPECTED)


def _log_failure(error: Exception) -> None:
    if not isinstance(error, WellwornError):
        _log.error("unexpected error", exc_info=error)
    elif STATUS_OF_CODE[error.code] >= 500:  # noqa: PLR2004
        _log.error("%s: %s", error.code, error.message, exc_info=error)


def respond_to(error: WellwornError) -> JSONResponse:
    """Return an error as its response."""
    return response_of(error.code, error.message, _headers_of(error))


def _headers_of(error: WellwornError) -> dict[str, str] | None:
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="wellworn"'}
    if isinstance(error, Overloaded):
        return {"Retry-After": str(error.retry_after_s)}
    if isinstance(error, RateLimited):
        left = {"RateLimit-Limit": str(error.limit), "RateLimit-Remaining": "0"}
        wait = str(error.retry_after_s)
        return {**left, "RateLimit-Reset": wait, "Retry-After": wait}
    return None


async def _handle_invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - narrows for the checker
    first = error.errors()[0]
    code = "VALIDATION_ERROR"
    if _field(first["loc"]) == "thought_type" and first["type"] in {"enum", "string_type"}:
        code = "INVALID_THOUGHT_TYPE"
    return response_of(code, complaint(first))


async def _handle_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - narrows for the checker
    code, message = _OF_STATUS.get(error.status_code, ("VALIDATION_ERROR", _MALFORMED))
    headers = dict(error.headers or {})
    if code == "METHOD_NOT_ALLOWED":
        headers["Allow"] = ", ".join(_list_methods(request))
    return response_of(code, message, headers)


def _list_methods(request: Request) -> list[str]:
    """Return every method of the path; the router names those of its first route only."""
    routes = request.app.router.routes
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    ]


async def _handle_unexpected(_request: Request, error: Exception) -> JSONResponse:
    _log_failure(error)
    return response_of("INTERNAL_ERROR", _UNEXPECTED)


def complaint(error: dict[str, Any]) -> str:
    """Say what one pydantic error asks to be changed, without repeating what was sent."""
    kind, bounds = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return _MALFORMED
    if kind == "extra_forbidden":
        return "unknown field; GET /api/v1/openapi.json lists the fields of every endpoint"
    field = _field(error["loc"])
    if kind == "missing":
        return f"{field} is required" + _AND_NON_EMPTY.get(field, "")
    if kind == "value_error":
        return f"{field} {bounds['error']}"
    wanted = _WANTED.get(kind)
    return f"{field} must be {wanted.format(**bounds)}" if wanted else f"{field} is not valid"


_TEXTS: tuple[str, ...] = (
    *("prompt", "agent_id", "agent_name", "query"),
    *("content", "contributor_id", "contributor_name"),
)
_AND_NON_EMPTY: dict[str, str] = dict.fromkeys(_TEXTS, " and must be a non-empty string")
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


def _field(location: Sequence[int | str]) -> str:
    """Name the field an error is about: `tags[2]`, `metadata.domain`, or the body itself."""
    named = ""
    for part in location[1:]:
        if isinstance(part, int):
            named += f"[{part}]"
        else:
            named += f".{part}" if named else part
    return named or "the request body"
