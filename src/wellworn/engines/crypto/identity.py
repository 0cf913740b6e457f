"""A member's key pairs: one to receive data keys, one to sign with.

Encryption is ML-KEM-768 with X25519: one who records a wrapped key today must break both to read
it later. All private halves are random seeds, so a member is 128 bytes, stored sealed under the
key-encrypting key of each of his credentials and nowhere else.

Source: RFC 9180 (HPKE), FIPS 203 (ML-KEM).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from dataclasses import dataclass
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from wellworn.engines.crypto.framing import encode_parts
from wellworn.engines.crypto.sealing import SecretBox, derive_key
from wellworn.engines.crypto.signing import SIGNING_KEY_BYTES, SigningKey, VerifyKey
from wellworn.errors import InvalidInput, Tampered

_SUITE = hpke.Suite(hpke.KEM.MLKEM768_X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)
_MLKEM_SEED_BYTES = 64
_X25519_BYTES = 32
_SECRET_BYTES = _MLKEM_SEED_BYTES + _X25519_BYTES + SIGNING_KEY_BYTES
_MLKEM_PUBLIC_BYTES = 1184
ENCRYPTION_KEY_BYTES = _MLKEM_PUBLIC_BYTES + _X25519_BYTES
_PUBLIC_BYTES = ENCRYPTION_KEY_BYTES + SIGNING_KEY_BYTES
_PREFIX = "wp_"
_TEXT_LENGTH = len(_PREFIX) + _PUBLIC_BYTES * 4 // 3  # 1,248 is divisible by three: no padding
_FINGERPRINT_CHARACTERS = 32  # 160 bits
_GROUP = 4


@dataclass(frozen=True, slots=True, repr=False)
class PublicIdentity:
    """A member as others know them: `encryption` 1,216 bytes, `signing` 32 bytes.

    Raises:
        InvalidInput: they are no such keys.
    """

    encryption: bytes
    signing: bytes

    def __post_init__(self) -> None:
        lengths = (len(self.encryption), len(self.signing))
        if lengths != (ENCRYPTION_KEY_BYTES, SIGNING_KEY_BYTES):
            raise InvalidInput("this is not a member's public key")

    def __repr__(self) -> str:
        return f"PublicIdentity({self.fingerprint()})"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `wp_<base64url>`.

        Raises:
            InvalidInput: it is no public key.
        """
        if len(text) != _TEXT_LENGTH or not text.startswith(_PREFIX):
            raise InvalidInput("this is not a member's public key")
        try:
            raw = base64.b64decode(text[len(_PREFIX) :].encode("ascii"), b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError):
            raise InvalidInput("this is not a member's public key") from None
        return cls(raw[:ENCRYPTION_KEY_BYTES], raw[ENCRYPTION_KEY_BYTES:])

    @property
    def text(self) -> str:
        """The two keys in one text that can be mailed: 1,667 characters."""
        return _PREFIX + base64.urlsafe_b64encode(self.encryption + self.signing).decode()

    def fingerprint(self) -> str:
        """Return eight groups of four characters, to be compared by two people aloud."""
        digest = hashlib.sha256(encode_parts("identity", self.encryption, self.signing)).digest()
        short = base64.b32encode(digest).decode().lower()[:_FINGERPRINT_CHARACTERS]
        return "-".join(short[at : at + _GROUP] for at in range(0, len(short), _GROUP))

    def check(self, signature: bytes, message: bytes) -> None:
        """Return when the member signed the message.

        Raises:
            Tampered: he did not.
        """
        VerifyKey(self.signing).check(signature, message)

    def encrypt(self, content: bytes, bound_to: bytes) -> bytes:
        """Encrypt to the member, 1,136 bytes longer than the content.

        Raises:
            InvalidInput: his key cannot be used.
        """
        try:
            key = hpke.MLKEM768X25519PublicKey(
                MLKEM768PublicKey.from_public_bytes(self.encryption[:_MLKEM_PUBLIC_BYTES]),
                X25519PublicKey.from_public_bytes(self.encryption[_MLKEM_PUBLIC_BYTES:]),
            )
            return _SUITE.encrypt(content, key, bound_to)
        except ValueError:
            raise InvalidInput("this is not a member's public key") from None


class Identity:
    """Both private halves; shows nothing of them when printed."""

    __slots__ = ("_decryption", "_secret", "_signing", "public")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != _SECRET_BYTES:
            raise ValueError("an identity has 128 bytes")
        mlkem_end = _MLKEM_SEED_BYTES
        x25519_end = mlkem_end + _X25519_BYTES
        mlkem = MLKEM768PrivateKey.from_seed_bytes(secret[:mlkem_end])
        x25519 = X25519PrivateKey.from_private_bytes(secret[mlkem_end:x25519_end])
        self._secret = secret
        self._decryption = hpke.MLKEM768X25519PrivateKey(mlkem, x25519)
        self._signing = SigningKey(secret[x25519_end:])
        self.public = PublicIdentity(
            mlkem.public_key().public_bytes_raw() + x25519.public_key().public_bytes_raw(),
            self._signing.public.raw,
        )

    def __repr__(self) -> str:
        return f"Identity({self.public.fingerprint()})"

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_bytes(_SECRET_BYTES))

    @classmethod
    def unseal(cls, blob: bytes, kek: bytes, *, bound_to: bytes | str) -> Self:
        """Open an identity with the key-encrypting key of a credential that was verified before.

        Raises:
            Tampered: the blob was not sealed with this key for this purpose, or was changed.
        """
        return cls(SecretBox(kek).open(blob, encode_parts("identity", bound_to)))

    def seal(self, kek: bytes, *, bound_to: bytes | str) -> bytes:
        """Close the identity under a credential's key, bound to e.g. its kid and the member."""
        return SecretBox(kek).seal(self._secret, encode_parts("identity", bound_to))

    def derive_key(self, purpose: str) -> bytes:
        """Return the 32-byte key that only this member has for this purpose."""
        return derive_key(self._secret, purpose)

    def sign(self, message: bytes) -> bytes:
        return self._signing.sign(message)

    def decrypt(self, blob: bytes, bound_to: bytes) -> bytes:
        """Open what was encrypted to this member.

        Raises:
            Tampered: it was not, or it is bound to something else, or it was changed.
        """
        try:
            return _SUITE.decrypt(blob, self._decryption, bound_to)
        except InvalidTag:
            raise Tampered("a grant is not as it was written") from None
