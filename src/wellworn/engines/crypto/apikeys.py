"""Keys that callers carry: one opaque text that proves who they are and opens what is theirs.

From one random secret come two values that tell nothing of each other: `verifier`, which the
server keeps and compares, and `kek`, which opens the member's private keys and is never kept. So
one header both authenticates and unlocks, and a stolen database does neither. One-time
invitations are the same with another prefix, and never pass for a member's key.

Source: design of spaces, "Credential"; RFC 4648 (base32), RFC 5869 (HKDF).
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

from wellworn.engines.crypto.sealing import KEY_BYTES, derived
from wellworn.engines.crypto.signing import SigningKey
from wellworn.errors import Unauthenticated

# One sentence for every way to fail: a caller learns nothing about how near he was.
REFUSED = "this needs a valid credential"

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_KID_LENGTH = 12
_TEXT_LENGTH = 68
# 32 bytes leave four bits of the last character unused: only their zeros are a key's spelling.
_PATTERN = re.compile(r"(ww|wi)_([a-z2-7]{12})_([a-z2-7]{51}[aq])")


class KeyPrefix(StrEnum):
    MEMBER = "ww"
    INVITATION = "wi"


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
    def parsed(cls, text: str, prefix: KeyPrefix = KeyPrefix.MEMBER) -> Self:
        """Read a key as a caller sends it.

        Raises:
            Unauthenticated: it is none, or one of the other prefix.
        """
        found = _PATTERN.fullmatch(text) if len(text) == _TEXT_LENGTH else None
        if found is None or found[1] != prefix:
            raise Unauthenticated(REFUSED)
        return cls(found[2], base64.b32decode(found[3].upper() + "===="), prefix)

    @property
    def text(self) -> str:
        """The whole key; to be shown once, to its owner."""
        secret = base64.b32encode(self.secret).decode().rstrip("=").lower()
        return f"{self.prefix}_{self.kid}_{secret}"

    @property
    def verifier(self) -> bytes:
        """What the server keeps, 32 bytes; nothing can be opened with it."""
        return hashlib.sha256(derived(self.secret, f"{self.prefix}/auth")).digest()

    @property
    def kek(self) -> bytes:
        """The key-encrypting key, 32 bytes: it opens what was sealed for the holder."""
        return derived(self.secret, f"{self.prefix}/kek")

    @property
    def signer(self) -> SigningKey:
        """What the holder signs with before having keys: the acceptance of an invitation."""
        return SigningKey(derived(self.secret, f"{self.prefix}/sign"))

    def matches(self, verifier: bytes | None) -> bool:
        """Compare in constant time; None (no such kid) costs the same and never matches."""
        equal = hmac.compare_digest(self.verifier, verifier or bytes(KEY_BYTES))
        return equal and verifier is not None
