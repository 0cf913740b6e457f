"""Settings of who gets in, and how often."""

from __future__ import annotations

from typing import Final

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, TypeAdapter, field_validator

LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""The names of this machine, as they stand in addresses."""
_URL = TypeAdapter(AnyHttpUrl)


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
    public_url: str | None = Field(
        default=None,
        description="How clients elsewhere call this server, as `https://memory.example.org`: with "
        "it, they can connect by OAuth. Its name is one of the server's.",
    )
    client_documents: bool = Field(
        default=False,
        description="Let a program that connects by OAuth be named by an https address, which the "
        "server then fetches: anybody can name one. Without it, such programs register.",
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

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str | None) -> str | None:
        """Return an origin as clients spell it; tokens must not travel in the clear."""
        if value is None:
            return None
        message = "write https:// and a host, with a port if need be, and nothing else"
        try:
            url = _URL.validate_python(value)
        except ValueError:
            raise ValueError(message) from None
        origin = str(url).removesuffix("/")
        is_private = url.scheme == "https" or url.host in LOOPBACK_HOSTS
        is_origin = origin.count("/") == 2 and not set("?#@") & set(origin)  # noqa: PLR2004
        if not is_private or not is_origin or url.port == 0:
            raise ValueError(message)
        return origin

    @property
    def names(self) -> frozenset[str]:
        """The additional names of the server, that of its public address among them."""
        host = self.public_url and _URL.validate_python(self.public_url).host
        return frozenset(self.hosts if host is None else (*self.hosts, host))

    @property
    def has_open_door(self) -> bool:
        """Whether loopback needs no credential: what the world calls may come from there, too."""
        is_public = self.public_url is not None and self.public_url.startswith("https:")
        return not (self.require_credentials or is_public)
