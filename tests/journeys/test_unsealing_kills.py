"""A server killed while it unseals: the space stays sealed, whole, and can be unsealed."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing, suppress

import pytest

from journeys.test_sealed_kills import exchanged, founded, told
from patience import LONG_S
from wellworn.application.bootstrap import DATABASE

KNOWLEDGE = "/api/knowledge"
SAID = [f"The keeper of tower {number} trims the wick at dusk." for number in range(40)]


def fill(address, shown):
    headers = shown | {"content-type": "application/x-ndjson"}
    ana = {"contributor_id": "ana", "contributor_name": "Ana"}
    thoughts = ({"record": "thought", "content": said, **ana} for said in SAID)
    told(address, "/api/v1/import", headers, "\n".join(map(json.dumps, thoughts)))
    source = {"source_type": "upload", "name": "uploads", "config": {}}
    headers = shown | {"content-type": "application/json"}
    kept = json.loads(told(address, f"{KNOWLEDGE}/sources", headers, json.dumps(source)))
    # Many and long: the kill comes while they are embedded, after the thoughts were stored.
    for number in range(4):
        text = "\n\n".join(
            f"## Tower {n}\n\nIt is {n} feet high and number {number}." for n in range(60)
        )
        path = f"{KNOWLEDGE}/sources/{kept['id']}/files/{number}.md"
        status, content = exchanged(address, "PUT", path, shown, text)
        assert status == 200, content


def export(address, shown):
    return set(told(address, "/api/v1/export", shown).splitlines())


def unseal(address, shown):
    path = f"/api/v1/spaces/{shown['wellworn-space']}/unseal"
    with suppress(OSError):
        return exchanged(address, "POST", path, shown)
    return None


def kill_in_the_middle(server, shown):
    """Kill the server once thoughts are in the index, while documents are still embedded."""
    log = server.home / "index/thoughts/points.db-wal"
    before = log.stat().st_size
    caller = threading.Thread(
        target=unseal, args=(server.url.removeprefix("http://"), shown), daemon=True
    )
    caller.start()
    while caller.is_alive() and log.stat().st_size == before:
        threading.Event().wait(0.001)
    server.kill()
    caller.join(timeout=LONG_S)


def count(home, table):
    with closing(sqlite3.connect(home / DATABASE)) as database:
        return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_the_space_sealed_and_whole(serve, home):
    server = serve(home)
    address = server.url.removeprefix("http://")
    shown = founded(address)
    fill(address, shown)
    before = export(address, shown)
    kill_in_the_middle(server, shown)
    assert count(home, "thoughts") == 0
    assert count(home, "sealed_records")
    server = serve(home)
    address = server.url.removeprefix("http://")
    assert export(address, shown) == before
    status, content = unseal(address, shown)
    assert status == 200, content
    opened = shown | {"wellworn-space": json.loads(content)["id"]}
    server.kill()
    server = serve(home)
    address = server.url.removeprefix("http://")
    assert export(address, opened) == before
    assert count(home, "sealed_records") == 0
    health = json.loads(told(address, "/api/v1/health", opened))
    assert (health["status"], health["collections"]["thought_space"]["points"]) == ("ok", len(SAID))
