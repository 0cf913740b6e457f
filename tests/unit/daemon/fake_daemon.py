"""A stand-in for `wellworn serve`: holds the folder, answers, announces itself, knows nothing."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from wellworn.engines import daemon
from wellworn.errors import StoreInUse


class Alive(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def main(home: Path) -> None:
    with daemon.hold_folder(home), HTTPServer(("127.0.0.1", 0), Alive) as server:
        daemon.announce(home, f"http://127.0.0.1:{server.server_port}")
        with (home / "starts.txt").open("a") as starts:
            starts.write("started\n")
        server.serve_forever()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except StoreInUse as refusal:
        sys.exit(f"refused: {refusal}")
