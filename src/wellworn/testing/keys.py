"""FakeKms and FakeIssuer: doubles for a key service in the cloud and for a single sign-on.

The first keeps its key in memory and can be told to be out of reach. The second writes tokens
without the library that checks them, so that the two cannot share a mistake.
"""

from __future__ import annotations

import base64
import json
import secrets
from typing import Any

from wellworn.engines.crypto import LocalKey, SigningKey, TokenSettings
from wellworn.errors import KeyUnavailable


class FakeKms:
    """Fills the key provider port; `available = False` makes every call fail.

    Example:
        kms = FakeKms()
        assert kms.unwrap(kms.wrap(b"token", context="source/1"), context="source/1") == b"token"
    """

    def __init__(self, seed: bytes | None = None) -> None:
        self.available = True
        self.calls = 0
        self._key = LocalKey(seed or secrets.token_bytes(32))

    def wrap(self, plain: bytes, *, context: str) -> bytes:
        return self._answering().wrap(plain, context=context)

    def unwrap(self, blob: bytes, *, context: str) -> bytes:
        return self._answering().unwrap(blob, context=context)

    def derive(self, purpose: str) -> bytes:
        return self._answering().derive(purpose)

    def _answering(self) -> LocalKey:
        self.calls += 1
        if not self.available:
            raise KeyUnavailable("the key service does not answer")
        return self._key


class FakeIssuer:
    """Issues Ed25519 tokens; `settings()` makes a verifier trust it."""

    def __init__(
        self,
        *,
        name: str = "https://sso.example",
        audience: str = "wellworn",
        kid: str = "key-1",
    ) -> None:
        self.name = name
        self.audience = audience
        self.kid = kid
        self._key = SigningKey(secrets.token_bytes(32))

    @property
    def jwk(self) -> dict[str, str]:
        public = _base64url(self._key.public.raw)
        return {"kty": "OKP", "crv": "Ed25519", "x": public, "kid": self.kid}

    def settings(self) -> TokenSettings:
        keys = json.dumps({"keys": [self.jwk]})
        return TokenSettings(issuer=self.name, audience=self.audience, public_keys=keys)

    def token(self, subject: str, *, now: float, **claims: Any) -> str:
        """Return a token of five minutes; `claims` replace or, when None, remove its own."""
        own = {
            "iss": self.name,
            "aud": self.audience,
            "sub": subject,
            "iat": int(now),
            "exp": int(now) + 300,
            "jti": secrets.token_hex(8),
        }
        both = {**own, **claims}
        return self.sign({name: value for name, value in both.items() if value is not None})

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        """Return any claims under any header, with a true signature."""
        head = {"typ": "JWT", "alg": "Ed25519", "kid": self.kid, **header}
        text = f"{_json(head)}.{_json(claims)}"
        return f"{text}.{_base64url(self._key.sign(text.encode()))}"


def _json(content: dict[str, Any]) -> str:
    return _base64url(json.dumps(content).encode())


def _base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
