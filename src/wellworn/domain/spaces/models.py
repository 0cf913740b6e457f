"""Models of a call's access: who is calling, into which space, and what they may do there.

`Access` is the value without which nothing can be read or written: every service and store method
takes one. Only `spaces.authentication` makes it, from a credential or for loopback callers without
one; `tests/architecture/test_access.py` checks that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from wellworn.errors import Forbidden
from wellworn.kit.project_ids import is_project_id

DEFAULT_SPACE = "ks-default"
SEALED_PREFIX = "kss-"
"""The beginning of an id of a space that was founded sealed, so that its id says it must be."""
UPKEEP = "upkeep"
"""The principal of the server's own work in the background."""
LOCAL = "local"
"""The principal of a caller at the loopback door without a credential."""


class Role(StrEnum):
    """A member's rights in a space; each role may do what those before it may."""

    READER = "reader"
    CONTRIBUTOR = "contributor"
    ADMIN = "admin"

    def allows(self, wanted: Role) -> bool:
        return _RANK[self] >= _RANK[wanted]

    def limit_to(self, other: Role) -> Role:
        """Return whichever of the two roles may do less."""
        return min(self, other, key=_RANK.__getitem__)


_RANK = {role: rank for rank, role in enumerate(Role)}


class Mode(StrEnum):
    OPEN = "open"
    SEALED = "sealed"


def read_unconfirmed_hours(settings: Mapping[str, object]) -> int:
    """Return how long members' thoughts wait for confirmation, by a space's settings."""
    hours = settings.get("unconfirmed_hours", 0)
    return hours if isinstance(hours, int) else 0


class MemberKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    WORKER = "worker"


class KnownCredential(str):
    """The number of a credential whose key was shown before this process began.

    It stands for the credential without what its key opens. No request can contain one: what is
    read from a request is a plain string.
    """

    __slots__ = ()


class AccessToken(str):
    """A token that a client got by OAuth, as it is shown at a resource; nowhere else it is one.

    A plain string is never taken for one, so whatever does not say where it was shown refuses it.
    """

    __slots__ = ("resource",)

    def __new__(cls, text: str, *, resource: str) -> AccessToken:
        made = super().__new__(cls, text)
        made.resource = resource
        return made


@dataclass(frozen=True, slots=True)
class Principal:
    """The member whom a credential belongs to, and how far that credential reaches.

    Attributes:
        member_id: the owner; all credentials of a member count as one.
        kid: the credential's public number; None for a signed token.
        role: the most it may do in any space.
        spaces: the spaces it reaches; None for all of the member's.
        kek: 32 bytes that unlock the member's own keys; None for a signed token, for a client that
            was let in by OAuth, and for a browser that was signed in before the server began.
        ends_at: of a signed token, when it is accepted no more; of others the database tells.
    """

    member_id: str
    kid: str | None
    role: Role
    spaces: frozenset[str] | None
    kek: bytes | None = field(default=None, repr=False)
    ends_at: float | None = None

    def reaches(self, space: str) -> bool:
        return self.spaces is None or space in self.spaces


@dataclass(frozen=True, slots=True)
class Access:
    """The right of a caller (`principal`) to do something in a space.

    `unconfirmed_hours` is the space's policy; see `Space`.
    """

    principal: str
    space: str
    role: Role
    mode: Mode = Mode.OPEN
    credential: Principal | None = field(default=None, repr=False)
    unconfirmed_hours: int = 0

    @property
    def owner(self) -> str | None:
        """The owner of the credential; None at the open door, where only labels are known."""
        return self.credential.member_id if self.credential else None

    @property
    def is_inspected(self) -> bool:
        """Whether what it stores must not read like an order: a member's who is no admin."""
        return self.owner is not None and not self.role.allows(Role.ADMIN)

    @property
    def is_admin_member(self) -> bool:
        """Whether an admin calls with a credential; at the open door nobody is known."""
        return self.owner is not None and self.role.allows(Role.ADMIN)

    @property
    def in_project(self) -> bool:
        """Whether the space is that of a project."""
        return is_project_id(self.space)

    @property
    def shared(self) -> Access | None:
        """The access to the default space, which is read from a project without a credential."""
        reads_both = self.principal == LOCAL and self.in_project
        return replace(self, space=DEFAULT_SPACE) if reads_both else None

    @property
    def spaces(self) -> tuple[str, ...]:
        """The spaces of which a call reads and writes records."""
        return (self.space,) if self.shared is None else (self.space, self.shared.space)

    def find_unconfirmed_end(self, now: float) -> float | None:
        """Return until when what is stored now waits for confirmation; None if it does not."""
        if not (self.is_inspected and self.unconfirmed_hours):
            return None
        return now + self.unconfirmed_hours * 3600.0

    def resolve_user(self, agent_id: str) -> str:
        """Return who counts as one user: the owner of the credential, else the label itself."""
        return self.owner or agent_id

    def of_member(self, member_id: str) -> Access:
        """Return the same access, for what another member did before."""
        credential = self.credential and replace(self.credential, member_id=member_id)
        return replace(self, credential=credential)

    def require(self, role: Role) -> None:
        """Refuse who may do less.

        Raises:
            Forbidden: the role in this space is too small.
        """
        if not self.role.allows(role):
            message = f"this needs the role {role} in the space"
            raise Forbidden(message)


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with credentials; `fingerprint` names the public keys, to be compared by people."""

    id: str
    name: str
    kind: MemberKind
    fingerprint: str
    created_at: float
    created_by: str


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential as the server tells of it; never its secret."""

    kid: str
    member_id: str
    label: str
    role: Role
    spaces: tuple[str, ...] | None
    parent: str | None
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    last_used_at: float | None


@dataclass(frozen=True, slots=True)
class Issued:
    """A new credential and, this once, its key."""

    credential: Credential
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Space:
    """A space; members' thoughts wait `unconfirmed_hours` for confirmation, 0 is off."""

    id: str
    name: str
    mode: Mode
    created_at: float
    created_by: str
    epoch: int
    settings: Mapping[str, object]

    @property
    def unconfirmed_hours(self) -> int:
        return read_unconfirmed_hours(self.settings)


@dataclass(frozen=True, slots=True)
class Membership:
    space: str
    member: Member
    role: Role
    granted_at: float
    granted_by: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """A token that lets one bearer join; `id` names it, the token is told once."""

    id: str
    space: str
    role: Role
    invited_by: str
    created_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class Invited:
    invitation: Invitation
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """A membership, and the key of a member that was made for it."""

    membership: Membership
    issued: Issued | None
