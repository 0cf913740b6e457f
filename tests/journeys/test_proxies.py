"""Whose word the server takes for the address of a caller."""

from __future__ import annotations

import http.client
from contextlib import closing

import pytest

from patience import LONG_S

PERMITTED = 3


def try_keys(address: str) -> list[int]:
    """Show wrong keys, each as if from another address; return the statuses."""
    statuses: list[int] = []
    for number in range(PERMITTED + 2):
        headers = {"X-API-Key": f"ww_{number}_x", "X-Forwarded-For": f"192.0.2.{number}"}
        with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as connection:
            connection.request("GET", "/api/v1/thoughts", headers=headers)
            statuses.append(connection.getresponse().status)
    return statuses


@pytest.mark.parametrize(
    ("proxies", "last"), [("[]", 429), ('["192.0.2.1"]', 429), ('["127.0.0.1"]', 401)]
)
def test_nobody_but_a_named_proxy_chooses_the_address_that_is_counted(home, serve, proxies, last):
    server = serve(
        home,
        WELLWORN_SPACES__PROXIES=proxies,
        WELLWORN_SPACES__READS_A_MINUTE=str(PERMITTED),
    )
    assert try_keys(server.url.removeprefix("http://"))[-1] == last
