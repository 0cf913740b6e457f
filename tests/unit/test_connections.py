"""Which of the connections that owe a request makes room for others."""

from __future__ import annotations

import asyncio

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from wellworn.interfaces.http import connections
from wellworn.interfaces.http.connections import BoundedConnection

ALLOWED = 20


class FakeTransport(asyncio.Transport):
    """The server's end of a connection from an address."""

    def __init__(self, address):
        super().__init__({"peername": (address, 50_000), "sockname": ("127.0.0.1", 80)})
        self.is_closed = False

    def close(self):
        self.is_closed = True


async def answer(_scope, _receive, _send):
    """Answer nothing: nobody asks."""


@pytest.fixture
def few_allowed(monkeypatch):
    monkeypatch.setattr(connections, "_MOST", ALLOWED)


def play(*addresses):
    """Open a silent connection from each address in turn; return which of them are still open."""

    async def open_all():
        config = Config(answer, ws="none", lifespan="off", log_config=None)
        opened = []
        for address in addresses:
            connection = BoundedConnection(config, ServerState(), {})
            transport = FakeTransport(address)
            connection.connection_made(transport)
            opened.append((connection, transport))
        still_open = [not transport.is_closed for _, transport in opened]
        for connection, _ in opened:
            connection.end()
        return still_open

    return asyncio.run(open_all())


@pytest.mark.usefixtures("few_allowed")
def test_the_one_that_was_silent_for_longest_makes_room():
    assert play(*["10.0.0.1"] * 50) == [False] * 30 + [True] * ALLOWED


@pytest.mark.usefixtures("few_allowed")
def test_whoever_opens_many_connections_ends_none_of_another_address():
    still_open = play("10.0.0.2", *["10.0.0.1"] * 50, "10.0.0.3")
    assert still_open == [True] + [False] * 32 + [True] * 18 + [True]
    assert not BoundedConnection._waiting_by_address
