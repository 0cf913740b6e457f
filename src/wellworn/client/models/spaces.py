"""Credentials, spaces, members and audit trails.

Keys and tokens are told once, when they are made; they never show in a repr.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Time, read_from


class Credential(Shape):
    """A key as it may be known: `kid` is its public number."""

    kid: str
    member_id: str
    label: str
    role: str
    spaces: tuple[str, ...] | None = Field(description="Spaces it reaches; null for all.")
    parent: str | None = Field(description="The credential whose revocation ends this one too.")
    created_at: Time
    expires_at: Time | None
    revoked_at: Time | None
    last_used_at: Time | None


class Credentials(Shape):
    """The caller's credential and those made from it."""

    credentials: tuple[Credential, ...]


class Issued(Shape):
    """A new credential; the key is told this once."""

    key: str = Field(repr=False)
    credential: Credential


class Revoked(Shape):
    """The number of credentials that ended."""

    revoked: int


class Deleted(Shape):
    """Something deleted: a space, a member or an invitation."""

    deleted: str


class Left(Shape):
    """A space that the caller belongs to no more."""

    left: str = Field(description="Id of the space.")
    key_renewed: bool = Field(
        description="Whether a sealed space has a new key; if not, an admin should renew it."
    )


class Space(Shape):
    """A space as the caller sees it."""

    id: str
    name: str
    mode: Literal["open", "sealed"]
    role: str = Field(description="What the caller may do there.")
    epoch: int = Field(description="Number of a sealed space's key; 0 for an open one.")
    created_at: Time
    created_by: str
    unconfirmed_hours: int = Field(
        default=0, description="How long members' thoughts wait for confirmation; 0 is off."
    )


class Spaces(Shape):
    """The spaces that the caller may enter."""

    spaces: tuple[Space, ...]


class NewSpace(Shape):
    """A space that was made."""

    space: Space
    issued: Issued | None = Field(description="Of the new member, if one was made.")


class Membership(Shape):
    """Somebody in a space."""

    member_id: str = Field(validation_alias=read_from("member_id", "member.id"))
    name: str = Field(validation_alias=read_from("name", "member.name"))
    role: str
    fingerprint: str = Field(
        validation_alias=read_from("fingerprint", "member.fingerprint"),
        description="Of the member's public keys; compare it with theirs.",
    )
    granted_at: Time
    granted_by: str


class Appointed(Membership):
    """A membership with its new role."""

    ended_invitations: tuple[str, ...] = Field(
        default=(), description="Invitations that ended with this; make them again."
    )


class Invitation(Shape):
    """An invitation that nobody has accepted yet."""

    id: str
    role: str
    invited_by: str
    created_at: Time
    expires_at: Time


class Members(Shape):
    """The members of a space; the open invitations are told to its admins."""

    members: tuple[Membership, ...]
    invitations: tuple[Invitation, ...]


class Invited(Shape):
    """An invitation; the token, which accepts it once, is told this once."""

    token: str = Field(repr=False)
    space: str = Field(validation_alias=read_from("space", "invitation.space"))
    invitation: Invitation


class Joined(Shape):
    """A space that was joined."""

    space: str = Field(validation_alias=read_from("space", "membership.space"))
    membership: Membership
    issued: Issued | None = Field(description="Of the new member, if one was made.")


class RolledBack(Shape):
    """The extent of a rollback, done or to be done."""

    thoughts: int
    derived: int = Field(description="Thoughts of others that were built on those.")
    queries: int
    uses: int
    dry_run: bool


class AuditEntry(Shape):
    """One thing that was done: by whom, to which ids, how it ended; never what was said."""

    seq: int
    at: Time = Field(validation_alias=read_from("at", "entry.at"))
    principal: str = Field(validation_alias=read_from("principal", "entry.actor.principal"))
    credential: str | None = Field(
        validation_alias=read_from("credential", "entry.actor.credential")
    )
    action: str = Field(validation_alias=read_from("action", "entry.action"))
    targets: tuple[str, ...] = Field(validation_alias=read_from("targets", "entry.targets"))
    outcome: str = Field(validation_alias=read_from("outcome", "entry.outcome"))
    request_id: str | None = Field(
        validation_alias=read_from("request_id", "entry.actor.request_id")
    )
    details: dict[str, int] = Field(validation_alias=read_from("details", "entry.details"))


class AuditEntries(Shape):
    """A part of an audit trail, in order."""

    entries: tuple[AuditEntry, ...]


class Verdict(Shape):
    """Whether an audit trail is as it was written; `reason` and the place when it is not."""

    ok: bool
    entries: int
    checkpoints: int
    first_bad_seq: int | None
    reason: str | None
