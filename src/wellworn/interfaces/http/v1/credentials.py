"""Credentials over HTTP: made, listed, renewed, revoked. A key is told once, when it is made."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from wellworn.interfaces.http import belonging
from wellworn.interfaces.http.access import Known, Opened
from wellworn.interfaces.http.belonging import CredentialRequest
from wellworn.interfaces.http.belonging_replies import (
    CredentialReply,
    CredentialsReply,
    IssuedReply,
    RevokedReply,
)
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["credentials"])

Kid = Annotated[str, Path(min_length=1, max_length=64, description="Number of a credential.")]


@router.post("/credentials", response_model=IssuedReply, responses=failures(400, 413, 415))
def create(body: CredentialRequest, app: Opened, principal: Known) -> JSONResponse:
    """Make a credential: at the open door a new member's, else one within the caller's own."""
    issued = app.administration.issue(
        principal,
        body.name,
        role=body.role,
        spaces=body.spaces,
        lifetime_s=body.lifetime_s,
    )
    return JSONResponse(belonging.issued(issued))


@router.get("/credentials", response_model=CredentialsReply, responses=failures())
def listed(app: Opened, principal: Known) -> JSONResponse:
    """List the caller's credential and those made from it; at the open door, all."""
    found = app.credentials.listed(principal)
    return JSONResponse({"credentials": [belonging.credential(one) for one in found]})


@router.post("/credentials/{kid}/rotate", response_model=IssuedReply, responses=failures(400, 404))
def rotate(kid: Kid, app: Opened, principal: Known) -> JSONResponse:
    """Give a credential a new key under a new number; the old key ends."""
    return JSONResponse(belonging.issued(app.administration.renew(principal, kid)))


@router.delete("/credentials/{kid}", response_model=RevokedReply, responses=failures(400, 404))
def revoke(kid: Kid, app: Opened, principal: Known) -> JSONResponse:
    """End a credential and every one made from it, at once."""
    revoked: dict[str, Any] = {"revoked": app.administration.revoke_credential(principal, kid)}
    return JSONResponse(revoked)


_ = CredentialReply
