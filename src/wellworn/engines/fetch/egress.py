"""The guard at the way out: a name is resolved once, and every address it has must be allowed.

What it answers with is what the HTTP client and git connect to, so a name that changes its address
between the check and the connection (DNS rebinding) gains nothing.

Source: `docs/security.md`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address, ip_network
from queue import Empty, SimpleQueue
from threading import Thread

from wellworn.engines.fetch.addresses import Network, is_allowed_private, is_public
from wellworn.engines.fetch.deadline import Deadline
from wellworn.engines.fetch.failures import describe_failure
from wellworn.engines.fetch.models import Failed
from wellworn.engines.fetch.own_ports import is_own
from wellworn.engines.fetch.settings import FetchSettings

Resolver = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host; raises OSError where it has none."""


def system_resolver(host: str, port: int) -> list[str]:
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in infos]


@dataclass(frozen=True, slots=True)
class ResolvedHost:
    """Addresses that may be connected to, best first; private ones only by permission."""

    addresses: tuple[str, ...]
    is_private: bool


class Egress:
    def __init__(self, settings: FetchSettings, resolver: Resolver) -> None:
        self._settings = settings
        self._resolver = resolver

    @cached_property
    def _networks(self) -> tuple[Network, ...]:
        return tuple(ip_network(network) for network in self._settings.private_networks)

    def resolve(self, host: str, port: int, deadline: Deadline) -> ResolvedHost | Failed:
        """Resolve a host once and judge all of its addresses, and the port, which is never ours."""
        addresses = self._addresses(host, port, deadline)
        if isinstance(addresses, Failed):
            return addresses
        if any(is_own(address, port) for address in addresses):
            return describe_failure("own_address", host=host)
        private = [address for address in addresses if is_allowed_private(address, self._networks)]
        if not all(address in private or is_public(address) for address in addresses):
            return describe_failure("private_address", host=host)
        is_private = len(private) == len(addresses)
        if not is_private and port not in self._settings.ports:
            return describe_failure("odd_port", host=host, port=port)
        return ResolvedHost(addresses, is_private)

    def _addresses(self, host: str, port: int, deadline: Deadline) -> tuple[str, ...] | Failed:
        literal = _literal(host)
        if literal is not None:
            return (literal,)
        try:
            addresses = self._ask_resolver(host, port, deadline)
        except Empty:
            return describe_failure("timeout", host=host, seconds=self._settings.deadline_s)
        return addresses or describe_failure("unknown_host", host=host)

    def _ask_resolver(self, host: str, port: int, deadline: Deadline) -> tuple[str, ...]:
        """Ask the resolver in a thread: the system's own cannot be given a time limit."""
        answers = SimpleQueue[tuple[str, ...]]()

        def ask() -> None:
            try:
                answers.put(tuple(dict.fromkeys(self._resolver(host, port))))
            except (OSError, UnicodeError):
                answers.put(())

        Thread(target=ask, name="wellworn-resolver", daemon=True).start()
        return answers.get(timeout=deadline.remaining_s())


def _literal(host: str) -> str | None:
    """Read a host that is an address, in the short and octal forms that systems take as well."""
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None
