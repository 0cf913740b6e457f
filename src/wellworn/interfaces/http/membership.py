"""What is asked about members, credentials, spaces and invitations."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from wellworn.domain.spaces import Role
from wellworn.interfaces.fields import WHOLE, Label, RequestBody
from wellworn.kit.clock import from_iso

_LONGEST_LIFE_S = 10 * 365 * 86_400
_USUAL_INVITATION_S = 7 * 86_400
_LONGEST_INVITATION_S = 90 * 86_400

_LONGEST_UNCONFIRMED_H = 365 * 24

_Role = Annotated[Role, Field(strict=False)]
_SpaceId = Annotated[str, Field(min_length=1, max_length=100)]


def _moment(text: str) -> str:
    try:
        from_iso(text)
    except (ValueError, OverflowError):
        message = "must be a time in ISO 8601, such as 2026-02-23T15:00:00Z"
        raise ValueError(message) from None
    return text


class CredentialRequest(RequestBody):
    """A credential to be made."""

    name: Label = Field(description="Name of the new member at the open door, otherwise a label.")
    role: _Role | None = Field(
        default=None, description="The most it may do; default: contributor, or the caller's own."
    )
    spaces: Annotated[list[_SpaceId], Field(max_length=100)] | None = Field(
        default=None, description="Spaces it reaches; default: all that the caller's reaches."
    )
    lifetime_s: Annotated[int, Field(ge=1, le=_LONGEST_LIFE_S), WHOLE] | None = Field(
        default=None, description="Seconds until it ends; default: with the caller's, or never."
    )


_UnconfirmedHours = Annotated[
    int,
    Field(
        ge=0,
        le=_LONGEST_UNCONFIRMED_H,
        description="Hours for which members' thoughts are unconfirmed unless others confirm them.",
    ),
    WHOLE,
]


class SpaceRequest(RequestBody):
    """A space to be made."""

    name: Label
    sealed: bool = Field(default=False, description="Unreadable without a member's key.")
    member_name: Label = Field(
        default="owner", description="Name of the new member at the open door."
    )
    unconfirmed_hours: _UnconfirmedHours = 0


class ChangedSpaceRequest(RequestBody):
    """What a space's policy is from now on."""

    unconfirmed_hours: _UnconfirmedHours


class AppointmentRequest(RequestBody):
    """What a member may do from now on."""

    role: _Role


class InvitationRequest(RequestBody):
    """An invitation to be made."""

    role: _Role = Role.CONTRIBUTOR
    lifetime_s: Annotated[int, Field(ge=1, le=_LONGEST_INVITATION_S), WHOLE] = _USUAL_INVITATION_S


class JoinRequest(RequestBody):
    """An invitation to be accepted."""

    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: Label = Field(
        default="agent", description="Name of the new member, when no credential is sent."
    )


class RollbackRequest(RequestBody):
    """What to take back."""

    owner: Annotated[str, Field(min_length=1, max_length=100)] = Field(
        description="Id of the member; where there are no credentials, the agent's label."
    )
    since: Annotated[str, Field(max_length=40), AfterValidator(_moment)] = Field(
        description="ISO 8601; everything since then is removed."
    )
    dry_run: bool = Field(default=False, description="Only count what would be removed.")

    @property
    def moment(self) -> float:
        return from_iso(self.since)
