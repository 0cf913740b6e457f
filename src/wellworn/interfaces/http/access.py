"""Finds the memory of a request and what the caller may do there.

The credential comes as `Authorization: Bearer` or as `X-API-Key`, the space as `Wellworn-Space`.
Who is at the open door is answered without a look into the database.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from wellworn.application.calls import Allowance, App, CallClass
from wellworn.domain.spaces import Access, Principal, parse_credential

SPACE = "wellworn-space"
ALLOWANCE = "allowance"
"""The place in the request's state where the gate finds what is left of the caller's rate."""

_READS = frozenset({"GET", "HEAD"})
_READING_POSTS = ("/query", "/retrieve", "/api/knowledge/resolve")
_TRANSFERS = ("/import", "/export")
_ADMINISTRATION = ("/spaces", "/credentials", "/audit", "/invitations")


async def get_app(request: Request) -> App:
    return request.app.state.memory_app


async def get_access(request: Request) -> Access:
    """Return what the caller may do in the space that the request names."""
    space = request.headers.get(SPACE)
    if _read_credential(request) is None:
        app: App = request.app.state.memory_app
        return app.admission.authenticator.enter(None, space)
    return await run_in_threadpool(access_to, request, space)


def access_to(request: Request, space: str | None) -> Access:
    """Return what the caller may do in a space; waits for the database."""
    app: App = request.app.state.memory_app
    access, allowance = app.admission.enter(
        _read_credential(request), space, kind=_class_of(request), address=get_address(request)
    )
    _tell(request, allowance)
    return access


async def get_principal(request: Request) -> Principal | None:
    """Return who is calling, in no space; None at the open door."""
    if _read_credential(request) is None:
        app: App = request.app.state.memory_app
        return app.admission.authenticator.recognise(None)
    return await run_in_threadpool(_principal_of, request)


def _principal_of(request: Request) -> Principal | None:
    app: App = request.app.state.memory_app
    principal, allowance = app.admission.recognise(
        _read_credential(request), kind=_class_of(request), address=get_address(request)
    )
    _tell(request, allowance)
    return principal


async def get_newcomer(request: Request) -> Principal | None:
    """Return who is calling; None without a credential, wherever the server listens."""
    app: App = request.app.state.memory_app
    if _read_credential(request) is not None:
        return await get_principal(request)
    await run_in_threadpool(app.admission.admit_newcomer, get_address(request))
    return None


def _read_credential(request: Request) -> str | None:
    headers = request.headers
    return parse_credential(headers.get("authorization"), api_key=headers.get("x-api-key"))


def _tell(request: Request, allowance: Allowance | None) -> None:
    """Leave what is left of a member's rate where the gate finds it."""
    if allowance is not None:
        setattr(request.state, ALLOWANCE, allowance)


def get_address(request: Request) -> str:
    """Return where a call comes from."""
    return request.client.host if request.client else "unknown"


def _class_of(request: Request) -> CallClass:
    path = request.url.path.removeprefix("/api/v1")
    if path.startswith(_ADMINISTRATION):
        return CallClass.ADMINISTRATION
    if path.startswith(_TRANSFERS):
        return CallClass.TRANSFER
    if request.method in _READS or path in _READING_POSTS:
        return CallClass.READ
    return CallClass.WRITE


Opened = Annotated[App, Depends(get_app)]
Allowed = Annotated[Access, Depends(get_access)]
Known = Annotated[Principal | None, Depends(get_principal)]
Newcomer = Annotated[Principal | None, Depends(get_newcomer)]


def get_caller(request: Request, _access: Allowed) -> tuple[str, ...]:
    """Return whose share a long call takes, as `AdmissionControl.name_caller`."""
    app: App = request.app.state.memory_app
    return app.admission.name_caller(_read_credential(request), get_address(request))


Caller = Annotated[tuple[str, ...], Depends(get_caller)]
