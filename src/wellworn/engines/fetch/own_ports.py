"""The ports that this process listens on: nothing is fetched from there, allowed or not.

Those who can make a server fetch would read with the rights of those who are on its machine.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from wellworn.engines.fetch.addresses import list_effective_addresses

_claimed: Final = Counter[int]()


@contextmanager
def claim_port(port: int) -> Generator[None]:
    """Count a port as this process's own for the length of the block."""
    _claimed[port] += 1
    try:
        yield
    finally:
        _claimed[port] -= 1


def is_own(address: str, port: int) -> bool:
    """Tell whether a literal address and a port lead back to this process.

    Raises:
        ValueError: the text is no address.
    """
    return _claimed[port] > 0 and any(
        _is_of_this_machine(str(each), each.version) for each in list_effective_addresses(address)
    )


def _is_of_this_machine(address: str, version: int) -> bool:
    """Tell whether an address is one of this machine's: nobody can bind another."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6  # noqa: PLR2004 - of IP
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
