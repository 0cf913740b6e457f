"""Signed epochs, grants and invitations: who may open a sealed space.

Wrapping a data key proves nothing about who wrapped it: an attacker who can write the database
could wrap a key of his own and read what is written from then on. So epochs, grants and invitations
are canonical statements that count only with a valid signature. The caller decides who may sign.

Source: RFC 9180 (HPKE).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol, Self

from wellworn.engines.crypto.apikeys import ApiKey
from wellworn.engines.crypto.framing import encode_parts
from wellworn.engines.crypto.identity import Identity, PublicIdentity
from wellworn.engines.crypto.records import DataKey
from wellworn.engines.crypto.sealing import KEY_BYTES, SecretBox
from wellworn.engines.crypto.signing import Signer, Verifier, VerifyKey
from wellworn.errors import Tampered


@dataclass(frozen=True, slots=True)
class GrantContext:
    """The space, epoch, member and role that a wrapped key is bound to."""

    space: str
    epoch: int
    member_id: str
    role: str

    def canonical(self) -> bytes:
        return encode_parts("grant", self.space, self.epoch, self.member_id, self.role)


def wrap_data_key(data_key: DataKey, to: PublicIdentity, context: GrantContext) -> bytes:
    """Encrypt the data key to a member: 1,168 bytes.

    Raises:
        InvalidInput: the member's public key cannot be used.
    """
    return to.encrypt(data_key.material(), context.canonical())


def unwrap_data_key(blob: bytes, identity: Identity, context: GrantContext) -> DataKey:
    """Return the data key that was wrapped for this member, in this place.

    Raises:
        Tampered: it was wrapped for another, in another place, or was changed.
    """
    material = identity.decrypt(blob, context.canonical())
    if len(material) != KEY_BYTES:
        raise Tampered("a grant is not as it was written")
    return DataKey(material)


class SignedForm(Protocol):
    """A statement that is signed in its one canonical form."""

    __slots__ = ()

    def canonical(self) -> bytes: ...

    def sign(self, by: Signer) -> bytes:
        return by.sign(self.canonical())

    def verify(self, signature: bytes, by: Verifier) -> None:
        """Return when `by` signed exactly this.

        Raises:
            Tampered: he did not.
        """
        by.check(signature, self.canonical())


@dataclass(frozen=True, slots=True)
class Epoch(SignedForm):
    """A period in which a space has one key; `previous_hash` is the digest of the epoch before."""

    space: str
    epoch: int
    key_check: bytes
    author: str
    previous_hash: bytes | None
    created_at: float

    def canonical(self) -> bytes:
        return encode_parts(
            "wellworn/epoch/1",
            self.space,
            self.epoch,
            self.key_check,
            self.author,
            self.previous_hash,
            float(self.created_at),
        )

    def digest(self) -> bytes:
        """Return the 32 bytes that the next epoch names."""
        return hashlib.sha256(self.canonical()).digest()


@dataclass(frozen=True, slots=True)
class Grant(SignedForm):
    """A member holds the key of an epoch in a role; `wrapped` is what `wrap` gave for him."""

    space: str
    epoch: int
    member_id: str
    member_public: PublicIdentity
    role: str
    wrapped: bytes
    granted_by: str

    @property
    def context(self) -> GrantContext:
        return GrantContext(self.space, self.epoch, self.member_id, self.role)

    def canonical(self) -> bytes:
        return encode_parts(
            "wellworn/grant/1",
            self.space,
            self.epoch,
            self.member_id,
            self.member_public.encryption,
            self.member_public.signing,
            self.role,
            self.wrapped,
            self.granted_by,
        )


@dataclass(frozen=True, slots=True)
class SealedInvitation(SignedForm):
    """Lets the holder of a one-time token join in a role without having keys yet.

    The token opens `wrapped` and signs the newcomer's own `Grant`. `acceptor` checks that
    signature, so nobody without the token can substitute other keys.
    """

    invitation_id: str
    space: str
    epoch: int
    role: str
    wrapped: bytes
    acceptance_key: bytes
    invited_by: str
    expires_at: float

    @classmethod
    def create(
        cls,
        data_key: DataKey,
        token: ApiKey,
        *,
        space: str,
        epoch: int,
        role: str,
        invited_by: str,
        expires_at: float,
    ) -> Self:
        """Seal the data key for the holder of the token; `expires_at` is in epoch seconds."""
        place = _encode_invitation_context(token.kid, space, epoch=epoch, role=role)
        return cls(
            invitation_id=token.kid,
            space=space,
            epoch=epoch,
            role=role,
            wrapped=SecretBox(token.kek).seal(data_key.material(), place),
            acceptance_key=token.signer.public.raw,
            invited_by=invited_by,
            expires_at=expires_at,
        )

    @property
    def acceptor(self) -> Verifier:
        return VerifyKey(self.acceptance_key)

    def open_data_key(self, token: ApiKey) -> DataKey:
        """Return the key of the space.

        Raises:
            Tampered: another token was invited, to another place, or the invitation was changed.
        """
        place = _encode_invitation_context(
            self.invitation_id, self.space, epoch=self.epoch, role=self.role
        )
        return DataKey(SecretBox(token.kek).open(self.wrapped, place))

    def canonical(self) -> bytes:
        return encode_parts(
            "wellworn/invitation/1",
            self.invitation_id,
            self.space,
            self.epoch,
            self.role,
            self.wrapped,
            self.acceptance_key,
            self.invited_by,
            float(self.expires_at),
        )


def _encode_invitation_context(invitation_id: str, space: str, *, epoch: int, role: str) -> bytes:
    return encode_parts("invitation", invitation_id, space, epoch, role)
