"""Turns of a sealed space are never readable on the disk once a server has started."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
from contextlib import suppress

import pytest

from journeys.test_sealed_kills import exchanged, founded, told
from journeys.test_sync_kills import until
from journeys.test_turn_kills import SETTINGS, Site, make_query
from journeys.test_unsealing_kills import unseal
from patience import LONG_S

TURNS = 40

pytestmark = pytest.mark.slow


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


def ask(address, shown, number):
    headers = shown | {"content-type": "application/json"}
    body = {"query": f"Which tower is number {number}?", "agent_id": "ana"}
    status, content = exchanged(address, "POST", "/api/v1/turns", headers, json.dumps(body))
    assert status == 201, content


def list_documents(home):
    return list(home.rglob("context.md"))


def count_turns(address, shown):
    return len(json.loads(told(address, "/api/v1/turns?limit=100", shown))["turns"])


def change(address, shown, action):
    status, content = exchanged(
        address, "POST", f"/api/v1/spaces/{shown['wellworn-space']}/{action}", shown
    )
    assert status == 200, content
    return shown | {"wellworn-space": json.loads(content)["id"]}


def test_a_kill_while_unsealing_leaves_no_turn_readable(serve, home):
    server = serve(home)
    address = server.url.removeprefix("http://")
    shown = founded(address)
    for number in range(TURNS):
        ask(address, shown, number)
    caller = threading.Thread(target=unseal, args=(address, shown), daemon=True)
    caller.start()
    until(lambda: list_documents(home))
    server.kill()
    caller.join(timeout=LONG_S)
    assert list_documents(home)
    server = serve(home)
    assert list_documents(home) == []
    address = server.url.removeprefix("http://")
    assert count_turns(address, shown) == TURNS
    opened = change(address, shown, "unseal")
    assert len(list_documents(home)) == TURNS
    server.kill()
    server = serve(home)
    assert len(list_documents(home)) == TURNS
    assert count_turns(server.url.removeprefix("http://"), opened) == TURNS


def test_a_turn_of_a_sealed_space_whose_server_was_killed_is_interrupted(serve, home, site):
    server = serve(home, **SETTINGS)
    address = server.url.removeprefix("http://")
    shown = founded(address)
    asked = threading.Thread(
        target=ask_in_vain, args=(address, shown, make_query(site.url("/held"))), daemon=True
    )
    asked.start()
    site.wait_until_asked()
    server.kill()
    asked.join(timeout=LONG_S)
    site.may_answer.set()
    server = serve(home, **SETTINGS)
    address = server.url.removeprefix("http://")
    [turn] = json.loads(told(address, "/api/v1/turns", shown))["turns"]
    assert turn["status"] == "interrupted"
    headers = shown | {"content-type": "application/json"}
    ended = json.loads(told(address, f"/api/v1/turns/{turn['id']}/resume", headers, ""))
    assert ended["turn"]["status"] == "done"
    assert "The ferry held leaves the harbour at noon." in ended["text"]


def ask_in_vain(address, shown, query):
    headers = shown | {"content-type": "application/json"}
    with suppress(OSError, http.client.HTTPException):
        body = json.dumps({"query": query, "agent_id": "ana"})
        exchanged(address, "POST", "/api/v1/turns", headers, body)


def test_a_kill_after_sealing_leaves_no_turn_readable(serve, home, tmp_path):
    server = serve(home)
    address = server.url.removeprefix("http://")
    shown = change(address, founded(address), "unseal")
    ask(address, shown, 1)
    [document] = list_documents(home)
    folder = home / "turns" / document.relative_to(home / "turns").parts[0]
    shutil.copytree(folder, tmp_path / "before")
    shown = change(address, shown, "seal")
    server.kill()
    # As if it had been killed after the transaction, before it removed the files.
    shutil.copytree(tmp_path / "before", folder)
    server = serve(home)
    assert list_documents(home) == []
    assert not folder.exists()
    assert count_turns(server.url.removeprefix("http://"), shown) == 1
