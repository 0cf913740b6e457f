"""Credentials over HTTP: made, listed, renewed, revoked. A key is told once, when it is made."""

from __future__ import annotations

from typing import Any

from wellworn.client.calls import SpaceCalls
from wellworn.domain.spaces import Role
from wellworn.interfaces.http.access import Known, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve

router = create_router("credentials")


@serve(router, SpaceCalls.create_credential)
def create(app: Opened, principal: Known, *, role: str | None, **asked: Any) -> object:
    return app.administration.issue(principal, role=Role(role) if role else None, **asked)


@serve(router, SpaceCalls.credentials)
def list_credentials(app: Opened, principal: Known) -> object:
    return app.credentials.list_credentials(principal)


@serve(router, SpaceCalls.rotate_credential)
def rotate(app: Opened, principal: Known, kid: str) -> object:
    return app.administration.renew(principal, kid)


@serve(router, SpaceCalls.revoke_credential)
def revoke(app: Opened, principal: Known, kid: str) -> object:
    return app.administration.revoke_credential(principal, kid)
