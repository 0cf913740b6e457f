"""Who belongs to a space: members, their roles, and invitations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.client.decode import decode
from wellworn.client.models import Invited, Joined, Members, Membership
from wellworn.client.paths import path_of

if TYPE_CHECKING:
    from typing import Any

    from wellworn.client.wire import Connection

_LONG_S = 300.0
"""How long it may take to seal a space anew."""


class MembershipClient:
    """The calls about members of spaces and invitations."""

    _wire: Connection

    def members(self, space_id: str) -> Members:
        """List who belongs to a space and, for admins, its open invitations."""
        return decode(Members, self._wire.send("GET", path_of("spaces", space_id, "members")))

    def invite(
        self, space_id: str, *, role: str = "contributor", lifetime_s: int | None = None
    ) -> Invited:
        """Make a token with which one bearer may join once, by default within a week."""
        body = {"role": role} | ({} if lifetime_s is None else {"lifetime_s": lifetime_s})
        path = path_of("spaces", space_id, "invitations")
        return decode(Invited, self._change_membership("POST", path, body))

    def withdraw_invitation(self, space_id: str, invitation_id: str) -> None:
        """Take back an invitation that nobody has accepted."""
        self._change_membership("DELETE", path_of("spaces", space_id, "invitations", invitation_id))

    def join(self, token: str, *, name: str = "agent") -> Joined:
        """Accept an invitation; without a key as a new member, called `name`."""
        body = {"token": token, "name": name}
        return decode(
            Joined, self._change_membership("POST", path_of("invitations", "accept"), body)
        )

    def appoint(self, space_id: str, member_id: str, role: str) -> Membership:
        """Give a member another role; a sealed space gets a new key, and is sealed anew."""
        path = path_of("spaces", space_id, "members", member_id)
        return decode(Membership, self._change_membership("PUT", path, {"role": role}))

    def revoke_member(self, space_id: str, member_id: str) -> None:
        """End a membership; a sealed space gets a new key, and all it holds is sealed anew."""
        self._change_membership("DELETE", path_of("spaces", space_id, "members", member_id))

    def _change_membership(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> bytes:
        return self._wire.send(method, path, body=body, timeout_s=_LONG_S, once=True)
