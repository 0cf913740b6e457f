"""Splits web addresses once, by one parser, so that what is checked is what is asked.

A user name or password in an address is refused: it would be copied wherever the address goes.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address

import httpx2

from wellworn.engines.fetch.failures import describe_failure
from wellworn.engines.fetch.models import Failed

_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65_535
_LONGEST_HOST = 253
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,62})"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


def _is_host(host: str) -> bool:
    if _NAME.fullmatch(host):
        return len(host) <= _LONGEST_HOST
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return isinstance(address, IPv6Address) and not address.scope_id


def fill_query(template: str, query: str) -> str:
    """Return an address with a query in the place of its `{query}`, such as a search engine's."""
    escaped = str(httpx2.QueryParams({"q": query})).removeprefix("q=")
    return template.replace("{query}", escaped)


def web_url(text: str) -> httpx2.URL | Failed:
    """Read an address that may be fetched: http or https, a sound host, no user name."""
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL:
        return describe_failure("no_address")
    return check_url(url)


def check_url(url: httpx2.URL) -> httpx2.URL | Failed:
    """Give a parsed address back without fragment, or say why it may not be fetched."""
    host = url.raw_host.decode("ascii").rstrip(".")
    if url.scheme and url.scheme not in _PORTS:
        return describe_failure("other_scheme")
    if not url.scheme or not _is_host(host) or not 0 < port_of(url) <= _LAST_PORT:
        return describe_failure("no_address")
    if url.userinfo:
        return describe_failure("userinfo", host=host)
    return url.copy_with(host=host, fragment=None)


def host_of(url: httpx2.URL) -> str:
    return url.raw_host.decode("ascii")


def port_of(url: httpx2.URL) -> int:
    return _PORTS[url.scheme] if url.port is None else url.port


def keeps_credentials(old: httpx2.URL, new: httpx2.URL) -> bool:
    """Tell whether headers meant for `old` may go to `new`: one origin, or its step up to https."""
    if host_of(old) != host_of(new):
        return False
    if (old.scheme, port_of(old)) == (new.scheme, port_of(new)):
        return True
    return (port_of(old), new.scheme, port_of(new)) == (80, "https", 443)


def address_beside(url: str, name: str) -> str:
    """Return the address of a page beside another, of the same kind, by a name.

    It stands for the last part of the path, or for what a query asks for.
    """
    here = httpx2.URL(url)
    if here.query:
        return str(here.copy_with(params=dict.fromkeys(here.params.keys(), name)))
    folder, _, _ = here.path.rstrip("/").rpartition("/")
    return str(here.copy_with(path=f"{folder}/{name}"))


def is_front_page(url: str) -> bool:
    """Tell whether an address that was fetched is that of a site's root."""
    return not httpx2.URL(url).path.strip("/")


def leads_back(landed: str, asked: str) -> bool:
    """Tell whether a page takes the address that was asked for along, to come back to it.

    So do the sign-in pages that a redirect ends at: `/login?next=/tariff`.
    """
    path, here = httpx2.URL(asked).path, httpx2.URL(landed)
    if is_front_page(asked) or path == here.path:
        return False
    return any(_find_path(value) == path for _, value in here.params.multi_items())


def _find_path(text: str) -> str:
    try:
        return httpx2.URL(text).path
    except httpx2.InvalidURL:
        return ""
