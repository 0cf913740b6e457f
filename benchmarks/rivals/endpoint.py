"""wellworn's encoder behind the embeddings call that rivals know how to make, on loopback.

Rivals would download a model or need a key. All of those measured can be pointed to an endpoint
of this shape by their own settings, so they get the encoder that wellworn has, unpatched.

Source: the OpenAI embeddings API, as far as the rivals use it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final, cast
from urllib.request import Request, urlopen

from benchmarks.processes import environment
from wellworn.engines.embedding import Embedder, EmbeddingSettings, MiniLM

MODEL: Final = "all-MiniLM-L6-v2"


@contextmanager
def endpoint(embedder: Embedder) -> Generator[str]:
    """Serve the encoder until the block ends; yield the base address, ending in `/v1`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(embedder))
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serve_encoder() -> Generator[tuple[str, int]]:
    """Serve wellworn's encoder from a process of its own; yield its address and process id."""
    command = [sys.executable, "-m", "benchmarks.rivals.endpoint"]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield (process.stdout.readline().strip() if process.stdout else ""), process.pid
        finally:
            process.kill()


def embed_text(url: str, text: str) -> None:
    """Have the endpoint embed one text, over a connection of its own, as most rivals do."""
    body = json.dumps({"input": [text], "model": MODEL}).encode()
    with urlopen(Request(f"{url}/embeddings", body)) as reply:  # noqa: S310 - on loopback
        json.load(reply)


def answer(embedder: Embedder, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to one request; `input` is a text or a list of texts."""
    given = asked["input"]
    texts = [given] if isinstance(given, str) else cast("list[str]", given)
    vectors = list(embedder.embed(texts)) if texts else []
    data = [
        {"object": "embedding", "index": number, "embedding": vector.tolist()}
        for number, vector in enumerate(vectors)
    ]
    used = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "model": MODEL, "data": data, "usage": used}


def _handler(embedder: Embedder) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else every reply waits 40 ms for an acknowledgement

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(answer(embedder, asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            del format, args

    return Handler


if __name__ == "__main__":
    with endpoint(MiniLM(EmbeddingSettings())) as address:
        print(address, flush=True)
        sys.stdin.read()
