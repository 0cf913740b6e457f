"""Spaces: which there are, who belongs to this one, and whether it is sealed."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.domain.spaces import Role
from wellworn.errors import InvalidInput
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen

table = PageTable()

_A_WEEK_S: Final = 7 * 24 * 3600


@table.get("/spaces")
def show_spaces(request: PageRequest) -> Screen:
    """Return this space with its members, and the others that the caller may enter."""
    return Screen(
        "spaces.html",
        {**_describe(request), "invited": None},
        command=f"wellworn space members --space {request.access.space}",
        call=f"GET /api/v1/spaces/{request.access.space}/members",
    )


def _describe(request: PageRequest) -> dict[str, object]:
    administration, access = request.app.administration, request.access
    members, invitations = administration.members(access)
    entered = administration.list_spaces(access.credential)
    return {
        "space": shapes.Space.of(administration.get(access), role=access.role),
        "members": list(map(shapes.Membership.of, members)),
        "invitations": list(map(shapes.Invitation.of, invitations)),
        "spaces": [shapes.Space.of(space, role=role) for space, role in entered],
        "roles": [role.value for role in Role],
    }


@table.post("/spaces/invite")
def invite(request: PageRequest) -> Screen:
    """Make an invitation; its token is shown this once."""
    role = request.form.get("role", "")
    if role not in {*Role}:
        raise InvalidInput(f"role must be one of: {', '.join(Role)}")
    invited = request.app.administration.invite(request.access, Role(role), lifetime_s=_A_WEEK_S)
    return Screen(
        "spaces.html",
        {**_describe(request), "invited": shapes.Invited.of(invited)},
        command=f"wellworn space invite --role {role}",
        call=f"POST /api/v1/spaces/{request.access.space}/invitations",
    )
