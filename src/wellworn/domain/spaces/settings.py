"""Settings of who gets in, and how often."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SpaceSettings(BaseModel):
    """Knobs of access; rates are calls a minute of one member."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    require_credentials: bool = Field(
        default=False,
        description="Close the open door: even on loopback every call needs a credential.",
    )
    hosts: tuple[str, ...] = Field(
        default=(), description="Additional names of the server, without a port."
    )
    proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses or networks of proxies whose `X-Forwarded-For` is believed.",
    )
    idle_s: float = Field(
        default=900.0, gt=0, description="Seconds after which an unused sealed space is closed."
    )
    most_open: int = Field(
        default=16,
        ge=1,
        description="Sealed spaces open at once; the least recently used is closed.",
    )
    reads_a_minute: int = Field(
        default=1_200, ge=1, description="Calls a minute that ask or look up, per member."
    )
    writes_a_minute: int = Field(
        default=600, ge=1, description="Calls a minute that store, judge or erase, per member."
    )
    transfers_a_minute: int = Field(
        default=120, ge=1, description="Imports and exports a minute, per member."
    )
    administration_a_minute: int = Field(
        default=60,
        ge=1,
        description="Calls a minute about spaces, members and credentials, per member.",
    )
