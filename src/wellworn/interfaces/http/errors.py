"""The one table from errors to HTTP, and the one shape they all have.

A message says what to change; it contains neither what was sent nor where the server keeps things.
"""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from wellworn.errors import (
    DatabaseAway,
    HeldElsewhere,
    IndexDamaged,
    Overloaded,
    RateLimited,
    Unauthenticated,
    WellwornError,
)
from wellworn.interfaces.complaints import (
    MALFORMED,
    STATUS_OF_CODE,
    describe_fault,
    name_field,
)

_OF_STATUS = {
    404: ("NOT_FOUND", "no such endpoint; GET /api/v1/ lists them"),
    405: ("METHOD_NOT_ALLOWED", "this endpoint does not take that method; see the Allow header"),
    413: ("PAYLOAD_TOO_LARGE", "the request body is too large"),
}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
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
        # Where several servers are, to be sent to another one is an answer as any.
        trace = None if isinstance(error, HeldElsewhere) else error
        _log.error("%s: %s", error.code, error.message, exc_info=trace)


def respond_to(error: WellwornError) -> JSONResponse:
    """Return an error as its response."""
    return response_of(error.code, error.message, _headers_of(error))


def _headers_of(error: WellwornError) -> dict[str, str] | None:
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="wellworn"'}
    if isinstance(error, DatabaseAway | IndexDamaged | Overloaded):
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
    if name_field(first["loc"][1:]) == "thought_type" and first["type"] in {"enum", "string_type"}:
        code = "INVALID_THOUGHT_TYPE"
    return response_of(code, describe_fault(first, first["loc"][1:]))


async def _handle_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - narrows for the checker
    code, message = _OF_STATUS.get(error.status_code, ("VALIDATION_ERROR", MALFORMED))
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
