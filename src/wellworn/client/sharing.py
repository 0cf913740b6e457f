"""What the server answers about credentials, spaces, members and audit trails.

Keys and tokens are told once, when they are made; they never show in a repr.

Source: issue 3, parts 1, 2 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Credential:
    """What may be known of a key: `kid` is its public number, `spaces` None means all.

    `parent` is the credential it was made from; revoking that one ends this one too.
    """

    kid: str
    member_id: str
    label: str
    role: str
    spaces: tuple[str, ...] | None
    parent: str | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


@dataclass(frozen=True, slots=True)
class Issued:
    """A new credential and its key."""

    credential: Credential
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Revoked:
    """How many credentials ended."""

    revoked: int


@dataclass(frozen=True, slots=True)
class Space:
    """A space as the caller sees it: `mode` is "open" or "sealed", `role` what they may do there.

    `epoch` is the number of a sealed space's key, 0 for an open one.
    """

    id: str
    name: str
    mode: str
    role: str
    epoch: int
    created_at: str
    created_by: str


@dataclass(frozen=True, slots=True)
class NewSpace:
    """A space that was made; `issued` is the first member's key, if a member was made for it."""

    space: Space
    issued: Issued | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """Somebody in a space; `fingerprint` names their public keys, for people to compare."""

    member_id: str
    name: str
    role: str
    fingerprint: str
    granted_at: str
    granted_by: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that nobody has accepted yet."""

    id: str
    role: str
    invited_by: str
    created_at: str
    expires_at: str


@dataclass(frozen=True, slots=True)
class Members:
    """Who belongs to a space; the open invitations are told to its admins."""

    members: tuple[Membership, ...]
    invitations: tuple[Invitation, ...]


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation to the space of this id, and the token that accepts it, once."""

    space: str
    invitation: Invitation
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """The space of this id was joined; `issued` is the key of a member made for that."""

    space: str
    membership: Membership
    issued: Issued | None = None


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What was taken back, or would be: `derived` are thoughts of others built on those."""

    thoughts: int
    derived: int
    queries: int
    uses: int
    dry_run: bool


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that was done: by whom, to which ids, how it ended; never what was said."""

    seq: int
    at: str
    principal: str
    credential: str | None
    action: str
    targets: tuple[str, ...]
    outcome: str
    request_id: str | None
    details: dict[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an audit trail is as it was written; `reason` and the place when it is not."""

    ok: bool
    entries: int
    checkpoints: int
    first_bad_seq: int | None = None
    reason: str | None = None
