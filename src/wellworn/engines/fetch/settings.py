"""Settings of fetching from the web and from git servers."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

_PRIVATE: Final = (
    "10.0.0.0/8",
    "127.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "::1/128",
    "fc00::/7",
)


class FetchSettings(BaseModel):
    """Limits of every fetch, and the private networks that may be reached (none at first)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_bytes: int = Field(
        default=20_000_000,
        ge=1,
        description="Most bytes of one page or one file of a repository, after decompression.",
    )
    deadline_s: float = Field(
        default=60.0, gt=0, description="Most seconds for one page, redirects and retries included."
    )
    connect_timeout_s: float = Field(
        default=10.0, gt=0, description="Seconds to wait until one address accepts a connection."
    )
    most_redirects: int = Field(
        default=5, ge=0, le=20, description="Most redirects followed in a row."
    )
    private_networks: tuple[str, ...] = Field(
        default=(),
        description=(
            "Private networks to allow, as CIDR, e.g. 10.1.0.0/16; link-local addresses and"
            " a cloud's metadata service are never allowed."
        ),
    )
    ports: tuple[int, ...] = Field(
        default=(80, 443), description="Ports to allow; on private networks, any port."
    )
    user_agent: str = Field(
        default="wellworn",
        pattern=r"^[!-~][ -~]*$",
        description="Name that a fetch sends as its User-Agent.",
    )
    retry_waits_s: tuple[float, ...] = Field(
        default=(0.5, 2.0),
        description="Seconds before each retry when a site is down or asks to slow down.",
    )
    longest_retry_after_s: float = Field(
        default=5.0, ge=0, description="Longest Retry-After to wait for; a longer one is reported."
    )
    git_most_bytes: int = Field(
        default=300_000_000, ge=1_024, description="Most bytes of one download from a git server."
    )
    git_most_files: int = Field(
        default=100_000, ge=1, description="Most files in one branch of a repository."
    )
    git_timeout_s: float = Field(
        default=300.0, gt=0, description="Most seconds for one step of git."
    )

    @field_validator("private_networks")
    @classmethod
    def _are_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(str(ip_network(network)) for network in networks)

    def allow_private(self) -> FetchSettings:
        """Return settings for an address that the operator chose: any network, no redirects."""
        return self.model_copy(update={"private_networks": _PRIVATE, "most_redirects": 0})
