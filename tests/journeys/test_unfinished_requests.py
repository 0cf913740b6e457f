"""Who opens connections and asks for nothing, or never ends asking, keeps nobody out."""

from __future__ import annotations

import http.client
import resource
import socket
from contextlib import ExitStack, closing, suppress
from functools import partial
from select import select

import pytest

from patience import LONG_S
from wellworn.interfaces.http.connections import LONGEST_HEAD, MOST_PIPELINED
from wellworn.interfaces.http.gate import LONGEST_IMPORT
from wellworn.interfaces.http.shedding import MOST_BYTES_OF_A_CALLER

HALF = 600
DESCRIPTORS = 128
HEAD = b"POST /api/v1/memory HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
UNFINISHED = {
    "nothing": b"",
    "half a head": b"GET /api/v1/health HTTP/1.1\r\nhost: 127.0",
    "half a body": HEAD + b"content-length: 900\r\n\r\n{",
}


def connect(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=LONG_S)


@pytest.mark.parametrize("begun", UNFINISHED)
def test_a_probe_gets_in_beside_hundreds_of_unfinished_requests(server, begun):
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    with ExitStack() as stack:
        for _ in range(HALF):
            unfinished = stack.enter_context(connect(server.url))
            with suppress(ConnectionError):
                unfinished.sendall(UNFINISHED[begun])
        address = server.url.removeprefix("http://")
        with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as probe:
            probe.request("GET", "/health/live")
            assert probe.getresponse().status == 200


def test_a_probe_gets_in_beside_hundreds_of_connections_that_ask_no_more(server):
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    with ExitStack() as stack:
        for _ in range(HALF):
            idle = stack.enter_context(connect(server.url))
            with suppress(ConnectionError):
                idle.sendall(b"GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
                idle.recv(12)
        address = server.url.removeprefix("http://")
        with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as probe:
            probe.request("GET", "/health/live")
            assert probe.getresponse().status == 200


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /api/v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n",
        HEAD + b"transfer-encoding: chunked\r\n\r\n0\r\n",
    ],
    ids=["head", "trailers"],
)
def test_headers_that_never_end_are_refused_before_they_are_read(server, begun):
    with closing(connect(server.url)) as caller:
        caller.sendall(begun)
        sent = 0
        with suppress(ConnectionError):
            while sent < 100 * LONGEST_HEAD:
                caller.sendall(b"x: " + b"y" * 1021 + b"\r\n")
                sent += 1_026
        assert sent < 100 * LONGEST_HEAD


def test_bodies_that_never_end_fill_no_memory(server):
    allowed = MOST_BYTES_OF_A_CALLER // LONGEST_IMPORT
    head = HEAD.replace(b"memory", b"import").replace(b"json", b"x-ndjson")
    with ExitStack() as stack:
        callers = [stack.enter_context(closing(connect(server.url))) for _ in range(allowed + 2)]
        for caller in callers:
            caller.sendall(head + b"content-length: %d\r\n\r\n" % LONGEST_IMPORT)
            caller.sendall(b" " * (LONGEST_IMPORT - 1))
        refused, _, _ = select(callers, (), (), LONG_S)
        assert refused
        assert {caller.recv(12) for caller in refused} == {b"HTTP/1.1 503"}
        address = server.url.removeprefix("http://")
        with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as other:
            body = b'{"prompt": "Where is it?", "agent_id": "bo", "agent_name": "Bo"}'
            other.request("POST", "/api/v1/memory", body, {"content-type": "application/json"})
            assert other.getresponse().status == 200


def test_requests_that_follow_each_other_unanswered_end_their_connection(server):
    followed = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 100 * MOST_PIPELINED
    with closing(connect(server.url)) as caller:
        caller.sendall(followed)
        answered = b"".join(iter(partial(recv, caller), b""))
    assert answered.count(b"HTTP/1.1 ") <= MOST_PIPELINED + 1
    with closing(connect(server.url)) as caller:
        caller.sendall(b"GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * MOST_PIPELINED)
        answered = b""
        while answered.count(b"HTTP/1.1 200") < MOST_PIPELINED:
            answered += caller.recv(65_536)


def recv(caller: socket.socket) -> bytes:
    """Return what was answered; nothing more where the connection was ended meanwhile."""
    with suppress(ConnectionError):
        return caller.recv(65_536)
    return b""
