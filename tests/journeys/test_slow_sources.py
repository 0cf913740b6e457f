"""A source that is slow to answer holds up those who sync it, and nobody else."""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from journeys.test_sync_kills import NEAR
from patience import LONG_S

WAITING = 60


@contextmanager
def slow_site():
    """Serve one page on loopback, once it is released; yield its address and the two events."""
    asked, released = threading.Event(), threading.Event()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            released.wait(LONG_S)
            body = b"# Cube\n\nIt stands in the cellar."
            self.send_response(200)
            self.send_header("content-type", "text/markdown")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}/a.md", asked, released
        finally:
            released.set()
            site.shutdown()


def call(address: str, method: str, path: str, body: object = None) -> tuple[int, dict]:
    """Call as clients do: again while the server has too many calls of one address under way."""
    status, answer = send(address, method, path, body)
    while status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        status, answer = send(address, method, path, body)
    return status, answer


def send(address: str, method: str, path: str, body: object) -> tuple[int, dict]:
    with closing(http.client.HTTPConnection(address, timeout=LONG_S)) as connection:
        headers = {"content-type": "application/json"}
        connection.request(method, path, body=json.dumps(body or {}), headers=headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def test_those_who_wait_for_a_slow_source_keep_nobody_else_waiting(home, serve):
    server = serve(home, **NEAR)
    address = server.url.removeprefix("http://")
    with slow_site() as (url, asked, released), ThreadPoolExecutor(WAITING) as threads:
        source = {"source_type": "url", "name": "page", "config": {"url": url}}
        _, kept = call(address, "POST", "/api/knowledge/sources", source)
        path = f"/api/knowledge/sources/{kept['id']}/sync"
        syncs = [threads.submit(call, address, "POST", path) for _ in range(WAITING)]
        assert asked.wait(LONG_S)
        asking = {"prompt": "Where is the cube?", "agent_id": "ada", "agent_name": "Ada"}
        for _ in range(10):
            assert call(address, "POST", "/api/v1/memory", asking)[0] == 200
        released.set()
        answers = [sync.result() for sync in syncs]
    assert Counter(status for status, _ in answers) == {200: WAITING}
    assert {run["status"] for _, run in answers} == {"success"}
