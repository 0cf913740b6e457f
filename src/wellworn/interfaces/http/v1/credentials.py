"""Credentials over HTTP: made, listed, renewed, revoked. A key is told once, when it is made."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from wellworn.client.models import Credential, Credentials, Issued, Revoked
from wellworn.interfaces.http.access import Known, Opened
from wellworn.interfaces.http.membership import CredentialRequest
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("credentials")

Kid = Annotated[str, Path(min_length=1, max_length=64, description="Number of a credential.")]


@router.post("/credentials", responses=failures(400, 413, 415))
def create(body: CredentialRequest, app: Opened, principal: Known) -> Issued:
    """Create a credential: a new member's at the open door, else one within the caller's own."""
    issued = app.administration.issue(
        principal,
        body.name,
        role=body.role,
        spaces=body.spaces,
        lifetime_s=body.lifetime_s,
    )
    return Issued.of(issued)


@router.get("/credentials", responses=failures())
def list_credentials(app: Opened, principal: Known) -> Credentials:
    """List the caller's credential and those made from it; at the open door, all of them."""
    return Credentials(
        credentials=tuple(map(Credential.of, app.credentials.list_credentials(principal)))
    )


@router.post("/credentials/{kid}/rotate", responses=failures(400, 404))
def rotate(kid: Kid, app: Opened, principal: Known) -> Issued:
    """Replace a credential's key and number. The old key stops working."""
    return Issued.of(app.administration.renew(principal, kid))


@router.delete("/credentials/{kid}", responses=failures(400, 404))
def revoke(kid: Kid, app: Opened, principal: Known) -> Revoked:
    """Revoke a credential and every credential made from it, at once."""
    return Revoked(revoked=app.administration.revoke_credential(principal, kid))
