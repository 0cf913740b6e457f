"""Keys, spaces and audit trails through the Python client."""

from __future__ import annotations

import json

import httpx2
import pytest

from unit.cli.fake_server import KEY, OF_SPACES, SPACE, TOKEN
from unit.client.test_client import REPLY, Server, refusal
from wellworn.client import WellwornClientError


def test_the_key_and_the_space_go_along_with_every_call():
    server = Server(REPLY)
    with server.client(key=KEY, space=SPACE) as memory:
        memory.recall("x")
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["wellworn-space"] == SPACE


def test_the_key_and_the_space_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("WELLWORN_KEY", KEY)
    monkeypatch.setenv("WELLWORN_SPACE", SPACE)
    server = Server(REPLY)
    with server.client() as memory:
        memory.recall("x")
    with server.client(key="", space="") as memory:
        memory.recall("x")
    shown = [
        (one.headers.get("authorization"), one.headers.get("wellworn-space"))
        for one in server.requests
    ]
    assert shown == [(f"Bearer {KEY}", SPACE), (None, None)]


def test_no_secret_shows_in_what_is_printed_or_raised():
    server = Server(refusal(401, "UNAUTHENTICATED"))
    with server.client(key=KEY) as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("x")
    assert KEY not in repr(memory) + repr(failure.value) + str(failure.value)
    with Server(OF_SPACES["POST", f"/api/v1/spaces/{SPACE}/invitations"]).client() as memory:
        assert TOKEN not in repr(memory.invite(SPACE))
    with Server(OF_SPACES["POST", "/api/v1/spaces"]).client() as memory:
        assert KEY not in repr(memory.create_space("the team"))


@pytest.mark.parametrize("key", ["ww_a\nb", "two words", "ww_ü", "\0"])
def test_what_cannot_be_a_key_is_refused_and_not_repeated(key):
    with pytest.raises(WellwornClientError) as failure:
        Server(REPLY).client(key=key)
    assert failure.value.code == "UNAUTHENTICATED"
    assert key not in str(failure.value)


@pytest.mark.parametrize("name", ["create_credential", "create_space", "join", "rotate_credential"])
def test_what_makes_a_secret_is_not_repeated_once_it_may_have_arrived(name):
    server = Server(httpx2.ReadError("reset"), {})
    with server.client() as memory, pytest.raises(WellwornClientError) as failure:
        getattr(memory, name)("x")
    assert failure.value.code == "UNREACHABLE"
    assert len(server.requests) == 1


def test_what_was_never_sent_is_repeated():
    server = Server(httpx2.ConnectError("refused"), OF_SPACES["POST", "/api/v1/spaces"])
    with server.client() as memory:
        assert memory.create_space("the team").space.id == SPACE
    assert len(server.requests) == 2


def limited(after):
    error = {"code": "RATE_LIMITED", "message": "slower"}
    return httpx2.Response(429, json={"error": error}, headers={"retry-after": after})


@pytest.mark.parametrize(("told", "known"), [("7", 7), ("", None), ("soon", None), ("-1", None)])
def test_too_many_calls_are_told_with_how_long_to_wait(told, known):
    server = Server(limited(told))
    with server.client() as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("x")
    assert (failure.value.code, failure.value.retry_after_s) == ("RATE_LIMITED", known)
    assert server.pauses == []


def test_an_import_waits_as_long_as_it_is_told_to():
    server = Server(limited("9"), {"imported": 1, "known": 0, "clashing": []})
    with server.client() as memory:
        assert memory.import_records([{"content": "x"}]).imported == 1
    assert server.pauses == [9]


def test_an_import_does_not_wait_for_ever():
    server = Server(limited("9"))
    with server.client(attempts=3) as memory, pytest.raises(WellwornClientError):
        memory.import_records([{"content": "x"}])
    assert server.pauses == [9, 9]


def test_an_exported_trail_keeps_every_byte_of_its_lines():
    lines = ['{"audit":"ks-default","format":1}', '{"entry":{"a":"\\u2028"},"seq":1}', "é\u2028é"]
    content = "".join(line + "\n" for line in lines).encode()
    with Server(httpx2.Response(200, content=content)).client() as memory:
        assert list(memory.export_audit()) == lines
    assert json.loads(lines[1])
