"""Spaces over HTTP: founded, shared by invitation, given new keys, deleted.

The space is in the path; a space that the caller may not know of is answered like none.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from starlette.concurrency import run_in_threadpool

from wellworn.client import models as shapes
from wellworn.client.calls import SpaceCalls
from wellworn.domain.spaces import Access, Role, Space
from wellworn.interfaces.http.access import Known, Newcomer, Opened, access_to
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve
from wellworn.kit.clock import from_iso

router = create_router("spaces")

SpaceId = Annotated[str, Path(min_length=1, max_length=100, description="Id of a space.")]


async def _enter(space: SpaceId, request: Request) -> Access:
    return await run_in_threadpool(access_to, request, space)


Entered = Annotated[Access, Depends(_enter)]


@serve(router, SpaceCalls.create_space)
def create(app: Opened, principal: Known, *, unconfirmed_hours: int, **asked: Any) -> object:
    settings = {"unconfirmed_hours": unconfirmed_hours}
    founded = app.administration.create(principal, settings=settings, **asked)
    issued = None if founded.issued is None else shapes.Issued.of(founded.issued)
    return shapes.NewSpace(space=shapes.Space.of(founded.space, role=Role.ADMIN), issued=issued)


@serve(router, SpaceCalls.spaces)
def list_spaces(app: Opened, principal: Known) -> object:
    entered = app.administration.list_spaces(principal)
    return [shapes.Space.of(space, role=role) for space, role in entered]


@serve(router, SpaceCalls.space)
def show(app: Opened, access: Entered) -> object:
    return _describe(app.administration.get(access), access)


@serve(router, SpaceCalls.change_space)
def change(app: Opened, access: Entered, unconfirmed_hours: int) -> object:
    space = app.administration.change(access, unconfirmed_hours=unconfirmed_hours)
    return _describe(space, access)


def _describe(space: Space, access: Access) -> shapes.Space:
    return shapes.Space.of(space, role=access.role)


@serve(router, SpaceCalls.delete_space)
def delete(app: Opened, access: Entered) -> object:
    app.administration.delete(access)
    return access.space


@serve(router, SpaceCalls.members)
def list_members(app: Opened, access: Entered) -> object:
    members, pending = app.administration.members(access)
    return {"members": members, "invitations": pending}


@serve(router, SpaceCalls.appoint)
def appoint(app: Opened, access: Entered, member_id: str, role: str) -> object:
    appointment = app.administration.appoint(access, member_id, Role(role))
    described = shapes.Membership.of(appointment.membership)
    return shapes.Appointed(**dict(described), ended_invitations=appointment.ended_invitations)


@serve(router, SpaceCalls.revoke_member)
def revoke(app: Opened, access: Entered, member_id: str) -> object:
    app.administration.revoke(access, member_id)
    return member_id


@serve(router, SpaceCalls.leave)
def leave(app: Opened, access: Entered) -> object:
    return {"left": access.space, "key_renewed": app.administration.leave(access)}


@serve(router, SpaceCalls.invite)
def invite(app: Opened, access: Entered, role: str, lifetime_s: int) -> object:
    return app.administration.invite(access, Role(role), lifetime_s=lifetime_s)


@serve(router, SpaceCalls.withdraw_invitation)
def withdraw(app: Opened, access: Entered, invitation_id: str) -> object:
    app.administration.withdraw(access, invitation_id)
    return invitation_id


@serve(router, SpaceCalls.seal)
def seal(app: Opened, access: Entered) -> object:
    return _describe(app.administration.seal(access), access)


@serve(router, SpaceCalls.unseal)
def unseal(app: Opened, access: Entered) -> object:
    return _describe(*app.administration.unseal(access))


@serve(router, SpaceCalls.rotate)
def rotate(app: Opened, access: Entered) -> object:
    return _describe(app.administration.rotate(access), access)


@serve(router, SpaceCalls.reseal)
def reseal(app: Opened, access: Entered) -> object:
    return _describe(app.administration.reseal(access), access)


@serve(router, SpaceCalls.roll_back)
def roll_back(app: Opened, access: Entered, owner: str, since: str, *, dry_run: bool) -> object:
    return app.administration.roll_back(access, owner, since=from_iso(since), dry_run=dry_run)


@serve(router, SpaceCalls.join)
def join(app: Opened, principal: Newcomer, token: str, name: str) -> object:
    return app.administration.join(token, principal, name)
