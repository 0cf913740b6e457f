from __future__ import annotations

import socket

from wellworn.server import listening


def test_small_answers_are_sent_at_once():
    # asyncio switches Nagle's algorithm off only where the protocol is named; each answer of a
    # kept connection waited 40 ms before.
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
