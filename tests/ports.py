"""Ports that nobody else takes meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def hold_port() -> Generator[int]:
    """Hold a port on loopback where nobody answers, until a server asks for this very port."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
