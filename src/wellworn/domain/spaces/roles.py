"""Decides who may get which role in a space, and what must stay so that it is looked after.

Only an admin changes roles, and none is above theirs: so nobody raises themselves. A credential
does the least of what it and its member may, so every one of a member's follows at once.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.spaces.models import Access, Membership, Mode, Role
from wellworn.errors import CredentialNotFound, Forbidden


def find_membership(belonging: Sequence[Membership], member_id: str) -> Membership:
    """Return one membership.

    Raises:
        CredentialNotFound: there is none.
    """
    for membership in belonging:
        if membership.member.id == member_id:
            return membership
    raise CredentialNotFound("no member of this space has this id")


def require_another_admin(belonging: Sequence[Membership], member_id: str) -> None:
    """Refuse to take the last admin away.

    Raises:
        Forbidden: the member is it.
    """
    admins = {membership.member.id for membership in belonging if membership.role is Role.ADMIN}
    if admins == {member_id}:
        message = "the last admin cannot leave: appoint another first, or delete the space"
        raise Forbidden(message)


def require_appointable(
    access: Access, belonging: Sequence[Membership], member_id: str, role: Role
) -> None:
    """Refuse a role that cannot be given.

    Raises:
        Forbidden: the caller is no admin; the last admin would be lowered; or an admin of a sealed
            space lowers themselves, who as the author of its next key would stay one.
        CredentialNotFound: no such member.
    """
    access.require(Role.ADMIN)
    before = find_membership(belonging, member_id)
    if role.allows(before.role):
        return
    require_another_admin(belonging, member_id)
    if access.mode is Mode.SEALED and member_id == access.principal:
        raise Forbidden("in a sealed space, another admin must lower your role")
