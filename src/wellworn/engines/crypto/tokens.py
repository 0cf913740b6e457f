"""Short-lived tokens of another issuer: Ed25519-signed JWTs for single sign-on and MCP.

A token says who is calling and opens nothing: it carries no key. Only one signature scheme is
accepted, so a token cannot choose a weaker one, and only keys that were configured, so it cannot
bring its own. Every failure looks the same to the caller.

Source: RFC 7519 (JWT), RFC 8725 (their best practice), RFC 9864 (the name Ed25519).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from wellworn.engines.crypto.apikeys import REFUSED
from wellworn.engines.crypto.settings import TokenSettings
from wellworn.errors import KeyUnavailable, Unauthenticated
from wellworn.kit.text import is_storable

ALGORITHM = "Ed25519"
_ALIASES = (ALGORITHM, "EdDSA")
_LONGEST = 8192  # characters of a token; a few hundred are usual
_LONGEST_NAME = 255
# What a hostile header or payload makes the parsers raise; all of it is the caller's doing.
_REFUSALS = (
    JoseError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
)


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a valid token; `spaces` is None if unrestricted, times are epoch seconds.

    It is accepted for a little longer than it holds, as clocks differ.
    """

    subject: str
    spaces: tuple[str, ...] | None
    scope: tuple[str, ...]
    token_id: str
    issued_at: float
    expires_at: float
    accepted_until: float


class _SingleAlgorithmRegistry(jws.JWSRegistry):
    """Accepts Ed25519 only, also under its older name `EdDSA`, which many issuers still use.

    The library warns about the older name because it may mean another curve; here it does not.
    """

    def get_alg(self, name: str) -> Any:
        if name not in _ALIASES:
            raise Unauthenticated(REFUSED)
        return super().get_alg(ALGORITHM)


class TokenVerifier:
    """Checks tokens of one issuer; threads may share it."""

    __slots__ = ("_keys", "_registry", "_settings")

    def __init__(self, settings: TokenSettings, public_keys: str) -> None:
        self._settings = settings
        self._keys = _read_named_keys(public_keys)
        self._registry = _SingleAlgorithmRegistry(algorithms=[ALGORITHM], strict_check_header=False)

    def verify(self, token: str, *, now: float) -> TokenClaims:
        """Return what the token says, at `now` in epoch seconds.

        Raises:
            Unauthenticated: it is malformed, of another issuer or audience, not signed by a
                configured key, not valid now, or valid for too long.
        """
        if len(token) > _LONGEST or not token.isascii():
            raise Unauthenticated(REFUSED)
        try:
            claims = jwt.decode(token, self._key, registry=self._registry).claims
            self._rules(now).validate(claims)
            return self._read(claims)
        except _REFUSALS:
            raise Unauthenticated(REFUSED) from None

    def _key(self, token: Any) -> OKPKey:
        kid = token.headers().get("kid")
        # A key configured without a name is tried for any: its signature decides.
        return self._keys[kid] if kid in self._keys else self._keys[None]

    def _rules(self, now: float) -> jwt.JWTClaimsRegistry:
        return jwt.JWTClaimsRegistry(
            now=int(now),
            leeway=self._settings.leeway_s,
            iss={"essential": True, "value": self._settings.issuer or ""},
            aud={"essential": True, "values": [self._settings.audience or ""]},
            sub={"essential": True},
            jti={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )

    def _read(self, claims: Mapping[str, Any]) -> TokenClaims:
        issued, expires = float(claims["iat"]), float(claims["exp"])
        if not 0 < expires - issued <= self._settings.lifetime_s:
            raise ValueError("valid for too long")
        spaces = claims.get("spaces")
        return TokenClaims(
            subject=_require_name(claims["sub"]),
            spaces=None
            if spaces is None
            else tuple(_require_name(each) for each in _require_list(spaces)),
            scope=tuple(_require_name(each) for each in _split_words(claims.get("scope", ""))),
            token_id=_require_name(claims["jti"]),
            issued_at=issued,
            expires_at=expires,
            accepted_until=expires + self._settings.leeway_s,
        )


def open_verifier(settings: TokenSettings) -> TokenVerifier | None:
    """Return the verifier of the configured issuer, or None if none is configured.

    Raises:
        KeyUnavailable: the issuer's public keys cannot be read.
    """
    if settings.issuer is None:
        return None
    if settings.public_keys_file is None:
        return TokenVerifier(settings, settings.public_keys or "")
    return TokenVerifier(settings, _content(settings.public_keys_file))


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnavailable("the file with the issuer's public keys cannot be read") from error


def _read_named_keys(text: str) -> dict[str | None, OKPKey]:
    """Return the Ed25519 keys by their kid; ignore keys of other types."""
    try:
        imported = [_import_key(each) for each in _documents(text)]
    except _REFUSALS:
        raise KeyUnavailable(
            "the issuer's public keys cannot be read: a JWK set, a JWK or PEM, without private keys"
        ) from None
    keys = [key for key in imported if key is not None]
    named: dict[str | None, OKPKey] = {key.kid: key for key in keys}
    if not named or len(named) != len(keys):
        raise KeyUnavailable("the issuer needs Ed25519 keys, each with a kid of its own")
    return named


def _documents(text: str) -> list[dict[str, Any] | str]:
    if text.lstrip().startswith("-----BEGIN"):
        return [text.strip()]
    parsed = cast("dict[str, Any]", json.loads(text))
    return list(parsed["keys"]) if "keys" in parsed else [parsed]


def _import_key(document: dict[str, Any] | str) -> OKPKey | None:
    if isinstance(document, dict) and document.get("crv") != ALGORITHM:
        return None
    key = OKPKey.import_key(cast("Any", document))
    if key.is_private or key.curve_name != ALGORITHM:
        raise ValueError("no public Ed25519 key")
    return key


def _require_name(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME or not is_storable(value):
        raise ValueError("no name")
    return value


def _require_list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("list[object]", value)


def _split_words(value: object) -> list[str]:
    if not isinstance(value, str):
        raise TypeError("no words")
    return value.split()
