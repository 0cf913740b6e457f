"""Who asks for much and reads none of it holds nothing that others need."""

from __future__ import annotations

import http.client
import json
import socket
from collections import Counter
from contextlib import ExitStack, closing
from uuid import uuid4

import pytest

from patience import LONG_S
from query_records import make_query
from wellworn.engines.slots import MOST_OF_A_CALLER
from wellworn.interfaces import server as serving

READERS = 90
QUERIES = 900
LONG = "a question that nobody reads " * 300
SECRET = "xylophage"


def call(address: str, method: str, path: str, body: str | None = None, kind: str = "json"):
    with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as connection:
        headers = {"content-type": f"application/{kind}"} if body else {}
        connection.request(method, f"/api/v1/{path}", body=body, headers=headers)
        response = connection.getresponse()
        text = response.read().decode()
        assert response.status == 200, text
        return json.loads(text) if text else None


def fill(address: str, queries: int = QUERIES) -> None:
    """Bring in more than the sockets of a connection hold."""
    session = str(uuid4())
    records = [
        {"record": "session", "id": session, "agent_id": "ada", "created_at": 1.0},
        *(make_query(session, LONG) for _ in range(queries)),
    ]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    call(address, "POST", "import", lines, "x-ndjson")


def ask_for_export(address: str, *headers: str) -> socket.socket:
    host, port = address.split(":")
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.settimeout(LONG_S)
    reader.connect((host, int(port)))
    lines = ("GET /api/v1/export HTTP/1.1", f"Host: {host}", *headers, "", "")
    reader.sendall("\r\n".join(lines).encode())
    return reader


def is_exported(address: str, queries: int = QUERIES) -> bool:
    with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as connection:
        connection.request("GET", "/api/v1/export")
        response = connection.getresponse()
        return response.status == 200 and len(response.read().splitlines()) > queries


def test_exports_that_nobody_reads_hold_no_database(server):
    address = server.url.removeprefix("http://")
    fill(address)
    known = {"content": SECRET, "contributor_id": "ada", "contributor_name": "Ada"}
    more = {"thought_type": "original", "source_ids": [], "tags": []}
    thought = call(address, "POST", "think", json.dumps(known | more))["thought_id"]
    with ExitStack() as stack:
        readers = [stack.enter_context(ask_for_export(address)) for _ in range(READERS)]
        statuses = Counter(reader.recv(12).decode() for reader in readers)
        # Whoever asks for this many at once waits for slots, too, and some for too long.
        refused = statuses["HTTP/1.1 429"] + statuses["HTTP/1.1 503"]
        assert statuses["HTTP/1.1 200"] == MOST_OF_A_CALLER
        assert refused == READERS - MOST_OF_A_CALLER
        asked = {"prompt": "What is there?", "agent_id": "bo", "agent_name": "Bo"}
        for _ in range(5):
            call(address, "POST", "memory", json.dumps(asked))
        call(address, "DELETE", f"thoughts/{thought}", json.dumps({"agent_id": "ada"}))
        log = server.home / "wellworn.db-wal"
        assert SECRET.encode() not in log.read_bytes()
    assert any(is_exported(address) for _ in range(10_000))


def test_nothing_is_made_for_a_reader_long_before_it_is_read(server):
    address = server.url.removeprefix("http://")
    fill(address, 100)
    member = json.dumps({"name": "ada", "role": "admin"})
    issued = call(address, "POST", "credentials", member)
    with closing(ask_for_export(address, f"X-API-Key: {issued['key']}")) as reader:
        assert reader.recv(12) == b"HTTP/1.1 200"
        # What is made meanwhile is made before the next chunk of the other's export.
        assert is_exported(address, 100)
        call(address, "DELETE", f"credentials/{issued['credential']['kid']}")
        rest = b"".join(iter(lambda: reader.recv(65_536), b""))
    assert b"UNAUTHENTICATED" in rest


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux ends it")
def test_the_connection_of_somebody_who_reads_nothing_ends(monkeypatch):
    monkeypatch.setattr(serving, "_LONGEST_STALL_MS", 200)
    with serving.listening("127.0.0.1", 0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            connection, _ = listener.accept()
            with connection, pytest.raises(TimeoutError):
                connection.sendall(bytes(64 * 2**20))
