"""Spaces over HTTP: founded, shared by invitation, given new keys, deleted.

The space is in the path; a space that the caller may not know of is answered like none.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from wellworn.domain.spaces import Access
from wellworn.interfaces.http import belonging
from wellworn.interfaces.http.access import Known, Newcomer, Opened, access_to
from wellworn.interfaces.http.belonging import (
    AppointmentRequest,
    InvitationRequest,
    JoinRequest,
    RollbackRequest,
    SpaceRequest,
)
from wellworn.interfaces.http.belonging_replies import (
    DeletedReply,
    InvitedReply,
    JoinedReply,
    MembershipReply,
    MembersReply,
    NewSpaceReply,
    RollbackReply,
    SpaceReply,
    SpacesReply,
)
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["spaces"])

SpaceId = Annotated[str, Path(min_length=1, max_length=100, description="Id of a space.")]
MemberId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a member.")]


async def _entered(space: SpaceId, request: Request) -> Access:
    return await run_in_threadpool(access_to, request, space)


Entered = Annotated[Access, Depends(_entered)]


@router.post("/spaces", response_model=NewSpaceReply, responses=failures(400, 413, 415))
def found(body: SpaceRequest, app: Opened, principal: Known) -> JSONResponse:
    """Make a space with the caller as its admin; at the open door, with a new member and key."""
    made = app.administration.found(
        principal, body.name, sealed=body.sealed, member_name=body.member_name
    )
    return JSONResponse(belonging.founded(made))


@router.get("/spaces", response_model=SpacesReply, responses=failures())
def listed(app: Opened, principal: Known) -> JSONResponse:
    """List the spaces that the caller may enter."""
    spaces = [belonging.space(one, role) for one, role in app.administration.listed(principal)]
    return JSONResponse({"spaces": spaces})


@router.get("/spaces/{space}", response_model=SpaceReply, responses=failures(400, 404))
def shown(app: Opened, access: Entered) -> JSONResponse:
    """Show one space."""
    return JSONResponse(belonging.space(app.administration.shown(access), access.role))


@router.delete("/spaces/{space}", response_model=DeletedReply, responses=failures(400, 404))
def delete(app: Opened, access: Entered) -> JSONResponse:
    """Delete a space with all it holds; of a sealed one the keys go too."""
    app.administration.delete(access)
    return JSONResponse({"deleted": access.space})


@router.get("/spaces/{space}/members", response_model=MembersReply, responses=failures(400, 404))
def members(app: Opened, access: Entered) -> JSONResponse:
    """List who belongs to a space and, to admins, its open invitations."""
    return JSONResponse(belonging.members(*app.administration.members(access)))


@router.put(
    "/spaces/{space}/members/{member}",
    response_model=MembershipReply,
    responses=failures(400, 404, 413, 415),
)
def appoint(
    member: MemberId, body: AppointmentRequest, app: Opened, access: Entered
) -> JSONResponse:
    """Give a member another role; a sealed space gets a new key and is sealed anew under it."""
    appointed = app.administration.appoint(access, member, body.role)
    return JSONResponse(belonging.membership(appointed))


@router.delete(
    "/spaces/{space}/members/{member}", response_model=DeletedReply, responses=failures(400, 404)
)
def revoke(member: MemberId, app: Opened, access: Entered) -> JSONResponse:
    """End a membership; a sealed space gets a new key and is sealed anew under it."""
    app.administration.revoke(access, member)
    return JSONResponse({"deleted": member})


@router.post(
    "/spaces/{space}/invitations",
    response_model=InvitedReply,
    responses=failures(400, 404, 413, 415),
)
def invite(body: InvitationRequest, app: Opened, access: Entered) -> JSONResponse:
    """Make a token with which one bearer may join once."""
    invited = app.administration.invite(access, body.role, lifetime_s=body.lifetime_s)
    return JSONResponse(belonging.invited(invited))


@router.delete(
    "/spaces/{space}/invitations/{invitation}",
    response_model=DeletedReply,
    responses=failures(400, 404),
)
def withdraw(
    invitation: Annotated[str, Path(min_length=1, max_length=64)], app: Opened, access: Entered
) -> JSONResponse:
    """Take back an invitation that nobody has accepted."""
    app.administration.withdraw(access, invitation)
    return JSONResponse({"deleted": invitation})


@router.post("/spaces/{space}/seal", response_model=SpaceReply, responses=failures(400, 404))
def seal(app: Opened, access: Entered) -> JSONResponse:
    """Turn an open space into a sealed one; all other members must be invited again."""
    return JSONResponse(belonging.space(app.administration.seal(access), access.role))


@router.post("/spaces/{space}/rotate", response_model=SpaceReply, responses=failures(400, 404))
def rotate(app: Opened, access: Entered) -> JSONResponse:
    """Give a sealed space a new key and seal all it holds anew; open invitations end."""
    return JSONResponse(belonging.space(app.administration.rotate(access), access.role))


@router.post("/spaces/{space}/reseal", response_model=SpaceReply, responses=failures(400, 404))
def reseal(app: Opened, access: Entered) -> JSONResponse:
    """Write all that a sealed space holds anew under its present key."""
    return JSONResponse(belonging.space(app.administration.reseal(access), access.role))


@router.post(
    "/spaces/{space}/rollback",
    response_model=RollbackReply,
    responses=failures(400, 404, 413, 415),
)
def rollback(body: RollbackRequest, app: Opened, access: Entered) -> JSONResponse:
    """Take back everything one member wrote and wore since a moment."""
    done = app.administration.roll_back(access, body.owner, since=body.moment, dry_run=body.dry_run)
    return JSONResponse(belonging.rolled_back(done))


@router.post(
    "/invitations/accept", response_model=JoinedReply, responses=failures(400, 404, 413, 415)
)
def join(body: JoinRequest, app: Opened, principal: Newcomer) -> JSONResponse:
    """Accept an invitation, as the caller or, without a credential, as a new member."""
    return JSONResponse(belonging.joined(app.administration.join(body.token, principal, body.name)))
