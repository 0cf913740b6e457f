"""Settings of the server's own key and of tokens of another issuer."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator


class KeySettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Literal["file", "environment", "keyring", "passphrase"] = Field(
        default="file", description="Where the server's own key comes from."
    )
    file: Path | None = Field(
        default=None, description="The key file; default: server.key in the data folder."
    )
    variable: str = Field(
        default="WELLWORN_SERVER_KEY",
        min_length=1,
        description="Environment variable with the key: 32 bytes in base64 or hexadecimal.",
    )
    keyring_service: str = Field(
        default="wellworn",
        min_length=1,
        description="Name under which the operating system's keyring holds the key.",
    )
    passphrase: SecretStr | None = Field(
        default=None, description="The passphrase, 12 characters or more; stretched by Argon2id."
    )
    create: bool = Field(
        default=True,
        description="Make a key if there is none; if false, refuse to start without one.",
    )
    memory_mib: int = Field(
        default=64, ge=19, le=1024, description="Memory in MiB for one try of a passphrase."
    )
    passes: int = Field(
        default=3, ge=2, le=32, description="Passes over that memory for one try of a passphrase."
    )


class TokenSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str | None = Field(
        default=None, min_length=1, description="`iss` of accepted tokens; default: none accepted."
    )
    audience: str | None = Field(
        default=None, min_length=1, description="`aud` that a token must name: this server."
    )
    public_keys: str | None = Field(
        default=None, description="The issuer's public keys: a JWK set, a JWK, or one key as PEM."
    )
    public_keys_file: Path | None = Field(default=None, description="A file with the same keys.")
    lifetime_s: int = Field(
        default=900, gt=0, le=86_400, description="Longest accepted life of a token, in seconds."
    )
    leeway_s: int = Field(
        default=30,
        ge=0,
        le=300,
        description="Tolerated difference to the issuer's clock, in seconds.",
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.issuer is None:
            return self
        if self.audience is None:
            raise ValueError("an issuer of tokens needs an audience too")
        if (self.public_keys is None) == (self.public_keys_file is None):
            raise ValueError("an issuer of tokens needs its public keys, inline or in a file")
        return self


class CryptoSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: KeySettings = Field(default_factory=KeySettings, description="The server's own key.")
    tokens: TokenSettings = Field(
        default_factory=TokenSettings, description="Tokens of another issuer."
    )
