"""SecretBox: authenticated encryption under one key, bound to a context.

AES-256-GCM-SIV, because a repeated nonce reveals only whether two contents are equal. A sealed blob
is a format byte, the nonce and the ciphertext with its tag.

Source: RFC 8452 (AES-GCM-SIV), RFC 5869 (HKDF).
"""

from __future__ import annotations

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from wellworn.errors import Tampered

KEY_BYTES = 32
FORMAT = b"\x01"
_NONCE_BYTES = 12
_HEAD_BYTES = len(FORMAT) + _NONCE_BYTES
_TAG_BYTES = 16


def derive_key(secret: bytes | bytearray, purpose: str) -> bytes:
    """Derive a 32-byte key for a purpose from a secret of at least 32 random bytes."""
    info = b"wellworn/1/" + purpose.encode("utf-8", "surrogatepass")
    return HKDF(hashes.SHA256(), KEY_BYTES, None, info).derive(secret)


class SecretBox:
    """Seals and opens under one 32-byte key; threads may share it."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes | bytearray) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError("a key has 32 bytes")
        self._cipher = AESGCMSIV(key)

    def seal(self, content: bytes | bytearray, bound_to: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return FORMAT + nonce + self._cipher.encrypt(nonce, content, FORMAT + bound_to)

    def open(self, blob: bytes, bound_to: bytes) -> bytes:
        """Return the sealed content.

        Raises:
            Tampered: another key sealed it, it is bound to something else, or a bit changed.
        """
        if len(blob) < _HEAD_BYTES + _TAG_BYTES or not blob.startswith(FORMAT):
            raise Tampered("a sealed record is not as it was written")
        nonce, ciphertext = blob[len(FORMAT) : _HEAD_BYTES], blob[_HEAD_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, FORMAT + bound_to)
        except InvalidTag:
            raise Tampered("a sealed record is not as it was written") from None
