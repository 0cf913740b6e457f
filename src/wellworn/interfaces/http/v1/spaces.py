"""Spaces over HTTP: founded, shared by invitation, given new keys, deleted.

The space is in the path; a space that the caller may not know of is answered like none.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request
from starlette.concurrency import run_in_threadpool

from wellworn.client import models as shapes
from wellworn.domain.spaces import Access, Role, Space
from wellworn.interfaces.http.access import Known, Newcomer, Opened, access_to
from wellworn.interfaces.http.membership import (
    AppointmentRequest,
    ChangedSpaceRequest,
    InvitationRequest,
    JoinRequest,
    RollbackRequest,
    SpaceRequest,
)
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("spaces")

SpaceId = Annotated[str, Path(min_length=1, max_length=100, description="Id of a space.")]
MemberId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a member.")]


async def _enter(space: SpaceId, request: Request) -> Access:
    return await run_in_threadpool(access_to, request, space)


Entered = Annotated[Access, Depends(_enter)]


@router.post("/spaces", responses=failures(400, 413, 415))
def create(body: SpaceRequest, app: Opened, principal: Known) -> shapes.NewSpace:
    """Create a space with the caller as its admin; at the open door, with a new member and key."""
    founded = app.administration.create(
        principal,
        body.name,
        sealed=body.sealed,
        member_name=body.member_name,
        settings={"unconfirmed_hours": body.unconfirmed_hours},
    )
    issued = None if founded.issued is None else shapes.Issued.of(founded.issued)
    return shapes.NewSpace(space=shapes.Space.of(founded.space, role=Role.ADMIN), issued=issued)


@router.get("/spaces", responses=failures())
def list_spaces(app: Opened, principal: Known) -> shapes.Spaces:
    """List the spaces that the caller may enter."""
    entered = app.administration.list_spaces(principal)
    return shapes.Spaces(spaces=tuple(shapes.Space.of(space, role=role) for space, role in entered))


@router.get("/spaces/{space}", responses=failures(400, 404))
def show(app: Opened, access: Entered) -> shapes.Space:
    """Return one space."""
    return _describe(app.administration.get(access), access)


@router.put("/spaces/{space}", responses=failures(400, 404, 413, 415))
def change(body: ChangedSpaceRequest, app: Opened, access: Entered) -> shapes.Space:
    """Change how long what members say from now on stays unconfirmed."""
    hours = body.unconfirmed_hours
    return _describe(app.administration.change(access, unconfirmed_hours=hours), access)


def _describe(space: Space, access: Access) -> shapes.Space:
    return shapes.Space.of(space, role=access.role)


@router.delete("/spaces/{space}", responses=failures(400, 404))
def delete(app: Opened, access: Entered) -> shapes.Deleted:
    """Delete a space and everything in it. The keys of a sealed space are destroyed."""
    app.administration.delete(access)
    return shapes.Deleted(deleted=access.space)


@router.get("/spaces/{space}/members", responses=failures(400, 404))
def list_members(app: Opened, access: Entered) -> shapes.Members:
    """List the members of a space and, for admins, its open invitations."""
    members, pending = app.administration.members(access)
    return shapes.Members(
        members=tuple(map(shapes.Membership.of, members)),
        invitations=tuple(map(shapes.Invitation.of, pending)),
    )


@router.put("/spaces/{space}/members/{member}", responses=failures(400, 404, 413, 415))
def appoint(
    member: MemberId, body: AppointmentRequest, app: Opened, access: Entered
) -> shapes.Appointed:
    """Give a member another role. If it is a lesser one, a sealed space gets a new key."""
    appointment = app.administration.appoint(access, member, body.role)
    described = shapes.Membership.of(appointment.membership)
    return shapes.Appointed(**dict(described), ended_invitations=appointment.ended_invitations)


@router.delete("/spaces/{space}/members/{member}", responses=failures(400, 404))
def revoke(member: MemberId, app: Opened, access: Entered) -> shapes.Deleted:
    """End a membership. A sealed space gets a new key and is encrypted again under it."""
    app.administration.revoke(access, member)
    return shapes.Deleted(deleted=member)


@router.post("/spaces/{space}/leave", responses=failures(400, 404))
def leave(app: Opened, access: Entered) -> shapes.Left:
    """End the caller's own membership. A sealed space gets a new key when an admin leaves."""
    is_renewed = app.administration.leave(access)
    return shapes.Left(left=access.space, key_renewed=is_renewed)


@router.post("/spaces/{space}/invitations", responses=failures(400, 404, 413, 415))
def invite(body: InvitationRequest, app: Opened, access: Entered) -> shapes.Invited:
    """Create a token with which one bearer can join once."""
    return shapes.Invited.of(
        app.administration.invite(access, body.role, lifetime_s=body.lifetime_s)
    )


@router.delete("/spaces/{space}/invitations/{invitation}", responses=failures(400, 404))
def withdraw(
    invitation: Annotated[str, Path(min_length=1, max_length=64)], app: Opened, access: Entered
) -> shapes.Deleted:
    """Withdraw an invitation that nobody has accepted."""
    app.administration.withdraw(access, invitation)
    return shapes.Deleted(deleted=invitation)


@router.post("/spaces/{space}/seal", responses=failures(400, 404))
def seal(app: Opened, access: Entered) -> shapes.Space:
    """Seal an open space. All other members must be invited again."""
    return _describe(app.administration.seal(access), access)


@router.post("/spaces/{space}/unseal", responses=failures(400, 404))
def unseal(app: Opened, access: Entered) -> shapes.Space:
    """Turn a sealed space into an open one. One that was created sealed gets another id."""
    space, opened = app.administration.unseal(access)
    return _describe(space, opened)


@router.post("/spaces/{space}/rotate", responses=failures(400, 404))
def rotate(app: Opened, access: Entered) -> shapes.Space:
    """Encrypt a sealed space again under a new key. Open invitations end."""
    return _describe(app.administration.rotate(access), access)


@router.post("/spaces/{space}/reseal", responses=failures(400, 404))
def reseal(app: Opened, access: Entered) -> shapes.Space:
    """Encrypt everything in a sealed space again under its present key."""
    return _describe(app.administration.reseal(access), access)


@router.post("/spaces/{space}/rollback", responses=failures(400, 404, 413, 415))
def roll_back(body: RollbackRequest, app: Opened, access: Entered) -> shapes.RolledBack:
    """Take back everything that one member wrote or strengthened since a moment."""
    return shapes.RolledBack.of(
        app.administration.roll_back(access, body.owner, since=body.moment, dry_run=body.dry_run)
    )


@router.post("/invitations/accept", responses=failures(400, 404, 413, 415))
def join(body: JoinRequest, app: Opened, principal: Newcomer) -> shapes.Joined:
    """Accept an invitation, as the caller or, without a credential, as a new member."""
    return shapes.Joined.of(app.administration.join(body.token, principal, body.name))
