"""Who may open a space: data keys wrapped for members, under statements an owner signed.

Wrapping alone proves nothing about who wrapped: whoever can write the database could wrap a key
of his own and read what is written from then on. So epochs, grants and invitations are
statements with one spelling, and none counts without the signature of somebody who may make it.
Who that is, is decided above; here a statement holds or does not.

Source: design of spaces, "Sealed space"; RFC 9180 (HPKE).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Self

from wellworn.engines.crypto.apikeys import ApiKey
from wellworn.engines.crypto.framing import framed
from wellworn.engines.crypto.identity import Identity, PublicIdentity
from wellworn.engines.crypto.records import DataKey
from wellworn.engines.crypto.sealing import KEY_BYTES, Box
from wellworn.engines.crypto.signing import Signer, Verifier, VerifyKey
from wellworn.errors import Tampered


@dataclass(frozen=True, slots=True)
class GrantContext:
    """Which place a wrapped key is for; it opens in no other."""

    space: str
    epoch: int
    member_id: str
    role: str

    def canonical(self) -> bytes:
        return framed("grant", self.space, self.epoch, self.member_id, self.role)


def wrap(data_key: DataKey, to: PublicIdentity, context: GrantContext) -> bytes:
    """Encrypt the data key to a member: 1,168 bytes.

    Raises:
        InvalidInput: the member's public key cannot be used.
    """
    return to.encrypted(data_key.material(), context.canonical())


def unwrap(blob: bytes, identity: Identity, context: GrantContext) -> DataKey:
    """Return the data key that was wrapped for this member, in this place.

    Raises:
        Tampered: it was wrapped for another, in another place, or was changed.
    """
    material = identity.decrypted(blob, context.canonical())
    if len(material) != KEY_BYTES:
        raise Tampered("a grant is not as it was written")
    return DataKey(material)


@dataclass(frozen=True, slots=True)
class Epoch:
    """A space has this key from now on; `previous_hash` is `Epoch.digest()` of the one before.

    The previous key, sealed under the new one, is not part of it: resealing forgets that key and
    must not break the signature. `RecordBox.open_key` checks it against `key_check` instead.
    """

    space: str
    epoch: int
    key_check: bytes
    author: str
    previous_hash: bytes | None
    created_at: float

    def canonical(self) -> bytes:
        return framed(
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

    def signed(self, by: Signer) -> bytes:
        return by.sign(self.canonical())

    def verify(self, signature: bytes, by: Verifier) -> None:
        """Return when `by` signed exactly this.

        Raises:
            Tampered: he did not.
        """
        by.check(signature, self.canonical())


@dataclass(frozen=True, slots=True)
class Grant:
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
        return framed(
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

    def signed(self, by: Signer) -> bytes:
        return by.sign(self.canonical())

    def verify(self, signature: bytes, by: Verifier) -> None:
        """Return when `by` signed exactly this.

        Raises:
            Tampered: he did not.
        """
        by.check(signature, self.canonical())


@dataclass(frozen=True, slots=True)
class Invitation:
    """Whoever brings the one-time token may join in this role, without having had keys before.

    The token opens `wrapped`, and signs the newcomer's own Grant: `acceptor` checks that
    signature, so nobody without the token can put his keys in the newcomer's place.
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
    def made(
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
        """Close the data key for the holder of the token; `expires_at` in epoch seconds."""
        place = _invited_to(token.kid, space, epoch=epoch, role=role)
        return cls(
            invitation_id=token.kid,
            space=space,
            epoch=epoch,
            role=role,
            wrapped=Box(token.kek).seal(data_key.material(), place),
            acceptance_key=token.signer.public.raw,
            invited_by=invited_by,
            expires_at=expires_at,
        )

    @property
    def acceptor(self) -> Verifier:
        return VerifyKey(self.acceptance_key)

    def data_key(self, token: ApiKey) -> DataKey:
        """Return the key of the space.

        Raises:
            Tampered: another token was invited, to another place, or the invitation was changed.
        """
        place = _invited_to(self.invitation_id, self.space, epoch=self.epoch, role=self.role)
        return DataKey(Box(token.kek).open(self.wrapped, place))

    def canonical(self) -> bytes:
        return framed(
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

    def signed(self, by: Signer) -> bytes:
        return by.sign(self.canonical())

    def verify(self, signature: bytes, by: Verifier) -> None:
        """Return when `by` signed exactly this.

        Raises:
            Tampered: he did not.
        """
        by.check(signature, self.canonical())


def _invited_to(invitation_id: str, space: str, *, epoch: int, role: str) -> bytes:
    return framed("invitation", invitation_id, space, epoch, role)
