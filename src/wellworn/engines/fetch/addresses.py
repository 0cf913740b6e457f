"""Decides which addresses may be connected to: public ones, and an admin's private networks.

The tables are our own, because what Python calls global differs between its patch releases and
leaves out multicast and the metadata services of clouds. IPv6 addresses that carry an IPv4 address
(mapped, NAT64, 6to4, Teredo) are judged by what they carry: that is where packets end up.

Source: IANA's special-purpose address registries; `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NEVER: tuple[Network, ...] = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.100.100.200/32",  # metadata service of one cloud
        "168.63.129.16/32",  # of another, although the address is a public one
        "169.254.0.0/16",  # link-local, where most others have theirs
        "192.0.0.192/32",  # and one more
        "224.0.0.0/4",
        "255.255.255.255/32",
        "::/128",
        "fd00:ec2::254/128",
        "fd20:ce::254/128",
        "fe80::/10",
        "ff00::/8",
    )
)
_SPECIAL: tuple[Network, ...] = _NEVER + tuple(
    ip_network(network)
    for network in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "240.0.0.0/4",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
    )
)
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def list_effective_addresses(text: str) -> tuple[Address, ...]:
    """Return the addresses embedded in a literal address, or itself.

    Raises:
        ValueError: the text is no address.
    """
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return (address,)
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return (address,)


def _is_within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


def is_public(address: str) -> bool:
    """Tell whether a literal address is on the open internet.

    Raises:
        ValueError: the text is no address.
    """
    return all(
        (isinstance(each, IPv4Address) or each in _UNICAST) and not _is_within(each, _SPECIAL)
        for each in list_effective_addresses(address)
    )


def is_allowed_private(address: str, networks: Iterable[Network]) -> bool:
    """Tell whether an address is in one of the networks that an admin allows.

    Raises:
        ValueError: the text is no address.
    """
    return all(
        _is_within(each, networks) and not _is_within(each, _NEVER)
        for each in list_effective_addresses(address)
    )
