"""Ten kills under load in a sealed space: nothing acknowledged is lost, no count is off by one."""

from __future__ import annotations

import http.client
import json
import random
import threading
from collections import Counter
from itertools import combinations

import pytest

from journeys import test_kills
from patience import LONG_S

KILLS = 10
CALLERS = 4
LIMITS = {
    f"WELLWORN_SPACES__{kind}_A_MINUTE": "1000000"
    for kind in ("READS", "WRITES", "TRANSFERS", "ADMINISTRATION")
}


class Member(test_kills.Caller):
    """An agent that shows a key to a sealed space with every call."""

    def __init__(
        self, number: int, address: list[str], stop: threading.Event, shown: dict[str, str]
    ) -> None:
        super().__init__(number, address, stop)
        self.shown = shown

    def attempt(self, body: str, key: str) -> tuple[int, bytes] | None:
        headers = {"content-type": "application/json", "idempotency-key": key, **self.shown}
        try:
            return exchanged(self.address[0], "POST", "/api/v1/memory", headers, body)
        except (OSError, http.client.HTTPException):
            return None


def exchanged(
    address: str, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, timeout=LONG_S)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def told(address: str, path: str, headers: dict[str, str], body: str | None = None) -> bytes:
    method = "GET" if body is None else "POST"
    status, content = exchanged(address, method, path, headers, body)
    assert status == http.client.OK, content
    return content


def founded(address: str) -> dict[str, str]:
    """Make a sealed space and return the headers that open it."""
    kind = {"content-type": "application/json"}
    made = json.loads(
        told(address, "/api/v1/spaces", kind, json.dumps({"name": "lab", "sealed": True}))
    )
    key, space = made["issued"]["key"], made["space"]["id"]
    return {"authorization": f"Bearer {key}", "wellworn-space": space}


@pytest.mark.slow
def test_ten_kills_under_load_lose_nothing_of_a_sealed_space(serve, home):
    chance = random.Random(10)
    server = serve(home, **LIMITS)
    address = [server.url.removeprefix("http://")]
    shown = founded(address[0])
    stop = threading.Event()
    callers = [Member(number, address, stop, shown) for number in range(CALLERS)]
    for caller in callers:
        caller.start()
    for _ in range(KILLS):
        answered = sum(len(caller.replies) for caller in callers)
        wanted = answered + chance.randint(5, 60)
        while sum(len(caller.replies) for caller in callers) < wanted:
            failures = [caller.failures for caller in callers]
            assert failures == [[]] * CALLERS
            threading.Event().wait(chance.random() * 0.02)  # the moment of the kill is random
        server.kill()
        server = serve(home, **LIMITS)
        address[0] = server.url.removeprefix("http://")
    stop.set()
    for caller in callers:
        caller.join(timeout=LONG_S)
        assert not caller.is_alive()
    assert [caller.failures for caller in callers] == [[]] * CALLERS
    everything_agrees(address[0], shown, callers)
    server.kill()
    server = serve(home, **LIMITS)
    everything_agrees(server.url.removeprefix("http://"), shown, callers)


def everything_agrees(address: str, shown: dict[str, str], callers: list[Member]) -> None:
    replies = [reply for caller in callers for reply in caller.replies]
    returned = [[one["thought_id"] for one in r["result"]["sources"]] for r in replies]
    accesses = Counter(thought for result in returned for thought in result)
    pairs = Counter(frozenset(pair) for result in returned for pair in combinations(result, 2))
    records = Counter()
    thoughts = {}
    for line in told(address, "/api/v1/export", shown).splitlines():
        record = json.loads(line)
        records[record["record"]] += 1
        if record["record"] == "thought":
            thoughts[record["id"]] = record["content"]
    assert thoughts == {name: text for caller in callers for name, text in caller.said.items()}
    assert records["query"] == len(replies)
    for thought_id in thoughts:
        kept = json.loads(told(address, f"/api/v1/thoughts/{thought_id}", shown))
        assert kept["access_count"] == accesses[thought_id]
        for companion in kept["co_retrieved_with"]:
            together = frozenset({thought_id, companion["thought_id"]})
            assert companion["count"] == pairs[together]
    health = json.loads(told(address, "/api/v1/health", shown))
    assert health["collections"]["thought_space"]["points"] == len(thoughts)
    report = json.loads(told(address, "/api/v1/audit/verify", shown))
    assert report["ok"]
