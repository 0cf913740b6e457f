"""Spaces: credentials, members, invitations, keys, and the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from wellworn.client import models
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_call, wrap_stream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from wellworn.client.wire import Connection

Value = TypeVar("Value")

_LONG_S = 300.0
"""How long it may take to seal a space anew."""


class SpaceClient:
    """The calls about spaces and who may enter them."""

    _wire: Connection

    @wrap_call
    async def create_credential(
        self,
        name: str,
        *,
        role: str | None = None,
        spaces: Sequence[str] | None = None,
        lifetime_s: int | None = None,
    ) -> models.Issued:
        """Make a credential: without a key a new member's, else one within the caller's own.

        `role` is "reader", "contributor" or "admin", `spaces` are ids.
        """
        ids = None if spaces is None else list(spaces)
        body = {"name": name, "role": role, "spaces": ids, "lifetime_s": lifetime_s}
        return await self._change(models.Issued, "POST", "credentials", body=body)

    @wrap_call
    async def credentials(self) -> tuple[models.Credential, ...]:
        """List the caller's credential and those made from it; at the open door, all."""
        return (await self._wire.get(models.Credentials, path_of("credentials"))).credentials

    @wrap_call
    async def rotate_credential(self, kid: str) -> models.Issued:
        """Give a credential a new key under a new number; the old key ends."""
        return await self._change(models.Issued, "POST", "credentials", kid, "rotate")

    @wrap_call
    async def revoke_credential(self, kid: str) -> int:
        """End a credential and every one made from it; return how many ended."""
        return (await self._change(models.Revoked, "DELETE", "credentials", kid)).revoked

    @wrap_call
    async def create_space(
        self,
        name: str,
        *,
        sealed: bool = False,
        member_name: str = "owner",
        unconfirmed_hours: int = 0,
    ) -> models.NewSpace:
        """Make a space with the caller as its admin.

        Without a key that is a new member, called `member_name`, whose key is in the answer.
        What members say is marked as unconfirmed for `unconfirmed_hours`, 0 to 8,760, unless
        somebody else confirms it.
        """
        body = {
            "name": name,
            "sealed": sealed,
            "member_name": member_name,
            "unconfirmed_hours": unconfirmed_hours,
        }
        return await self._change(models.NewSpace, "POST", "spaces", body=body)

    @wrap_call
    async def spaces(self) -> tuple[models.Space, ...]:
        """List the spaces that the caller may enter."""
        return (await self._wire.get(models.Spaces, path_of("spaces"))).spaces

    @wrap_call
    async def space(self, space_id: str) -> models.Space:
        """Read what one space is."""
        return await self._wire.get(models.Space, path_of("spaces", space_id))

    @wrap_call
    async def change_space(self, space_id: str, *, unconfirmed_hours: int) -> models.Space:
        """Change for how long what members say from now on is unconfirmed; 0 is off."""
        body = {"unconfirmed_hours": unconfirmed_hours}
        return await self._change(models.Space, "PUT", "spaces", space_id, body=body)

    @wrap_call
    async def delete_space(self, space_id: str) -> None:
        """Delete a space with all it holds, for good; of a sealed one the keys go too."""
        await self._change(bytes, "DELETE", "spaces", space_id)

    @wrap_call
    async def members(self, space_id: str) -> models.Members:
        """List who belongs to a space and, for admins, its open invitations."""
        return await self._wire.get(models.Members, path_of("spaces", space_id, "members"))

    @wrap_call
    async def invite(
        self, space_id: str, *, role: str = "contributor", lifetime_s: int | None = None
    ) -> models.Invited:
        """Make a token with which one bearer may join once, by default within a week."""
        body = {"role": role, "lifetime_s": lifetime_s}
        return await self._change(
            models.Invited, "POST", "spaces", space_id, "invitations", body=body
        )

    @wrap_call
    async def withdraw_invitation(self, space_id: str, invitation_id: str) -> None:
        """Take back an invitation that nobody has accepted."""
        await self._change(bytes, "DELETE", "spaces", space_id, "invitations", invitation_id)

    @wrap_call
    async def join(self, token: str, *, name: str = "agent") -> models.Joined:
        """Accept an invitation; without a key as a new member, called `name`."""
        body = {"token": token, "name": name}
        return await self._change(models.Joined, "POST", "invitations", "accept", body=body)

    @wrap_call
    async def appoint(self, space_id: str, member_id: str, role: str) -> models.Appointed:
        """Give a member another role; a lesser one gives a sealed space a new key.

        With a new key open invitations end; the answer names them.
        """
        return await self._change(
            models.Appointed, "PUT", "spaces", space_id, "members", member_id, body={"role": role}
        )

    @wrap_call
    async def revoke_member(self, space_id: str, member_id: str) -> None:
        """End a membership; a sealed space gets a new key, and all it holds is sealed anew."""
        await self._change(bytes, "DELETE", "spaces", space_id, "members", member_id)

    @wrap_call
    async def leave(self, space_id: str) -> models.Left:
        """End the caller's own membership; back leads only a new invitation."""
        return await self._change(models.Left, "POST", "spaces", space_id, "leave")

    @wrap_call
    async def seal(self, space_id: str) -> models.Space:
        """Turn an open space into a sealed one; its other members must be invited again."""
        return await self._change(models.Space, "POST", "spaces", space_id, "seal")

    @wrap_call
    async def unseal(self, space_id: str) -> models.Space:
        """Turn a sealed space into an open one; one that was founded sealed gets another id."""
        return await self._change(models.Space, "POST", "spaces", space_id, "unseal")

    @wrap_call
    async def rotate(self, space_id: str) -> models.Space:
        """Give a sealed space a new key; open invitations end."""
        return await self._change(models.Space, "POST", "spaces", space_id, "rotate")

    @wrap_call
    async def reseal(self, space_id: str) -> models.Space:
        """Write all that a sealed space holds anew under its present key."""
        return await self._change(models.Space, "POST", "spaces", space_id, "reseal")

    @wrap_call
    async def roll_back(
        self, space_id: str, owner: str, *, since: str, dry_run: bool = False
    ) -> models.RolledBack:
        """Take back everything that one member wrote and wore since a moment (ISO 8601).

        `owner` is a member's id; where there are no credentials, an agent's.
        """
        body = {"owner": owner, "since": since, "dry_run": dry_run}
        return await self._change(
            models.RolledBack, "POST", "spaces", space_id, "rollback", body=body
        )

    @wrap_call
    async def audit(
        self, *, after: int = 0, limit: int = 100, of: str | None = None
    ) -> tuple[models.AuditEntry, ...]:
        """List who did what in the client's space: at most 1,000 entries, from `after` on."""
        answer = await self._wire.get(
            models.AuditEntries, path_of("audit"), after=after, limit=limit, of=of
        )
        return answer.entries

    @wrap_call
    async def verify_audit(self, *, of: str | None = None) -> models.Verdict:
        """Check the audit trail of the client's space against its chain and its checkpoints."""
        path = path_of("audit", "verify")
        return await self._wire.send(
            models.Verdict, "GET", path, params={"of": of}, timeout_s=_LONG_S
        )

    @wrap_stream
    def export_audit(self, *, of: str | None = None) -> AsyncGenerator[str]:
        """Stream the lines of the audit trail, as they were written; an export only ever grows."""
        return self._wire.stream(path_of("audit", "export"), bytes.decode, timeout_s=_LONG_S, of=of)

    async def _change(
        self, kind: type[Value], method: str, *parts: str, body: Mapping[str, Any] | None = None
    ) -> Value:
        path = path_of(*parts)
        return await self._wire.send(kind, method, path, body=body, timeout_s=_LONG_S, once=True)
