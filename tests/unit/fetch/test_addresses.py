from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.fetch.addresses import is_allowed_private, is_public

EVERYTHING = (ip_network("0.0.0.0/0"), ip_network("::/0"))

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "192.0.1.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]
NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
NEVER = [
    "0.0.0.0",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_open_internet_is_public(address):
    assert is_public(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_a_special_address_is_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", NEVER)
def test_link_local_and_metadata_addresses_are_not_reached_even_if_named(address):
    assert not is_allowed_private(address, EVERYTHING)


def test_a_private_address_is_reached_only_inside_a_named_network():
    networks = (ip_network("10.1.0.0/16"), ip_network("fd00:1::/32"))
    assert is_allowed_private("10.1.2.3", networks)
    assert is_allowed_private("::ffff:10.1.2.3", networks)
    assert is_allowed_private("fd00:1::5", networks)
    assert not is_allowed_private("10.2.0.1", networks)
    assert not is_allowed_private("8.8.8.8", networks)
    assert not is_allowed_private("10.1.2.3", ())


def test_teredo_is_judged_by_its_server_and_its_client():
    def teredo(server: str, client: str) -> str:
        hidden = int(IPv4Address(client)) ^ 0xFFFF_FFFF
        return str(IPv6Address((0x2001_0000 << 96) | (int(IPv4Address(server)) << 64) | hidden))

    assert is_public(teredo("65.54.227.120", "8.8.8.8"))
    assert not is_public(teredo("65.54.227.120", "10.0.0.1"))
    assert not is_public(teredo("127.0.0.1", "8.8.8.8"))


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_changes_nothing(address):
    number = int(address)
    mapped = IPv6Address((0xFFFF << 32) | number)
    translated = IPv6Address((0x0064_FF9B << 96) | number)
    tunnelled = IPv6Address((0x2002 << 112) | (number << 80) | 1)
    judged = {is_public(str(each)) for each in (address, mapped, translated, tunnelled)}
    reached = {
        is_allowed_private(str(each), EVERYTHING)
        for each in (address, mapped, translated, tunnelled)
    }
    assert len(judged) == len(reached) == 1


@given(st.ip_addresses())
def test_whatever_is_public_python_calls_global_too(address):
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
    if is_public(str(address)) and inner not in ip_network("64:ff9b::/96"):
        assert inner.is_global or getattr(inner, "teredo", None)
