"""Far more clients than the server answers at once: all get in, and the probes answer meanwhile."""

from __future__ import annotations

import http.client
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from patience import LONG_S
from wellworn.client import Wellworn

CLIENTS = 40


def test_a_crowd_that_comes_again_is_answered_whole(home, serve):
    bounds = {"AT_ONCE": "2", "MOST_WAITING": "8", "MOST_OF_A_CALLER": "6"}
    server = serve(home, **{f"WELLWORN_SLOTS__{name}": bound for name, bound in bounds.items()})

    def ask(number: int) -> bool:
        with Wellworn(server.url, attempts=100) as client:
            client.recall(f"cedar {number}")
        return True

    with ThreadPoolExecutor(CLIENTS) as threads:
        asked = [threads.submit(ask, number) for number in range(CLIENTS)]
        address = server.url.removeprefix("http://")
        for path in ("/health/live", "/health/ready"):
            with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as probe:
                probe.request("GET", path)
                assert probe.getresponse().status == 200
        assert all(call.result() for call in asked)
