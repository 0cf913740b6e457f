"""Ed25519 signatures, and the errors of this project where one does not hold.

Source: RFC 8032.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from wellworn.errors import Tampered

SIGNING_KEY_BYTES = 32


class Signer(Protocol):
    """The one who can put a signature under a statement: a member, or the holder of a token."""

    def sign(self, message: bytes) -> bytes:
        """Return the signature, 64 bytes."""
        ...


class Verifier(Protocol):
    """The one whose signatures can be checked."""

    def check(self, signature: bytes, message: bytes) -> None:
        """Return when the signature holds.

        Raises:
            Tampered: it does not.
        """
        ...


class SigningKey:
    """A signing key from its 32-byte seed; the same seed always gives the same key."""

    __slots__ = ("_key", "public")

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = VerifyKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


@dataclass(frozen=True, slots=True)
class VerifyKey:
    """The public half of a signing key, 32 bytes."""

    raw: bytes

    def check(self, signature: bytes, message: bytes) -> None:
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            raise Tampered("a signature is not valid") from None
