"""Members, credentials, spaces and invitations on the wire: what is asked, how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from wellworn.domain.spaces import (
    Credential,
    Founded,
    Invitation,
    Invited,
    Issued,
    Joined,
    Membership,
    Role,
    Space,
)
from wellworn.domain.thoughts import RolledBack
from wellworn.interfaces.http.fields import Label, Wire
from wellworn.kit.clock import epoch, iso

_LONGEST_LIFE_S = 10 * 365 * 86_400
_USUAL_INVITATION_S = 7 * 86_400
_LONGEST_INVITATION_S = 90 * 86_400

_Role = Annotated[Role, Field(strict=False)]
_SpaceId = Annotated[str, Field(min_length=1, max_length=100)]


def _moment(text: str) -> str:
    try:
        epoch(text)
    except (ValueError, OverflowError):
        message = "must be a time in ISO 8601, such as 2026-02-23T15:00:00Z"
        raise ValueError(message) from None
    return text


class CredentialRequest(Wire):
    """A credential to be made."""

    name: Label = Field(description="At the open door the new member's name, else a label.")
    role: _Role | None = Field(
        default=None, description="The most it may do; default: contributor, or the caller's own."
    )
    spaces: Annotated[list[_SpaceId], Field(max_length=100)] | None = Field(
        default=None, description="Spaces it reaches; default: all that the caller's reaches."
    )
    lifetime_s: Annotated[int, Field(ge=1, le=_LONGEST_LIFE_S)] | None = Field(
        default=None, description="Seconds until it ends; default: with the caller's, or never."
    )


class SpaceRequest(Wire):
    """A space to be made."""

    name: Label
    sealed: bool = Field(default=False, description="Unreadable without a member's key.")
    member_name: Label = Field(
        default="owner", description="Name of the member that is made at the open door."
    )


class AppointmentRequest(Wire):
    """What a member may do from now on."""

    role: _Role


class InvitationRequest(Wire):
    """An invitation to be made."""

    role: _Role = Role.CONTRIBUTOR
    lifetime_s: Annotated[int, Field(ge=1, le=_LONGEST_INVITATION_S)] = _USUAL_INVITATION_S


class JoinRequest(Wire):
    """An invitation to be accepted."""

    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: Label = Field(
        default="agent", description="Name of the new member, when no credential is sent."
    )


class RollbackRequest(Wire):
    """What to take back."""

    owner: Annotated[str, Field(min_length=1, max_length=100)] = Field(
        description="Id of the member; where there are no credentials, the agent's label."
    )
    since: Annotated[str, Field(max_length=40), AfterValidator(_moment)] = Field(
        description="ISO 8601; everything from that moment on goes."
    )
    dry_run: bool = Field(default=False, description="Only count what would go.")

    @property
    def moment(self) -> float:
        return epoch(self.since)


def credential(one: Credential) -> dict[str, Any]:
    return {
        "kid": one.kid,
        "member_id": one.member_id,
        "label": one.label,
        "role": one.role,
        "spaces": None if one.spaces is None else list(one.spaces),
        "parent": one.parent,
        "created_at": iso(one.created_at),
        "expires_at": _time(one.expires_at),
        "revoked_at": _time(one.revoked_at),
        "last_used_at": _time(one.last_used_at),
    }


def issued(one: Issued) -> dict[str, Any]:
    return {"key": one.key, "credential": credential(one.credential)}


def space(one: Space, role: Role) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "mode": one.mode,
        "role": role,
        "epoch": one.epoch,
        "created_at": iso(one.created_at),
        "created_by": one.created_by,
    }


def founded(made: Founded) -> dict[str, Any]:
    told = space(made.space, Role.ADMIN)
    return {"space": told, "issued": None if made.issued is None else issued(made.issued)}


def members(belonging: Sequence[Membership], pending: Sequence[Invitation]) -> dict[str, Any]:
    return {
        "members": [membership(one) for one in belonging],
        "invitations": [invitation(one) for one in pending],
    }


def membership(one: Membership) -> dict[str, Any]:
    return {
        "member_id": one.member.id,
        "name": one.member.name,
        "role": one.role,
        "fingerprint": one.member.fingerprint,
        "granted_at": iso(one.granted_at),
        "granted_by": one.granted_by,
    }


def invitation(one: Invitation) -> dict[str, Any]:
    return {
        "id": one.id,
        "role": one.role,
        "invited_by": one.invited_by,
        "created_at": iso(one.created_at),
        "expires_at": iso(one.expires_at),
    }


def invited(one: Invited) -> dict[str, Any]:
    return {
        "token": one.token,
        "space": one.invitation.space,
        "invitation": invitation(one.invitation),
    }


def joined(one: Joined) -> dict[str, Any]:
    return {
        "space": one.membership.space,
        "membership": membership(one.membership),
        "issued": None if one.issued is None else issued(one.issued),
    }


def rolled_back(done: RolledBack) -> dict[str, Any]:
    return {
        "thoughts": done.thoughts,
        "derived": done.derived,
        "queries": done.queries,
        "uses": done.uses,
        "dry_run": done.dry_run,
    }


def _time(moment: float | None) -> str | None:
    return None if moment is None else iso(moment)
