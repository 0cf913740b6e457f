"""A server on loopback that speaks OpenAI's protocol and says what a test wrote down."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Reply:
    """What the server sends; a dictionary of fields is wrapped as a model's answer."""

    fields: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    with_usage: bool = True
    tokens_out: int = 9
    waits_for: Event | None = None

    def content(self) -> bytes:
        if self.body is not None:
            return self.body
        if self.status >= 400:
            return json.dumps({"error": {"message": "no", "code": None}}).encode()
        message = {"role": "assistant", "content": json.dumps(self.fields)}
        usage = {"prompt_tokens": 40, "completion_tokens": self.tokens_out, "total_tokens": 49}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "stub",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        return json.dumps(answer | ({"usage": usage} if self.with_usage else {})).encode()


@dataclass
class ModelServer:
    url: str
    requests: list[dict[str, Any]]
    headers: list[dict[str, str]]


@contextmanager
def serving(replies: Iterable[Reply]):
    """Serve these replies in turn, then 500 for ever."""
    rest = iter(replies)
    made = ModelServer("", [], [])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            made.requests.append(json.loads(sent))
            made.headers.append({name.lower(): said for name, said in self.headers.items()})
            reply = next(rest, Reply(status=500))
            if reply.waits_for:
                reply.waits_for.wait(10)
            content = reply.content()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
