"""Response bodies about members, credentials, spaces and the audit trail, for OpenAPI."""

from __future__ import annotations

from pydantic import BaseModel, Field


class CredentialReply(BaseModel):
    kid: str
    member_id: str
    label: str
    role: str
    spaces: list[str] | None
    parent: str | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


class CredentialsReply(BaseModel):
    credentials: list[CredentialReply]


class IssuedReply(BaseModel):
    """A new credential; the key is told this once."""

    key: str
    credential: CredentialReply


class RevokedReply(BaseModel):
    revoked: int


class SpaceReply(BaseModel):
    id: str
    name: str
    mode: str
    role: str = Field(description="What the caller may do there.")
    epoch: int = Field(description="Number of a sealed space's key; 0 for an open one.")
    created_at: str
    created_by: str


class SpacesReply(BaseModel):
    spaces: list[SpaceReply]


class NewSpaceReply(BaseModel):
    space: SpaceReply
    issued: IssuedReply | None = Field(description="Of the member that was made, if one was.")


class MembershipReply(BaseModel):
    member_id: str
    name: str
    role: str
    fingerprint: str = Field(description="Of the member's public keys; compare it with theirs.")
    granted_at: str
    granted_by: str


class InvitationReply(BaseModel):
    id: str
    role: str
    invited_by: str
    created_at: str
    expires_at: str


class MembersReply(BaseModel):
    members: list[MembershipReply]
    invitations: list[InvitationReply]


class InvitedReply(BaseModel):
    """An invitation; the token is told this once."""

    token: str
    space: str
    invitation: InvitationReply


class JoinedReply(BaseModel):
    space: str
    membership: MembershipReply
    issued: IssuedReply | None = Field(description="Of the member that was made, if one was.")


class DeletedReply(BaseModel):
    deleted: str


class RollbackReply(BaseModel):
    """What was taken back, or would be."""

    thoughts: int
    derived: int = Field(description="Thoughts of others that were built on those.")
    queries: int
    uses: int
    dry_run: bool


class AuditEntryReply(BaseModel):
    seq: int
    at: str
    principal: str
    credential: str | None
    action: str
    targets: list[str]
    outcome: str
    request_id: str | None
    details: dict[str, int]


class AuditReply(BaseModel):
    entries: list[AuditEntryReply]


class VerdictReply(BaseModel):
    """Whether an audit trail is as it was written."""

    ok: bool
    entries: int
    checkpoints: int
    first_bad_seq: int | None
    reason: str | None
