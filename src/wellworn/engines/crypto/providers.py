"""Opens the server's own key, which sources' credentials and the audit trail hang on.

The port is what a cloud's key service offers as well, so one can take the place of the local key
without the key ever being here. All local ways give 32 bytes, and differ only in where from.

A key from a passphrase is slow on purpose, and a wrong one is told from a damaged store. The salt,
the parameters it was made with and a check value lie in a file; none of them opens anything, and
the settings may ask for more later without locking anybody out.

Source: RFC 9106 (Argon2id).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import secrets
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wellworn.engines.crypto.framing import encode_parts
from wellworn.engines.crypto.keyfiles import read_private, write_private
from wellworn.engines.crypto.sealing import KEY_BYTES, SecretBox, derive_key
from wellworn.engines.crypto.settings import KeySettings
from wellworn.errors import KeyUnavailable

_FILE = "server.key"
_SALT_FILE = "server.salt"
_HEX_LENGTH = 2 * KEY_BYTES


class KeyProvider(Protocol):
    """Holds one key that never leaves it.

    Example:
        blob = provider.wrap(b"token", context="source/1")
        assert provider.unwrap(blob, context="source/1") == b"token"
    """

    def wrap(self, plain: bytes, *, context: str) -> bytes:
        """Close a secret, bound to what it is for.

        Raises:
            KeyUnavailable: the key cannot be reached now.
        """
        ...

    def unwrap(self, blob: bytes, *, context: str) -> bytes:
        """Open what was wrapped for the same context.

        Raises:
            KeyUnavailable: the key cannot be reached now.
            Tampered: another key or context wrapped it, or it was changed.
        """
        ...

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes, always the same for this key and purpose.

        Raises:
            KeyUnavailable: the key cannot be reached now.
        """
        ...


class LocalKey:
    """Fills the port from 32 bytes in this process; shows nothing of them when printed."""

    __slots__ = ("_box", "_material")

    def __init__(self, material: bytes) -> None:
        self._material = material
        self._box = SecretBox(derive_key(material, "provider/wrap"))

    def wrap(self, plain: bytes, *, context: str) -> bytes:
        return self._box.seal(plain, encode_parts("provider", context))

    def unwrap(self, blob: bytes, *, context: str) -> bytes:
        return self._box.open(blob, encode_parts("provider", context))

    def derive(self, purpose: str) -> bytes:
        return derive_key(self._material, f"provider/derive/{purpose}")


def open_provider(
    settings: KeySettings, home: Path, *, environment: Mapping[str, str] | None = None
) -> KeyProvider:
    """Return the server's key from where the settings say; by default `<home>/server.key`.

    Raises:
        KeyUnavailable: it is not there, not safe there, or not the one; says what to do.
    """
    if settings.source == "environment":
        variables = os.environ if environment is None else environment
        return from_environment(settings.variable, variables)
    if settings.source == "keyring":
        return from_keyring(settings.keyring_service, create=settings.create)
    if settings.source == "passphrase":
        return from_passphrase(settings, settings.file or home / _SALT_FILE)
    return from_file(settings.file or home / _FILE, create=settings.create)


def from_environment(variable: str, environment: Mapping[str, str]) -> KeyProvider:
    """Take the key from an environment variable.

    Raises:
        KeyUnavailable: it is not set, or holds no key.
    """
    text = environment.get(variable)
    if not text:
        raise KeyUnavailable(
            f"{variable} is not set; give it 32 random bytes in base64 (openssl rand -base64 32)"
        )
    return LocalKey(_read(text, where=variable))


def from_file(path: Path, *, create: bool) -> KeyProvider:
    """Take the key from a file that only the serving user can read, or make it there.

    Raises:
        KeyUnavailable: there is none and none is to be made, or the file is not safe.
    """
    content = read_private(path)
    if content is None and create:
        write_private(path, _encode_key(secrets.token_bytes(KEY_BYTES)) + b"\n")
        content = read_private(path)
    if content is None:
        raise KeyUnavailable("the key file is missing; restore it, without it nothing can be read")
    return LocalKey(_read(content.decode("ascii", "replace"), where="the key file"))


def from_keyring(service: str, *, create: bool) -> KeyProvider:
    """Take the key from the operating system's keyring, or make it there.

    Raises:
        KeyUnavailable: the extra is not installed, no keyring runs, it is locked, or has no key.
    """
    try:
        import keyring  # noqa: PLC0415  # an extra, and slow to import
        from keyring.errors import KeyringError  # noqa: PLC0415
    except ImportError as error:
        raise KeyUnavailable(
            "the keyring needs an extra; install wellworn[keyring], or keep the key in a file"
        ) from error
    try:
        text = keyring.get_password(service, _FILE)
        if text is None and create:
            keyring.set_password(
                service, _FILE, _encode_key(secrets.token_bytes(KEY_BYTES)).decode()
            )
            text = keyring.get_password(service, _FILE)  # a keyring may drop what it is given
    except KeyringError as error:
        raise KeyUnavailable(
            "no keyring answers here, or it is locked; unlock it, or keep the key in a file"
        ) from error
    if text is None:
        raise KeyUnavailable("the keyring has no key of this name; restore it, or choose a file")
    return LocalKey(_read(text, where="the keyring"))


def from_passphrase(settings: KeySettings, path: Path) -> KeyProvider:
    """Stretch the passphrase by Argon2id; salt, parameters and a check value are in the file.

    Raises:
        KeyUnavailable: there is no passphrase, it is too short, or it is not the one.
    """
    if settings.passphrase is None:
        raise KeyUnavailable("the server's key needs its passphrase, and none is set")
    return LocalKey(key_from_passphrase(settings.passphrase.get_secret_value(), path, settings))


def _encode_key(material: bytes) -> bytes:
    return base64.urlsafe_b64encode(material)


def _read(text: str, *, where: str) -> bytes:
    """Read 32 bytes in base64, either alphabet, or hexadecimal."""
    plain = text.strip().replace("-", "+").replace("_", "/")
    try:
        if len(plain) == _HEX_LENGTH:
            material = bytes.fromhex(plain)
        else:
            material = base64.b64decode(plain.rstrip("=") + "=", validate=True)
    except (binascii.Error, ValueError):
        material = b""
    if len(material) != KEY_BYTES:
        raise KeyUnavailable(f"{where} holds no key: 32 bytes in base64 or hexadecimal")
    return material


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
