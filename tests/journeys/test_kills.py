"""Kills under load: nothing acknowledged is lost, and no count is off by one.

There are fifty, or as many as the variable KILLS says: `KILLS=200 python -m pytest` with this file.

Every call carries an Idempotency-Key and is repeated until it is answered, as a careful client
does. So each call counts exactly once, whether the server died before, within or after it, and
every number in the ledger can be compared with the answers.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import threading
from collections import Counter
from itertools import combinations
from uuid import uuid4

import pytest

from patience import LONG_S

KILLS = int(os.environ.get("KILLS", "50"))
CALLERS = 4
WORDS = ["cache", "deploy", "index", "ledger", "lock", "queue", "replica", "retry", "schema"]


class Caller(threading.Thread):
    """An agent that says new things and asks for old ones, until told to stop."""

    def __init__(self, number: int, address: list[str], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.agent = f"agent-{number}"
        self.address, self.stop = address, stop
        self.chance = random.Random(number)
        self.replies: list[dict] = []
        self.failures: list[tuple[int, bytes]] = []
        self.said: dict[str, str] = {}

    def run(self) -> None:
        while not self.stop.is_set():
            words = " ".join(self.chance.choices(WORDS, k=5))
            if self.chance.random() < 0.5:
                self.call(f"{self.agent} learned about {words}, case {uuid4()}.", "always")
            else:
                self.call(f"what about {words}?", "never")

    def call(self, prompt: str, contribute: str) -> None:
        body = json.dumps(
            {
                "prompt": prompt,
                "agent_id": self.agent,
                "agent_name": self.agent,
                "contribute": contribute,
                "limit": 5,
            }
        )
        key = str(uuid4())
        while (answer := self.attempt(body, key)) is None:
            self.stop.wait(0.02)  # the server is being started again
        status, content = answer
        if status != http.client.OK:
            self.failures.append(answer)
            return
        reply = json.loads(content)
        self.replies.append(reply)
        if contribute == "always":
            self.said[reply["trace"]["thought_id"]] = prompt

    def attempt(self, body: str, key: str) -> tuple[int, bytes] | None:
        connection = http.client.HTTPConnection(self.address[0], timeout=30)
        try:
            connection.request(
                "POST",
                "/api/v1/memory",
                body,
                {"content-type": "application/json", "idempotency-key": key},
            )
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


@pytest.mark.slow
@pytest.mark.timeout(max(600, 12 * KILLS))
def test_kills_under_load_lose_nothing_and_miscount_nothing(serve, home):
    chance = random.Random(50)
    address = ["127.0.0.1:1"]
    stop = threading.Event()
    callers = [Caller(number, address, stop) for number in range(CALLERS)]
    for caller in callers:
        caller.start()
    for _ in range(KILLS):
        server = serve(home)
        address[0] = server.url.removeprefix("http://")
        answered = sum(len(caller.replies) for caller in callers)
        wanted = answered + chance.randint(1, 25)
        while sum(len(caller.replies) for caller in callers) < wanted:
            threading.Event().wait(chance.random() * 0.02)  # the moment of the kill is random
        server.kill()
    server = serve(home)
    address[0] = server.url.removeprefix("http://")
    stop.set()
    for caller in callers:
        caller.join(timeout=LONG_S)
        assert not caller.is_alive()
    assert [caller.failures for caller in callers] == [[]] * CALLERS
    everything_agrees(address[0], callers)


def everything_agrees(address: str, callers: list[Caller]) -> None:
    replies = [reply for caller in callers for reply in caller.replies]
    returned = [[one["thought_id"] for one in r["result"]["sources"]] for r in replies]
    accesses = Counter(thought for result in returned for thought in result)
    pairs = Counter(frozenset(pair) for result in returned for pair in combinations(result, 2))
    assert len(replies) > KILLS

    records = {}
    for line in get(address, "/api/v1/export").splitlines():
        record = json.loads(line)
        records.setdefault(record["record"], []).append(record)
    thoughts = {record["id"]: record for record in records["thought"]}
    for caller in callers:
        for thought_id, prompt in caller.said.items():
            assert thoughts[thought_id]["content"] == prompt
    assert len(thoughts) == sum(len(caller.said) for caller in callers)
    assert len(records["query"]) == len(replies)

    for thought_id in thoughts:
        kept = json.loads(get(address, f"/api/v1/thoughts/{thought_id}"))
        assert kept["access_count"] == accesses[thought_id]
        for companion in kept["co_retrieved_with"]:
            together = frozenset({thought_id, companion["thought_id"]})
            assert companion["count"] == pairs[together]
    health = json.loads(get(address, "/api/v1/health"))
    assert health["collections"]["thought_space"]["points"] == len(thoughts)


def get(address: str, path: str) -> bytes:
    connection = http.client.HTTPConnection(address, timeout=LONG_S)
    connection.request("GET", path)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    assert response.status == http.client.OK, content
    return content
