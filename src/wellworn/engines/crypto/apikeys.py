"""API keys: one opaque text that both authenticates a caller and unlocks the caller's keys.

Two independent values are derived from one random secret: `verifier`, which the server stores and
compares, and `kek`, which opens the member's private keys and is never stored. So a stolen database
neither authenticates nor unlocks. One-time invitations, and what clients get by OAuth, differ in
their prefix only, and are never accepted as a member's key.

Source: RFC 4648 (base32), RFC 5869 (HKDF).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from wellworn.engines.crypto.sealing import KEY_BYTES, derive_key
from wellworn.engines.crypto.signing import SigningKey
from wellworn.errors import Unauthenticated

# One message for every failure: a caller learns nothing about how close the attempt was.
REFUSED = "this needs a valid credential"

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_KID_LENGTH = 12
_TEXT_LENGTH = 68
# 32 bytes leave four bits of the last character unused: only their zeros are a key's spelling.
_PATTERN = re.compile(r"(ww|wi|wc|wa|wr)_([a-z2-7]{12})_([a-z2-7]{51}[aq])")


class KeyPrefix(StrEnum):
    MEMBER = "ww"
    INVITATION = "wi"
    CODE = "wc"
    ACCESS = "wa"
    REFRESH = "wr"


@dataclass(frozen=True, slots=True, eq=False)
class ApiKey:
    """`ww_<kid>_<secret>`: kid is 12 characters, public; the secret is 32 bytes, never shown."""

    kid: str
    secret: bytes = field(repr=False)
    prefix: KeyPrefix = KeyPrefix.MEMBER

    @classmethod
    def new(cls, prefix: KeyPrefix = KeyPrefix.MEMBER) -> Self:
        kid = "".join(secrets.choice(_ALPHABET) for _ in range(_KID_LENGTH))
        return cls(kid, secrets.token_bytes(KEY_BYTES), prefix)

    @classmethod
    def parse(cls, text: str, prefix: KeyPrefix = KeyPrefix.MEMBER) -> Self:
        """Read a key as a caller sends it.

        Raises:
            Unauthenticated: it is none, or one of the other prefix.
        """
        match = _PATTERN.fullmatch(text) if len(text) == _TEXT_LENGTH else None
        if match is None or match[1] != prefix:
            raise Unauthenticated(REFUSED)
        return cls(match[2], base64.b32decode(match[3].upper() + "===="), prefix)

    @property
    def text(self) -> str:
        """The full key; to be shown once, to its owner."""
        secret = base64.b32encode(self.secret).decode().rstrip("=").lower()
        return f"{self.prefix}_{self.kid}_{secret}"

    @property
    def verifier(self) -> bytes:
        """The server's check of the key, 32 bytes; nothing can be opened with it."""
        return hashlib.sha256(derive_key(self.secret, f"{self.prefix}/auth")).digest()

    @property
    def kek(self) -> bytes:
        """The key-encrypting key, 32 bytes: it opens what was sealed for the holder."""
        return derive_key(self.secret, f"{self.prefix}/kek")

    @property
    def signer(self) -> SigningKey:
        """The key a holder without keys signs with: the acceptance of an invitation."""
        return SigningKey(derive_key(self.secret, f"{self.prefix}/sign"))

    def matches(self, verifier: bytes | None) -> bool:
        """Compare in constant time; None (no such kid) costs the same and never matches."""
        equal = hmac.compare_digest(self.verifier, verifier or bytes(KEY_BYTES))
        return equal and verifier is not None
