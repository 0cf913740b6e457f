"""Spaces: credentials, members, invitations, keys, and the audit trail."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field
from typing_extensions import TypeAliasType

from wellworn.client import models
from wellworn.client.fields import WHOLE, Label, Listed
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_stream
from wellworn.kit.clock import from_iso

_LONG_S: Final = 300.0
"""The longest wait for a space to be sealed again, or a trail to be verified."""
_CHANGE: Final[dict[str, Any]] = {"timeout_s": _LONG_S, "once": True}
_LONGEST_LIFE_S: Final = 10 * 365 * 86_400
_USUAL_INVITATION_S: Final = 7 * 86_400
_LONGEST_INVITATION_S: Final = 90 * 86_400


def _check_moment(text: str) -> str:
    try:
        from_iso(text)
    except (ValueError, OverflowError):
        message = "must be a time in ISO 8601, such as 2026-02-23T15:00:00Z"
        raise ValueError(message) from None
    return text


Role = TypeAliasType(
    "Role",
    Annotated[
        Literal["reader", "contributor", "admin"],
        Field(
            title="Role",
            description="What a member may do in a space; each may do what those before it may.",
        ),
    ],
)
Kid: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=64, description="Number of a credential.")
]
SpaceId: TypeAlias = Annotated[
    str, Field(alias="space", min_length=1, max_length=100, description="Id of a space.")
]
MemberId: TypeAlias = Annotated[
    str, Field(alias="member", min_length=1, max_length=64, description="Id of a member.")
]
UnconfirmedHours: TypeAlias = Annotated[
    int,
    Field(
        ge=0,
        le=365 * 24,
        description="Hours for which members' thoughts are unconfirmed unless others confirm them.",
    ),
    WHOLE,
]
Trail: TypeAlias = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=100,
        description="For admins of the default space: `server`, where credentials stand, or the "
        "id of a space that is no more.",
    ),
]


class SpaceCalls(Calls):
    """The calls about spaces and who may enter them."""

    @Operation(
        "POST /api/v1/credentials", body="CredentialRequest", failures=(400, 413, 415), **_CHANGE
    )
    def create_credential(
        self,
        name: Label,
        *,
        role: Role | None = None,
        spaces: Annotated[
            Listed[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=100)
        ]
        | None = None,
        lifetime_s: Annotated[int, Field(ge=1, le=_LONGEST_LIFE_S), WHOLE] | None = None,
    ) -> models.Issued:
        """Create a credential: a new member's at the open door, else one within the caller's own.

        The key is told this once.

        Args:
            name: Name of the new member at the open door, otherwise a label.
            role: The most it may do; default: contributor, or the caller's own.
            spaces: Spaces it reaches; default: all that the caller's reaches.
            lifetime_s: Seconds until it ends; default: with the caller's, or never.

        Example:
            key = memory.create_credential("ci", role="reader").key
        """
        ...

    @Operation("GET /api/v1/credentials", models.Credentials, failures=())
    def credentials(self) -> tuple[models.Credential, ...]:
        """List the caller's credential and those made from it; at the open door, all of them."""
        ...

    @Operation("POST /api/v1/credentials/{kid}/rotate", **_CHANGE)
    def rotate_credential(self, kid: Kid) -> models.Issued:
        """Replace a credential's key and number. The old key ends; the new one is told once."""
        ...

    @Operation("DELETE /api/v1/credentials/{kid}", models.Revoked, **_CHANGE)
    def revoke_credential(self, kid: Kid) -> int:
        """Revoke a credential and every credential made from it, at once.

        Returns:
            How many ended.
        """
        ...

    @Operation("POST /api/v1/spaces", body="SpaceRequest", failures=(400, 413, 415), **_CHANGE)
    def create_space(
        self,
        name: Label,
        *,
        sealed: bool = False,
        member_name: Label = "owner",
        unconfirmed_hours: UnconfirmedHours = 0,
    ) -> models.NewSpace:
        """Create a space with the caller as its admin; at the open door, with a new member and key.

        Args:
            sealed: Unreadable without a member's key.
            member_name: Name of the new member at the open door.

        Example:
            team = memory.create_space("the team", sealed=True).space.id
        """
        ...

    @Operation("GET /api/v1/spaces", models.Spaces, failures=())
    def spaces(self) -> tuple[models.Space, ...]:
        """List the spaces that the caller may enter."""
        ...

    @Operation("GET /api/v1/spaces/{space}")
    def space(self, space_id: SpaceId) -> models.Space:
        """Return one space."""
        ...

    @Operation("PUT /api/v1/spaces/{space}", body="ChangedSpaceRequest", **_CHANGE)
    def change_space(
        self, space_id: SpaceId, *, unconfirmed_hours: UnconfirmedHours
    ) -> models.Space:
        """Change how long what members say from now on stays unconfirmed; 0 is off."""
        ...

    @Operation("DELETE /api/v1/spaces/{space}", models.Deleted, **_CHANGE)
    def delete_space(self, space_id: SpaceId) -> None:
        """Delete a space and everything in it. The keys of a sealed space are destroyed."""

    @Operation("GET /api/v1/spaces/{space}/members")
    def members(self, space_id: SpaceId) -> models.Members:
        """List the members of a space and, for admins, its open invitations."""
        ...

    @Operation("POST /api/v1/spaces/{space}/invitations", body="InvitationRequest", **_CHANGE)
    def invite(
        self,
        space_id: SpaceId,
        *,
        role: Role = "contributor",
        lifetime_s: Annotated[
            int, Field(ge=1, le=_LONGEST_INVITATION_S), WHOLE
        ] = _USUAL_INVITATION_S,
    ) -> models.Invited:
        """Create a token with which one bearer can join once. It is told this once.

        Example:
            token = memory.invite(team, role="reader").token
        """
        ...

    @Operation("DELETE /api/v1/spaces/{space}/invitations/{invitation}", models.Deleted, **_CHANGE)
    def withdraw_invitation(
        self,
        space_id: SpaceId,
        invitation_id: Annotated[str, Field(alias="invitation", min_length=1, max_length=64)],
    ) -> None:
        """Withdraw an invitation that nobody has accepted."""

    @Operation("POST /api/v1/invitations/accept", body="JoinRequest", **_CHANGE)
    def join(
        self, token: Annotated[str, Field(min_length=1, max_length=200)], *, name: Label = "agent"
    ) -> models.Joined:
        """Accept an invitation, as the caller or, without a credential, as a new member.

        Args:
            name: Name of the new member, when no credential is sent.
        """
        ...

    @Operation("PUT /api/v1/spaces/{space}/members/{member}", body="AppointmentRequest", **_CHANGE)
    def appoint(self, space_id: SpaceId, member_id: MemberId, role: Role) -> models.Appointed:
        """Give a member another role. If it is a lesser one, a sealed space gets a new key.

        With a new key open invitations end; the answer names them.
        """
        ...

    @Operation("DELETE /api/v1/spaces/{space}/members/{member}", models.Deleted, **_CHANGE)
    def revoke_member(self, space_id: SpaceId, member_id: MemberId) -> None:
        """End a membership. A sealed space gets a new key and is encrypted again under it."""

    @Operation("POST /api/v1/spaces/{space}/leave", **_CHANGE)
    def leave(self, space_id: SpaceId) -> models.Left:
        """End the caller's own membership. A sealed space gets a new key when an admin leaves."""
        ...

    @Operation("POST /api/v1/spaces/{space}/seal", **_CHANGE)
    def seal(self, space_id: SpaceId) -> models.Space:
        """Seal an open space. All other members must be invited again."""
        ...

    @Operation("POST /api/v1/spaces/{space}/unseal", **_CHANGE)
    def unseal(self, space_id: SpaceId) -> models.Space:
        """Turn a sealed space into an open one. One that was created sealed gets another id."""
        ...

    @Operation("POST /api/v1/spaces/{space}/rotate", **_CHANGE)
    def rotate(self, space_id: SpaceId) -> models.Space:
        """Encrypt a sealed space again under a new key. Open invitations end."""
        ...

    @Operation("POST /api/v1/spaces/{space}/reseal", **_CHANGE)
    def reseal(self, space_id: SpaceId) -> models.Space:
        """Encrypt everything in a sealed space again under its present key."""
        ...

    @Operation("POST /api/v1/spaces/{space}/rollback", body="RollbackRequest", **_CHANGE)
    def roll_back(
        self,
        space_id: SpaceId,
        owner: Annotated[str, Field(min_length=1, max_length=100)],
        *,
        since: Annotated[str, Field(max_length=40), AfterValidator(_check_moment)],
        dry_run: bool = False,
    ) -> models.RolledBack:
        """Take back everything that one member wrote or strengthened since a moment.

        Args:
            owner: Id of the member; where there are no credentials, the agent's label.
            since: ISO 8601; everything since then is removed.
            dry_run: Only count what would be removed.

        Example:
            memory.roll_back(team, "ana", since="2026-02-23", dry_run=True).thoughts
        """
        ...

    @Operation("GET /api/v1/audit", models.AuditEntries)
    def audit(
        self,
        *,
        after: Annotated[int, Field(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Field(ge=1, le=1_000)] = 100,
        of: Trail = None,
    ) -> tuple[models.AuditEntry, ...]:
        """List who did what, in order, without what was said."""
        ...

    @Operation("GET /api/v1/audit/verify", timeout_s=_LONG_S)
    def verify_audit(self, *, of: Trail = None) -> models.Verdict:
        """Verify the audit trail against its hash chain and its checkpoints."""
        ...

    @wrap_stream
    def export_audit(self, *, of: str | None = None) -> AsyncGenerator[str]:
        """Stream the lines of the audit trail, as they were written; an export only ever grows."""
        return self._wire.stream(path_of("audit", "export"), bytes.decode, timeout_s=_LONG_S, of=of)
