"""A key from a passphrase: slow on purpose, and a wrong one is told from a damaged store.

The salt, the parameters it was made with and a check value lie in a file; none of them opens
anything, and the settings may ask for more later without locking anybody out.

Source: RFC 9106 (Argon2id).
"""

from __future__ import annotations

import hmac
import secrets
import unicodedata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wellworn.engines.crypto.keyfiles import read_private, write_private
from wellworn.engines.crypto.sealing import KEY_BYTES, derive_key
from wellworn.engines.crypto.settings import KeySettings
from wellworn.errors import KeyUnavailable

_SALT_BYTES = 16
_SHORTEST = 12
_LANES = 4
_HEX_PATTERN = r"^[0-9a-f]+$"


class _KdfParameters(BaseModel):
    """The file: bounds are its own, so that who edits it can weaken or stall nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    salt: str = Field(pattern=_HEX_PATTERN, min_length=2 * _SALT_BYTES, max_length=2 * _SALT_BYTES)
    memory_mib: int = Field(ge=19, le=1024)
    passes: int = Field(ge=2, le=32)
    lanes: int = Field(ge=1, le=16)
    check: str = Field(pattern=_HEX_PATTERN, min_length=2 * KEY_BYTES, max_length=2 * KEY_BYTES)


def key_from_passphrase(passphrase: str, path: Path, settings: KeySettings) -> bytes:
    """Return the 32 bytes of a passphrase; the first use decides which one it is.

    Raises:
        KeyUnavailable: it is too short or not the one, or the file is missing or damaged.
    """
    content = read_private(path)
    if content is None and settings.create:
        _begin(passphrase, path, settings)
        content = read_private(path)
    if content is None:
        raise KeyUnavailable("the passphrase's file is missing; restore it from a backup")
    recipe = _parse(content)
    key = _stretch(passphrase, recipe)
    if not hmac.compare_digest(_check(key), recipe.check):
        raise KeyUnavailable("this is not the passphrase of this data folder")
    return key


def _begin(passphrase: str, path: Path, settings: KeySettings) -> None:
    if len(passphrase) < _SHORTEST:
        raise KeyUnavailable(f"the passphrase is too short: {_SHORTEST} characters or more")
    draft = _KdfParameters(
        salt=secrets.token_hex(_SALT_BYTES),
        memory_mib=settings.memory_mib,
        passes=settings.passes,
        lanes=_LANES,
        check="0" * 2 * KEY_BYTES,
    )
    recipe = draft.model_copy(update={"check": _check(_stretch(passphrase, draft))})
    write_private(path, recipe.model_dump_json().encode() + b"\n")


def _parse(content: bytes) -> _KdfParameters:
    try:
        return _KdfParameters.model_validate_json(content)
    except ValidationError:
        raise KeyUnavailable("the passphrase's file is damaged; restore it from a backup") from None


def _stretch(passphrase: str, recipe: _KdfParameters) -> bytes:
    from argon2.low_level import Type, hash_secret_raw  # noqa: PLC0415  # slow, and seldom needed

    return hash_secret_raw(
        # Keyboards differ in how they compose an accent.
        unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass"),
        bytes.fromhex(recipe.salt),
        time_cost=recipe.passes,
        memory_cost=recipe.memory_mib * 1024,
        parallelism=recipe.lanes,
        hash_len=KEY_BYTES,
        type=Type.ID,
    )


def _check(key: bytes) -> str:
    return derive_key(key, "passphrase/check").hex()
