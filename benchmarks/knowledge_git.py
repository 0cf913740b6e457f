"""A bare repository and git's own HTTP server for it, on loopback."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

_WHO = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
_NOBODY = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_ENVIRONMENT = {**_NOBODY, **dict.fromkeys(_WHO, "docs@example.org")}


class Repository:
    """A bare repository that is written without a work tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._call("init", "--quiet", "--bare", "--initial-branch=main")
        self._call("config", "uploadpack.allowFilter", "true")

    def commit(self, files: Mapping[str, str]) -> None:
        """Make the branch `main` hold just these files."""
        told = ["commit refs/heads/main\n", "committer Docs <docs@example.org> 0 +0000\n"]
        told += ["data 4\ndocs\n", "deleteall\n"]
        stream = "".join(told).encode()
        for path, text in files.items():
            content = text.encode()
            stream += f"M 644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
        self._call("fast-import", "--quiet", "--force", given=stream)

    def _call(self, *words: str, given: bytes = b"") -> None:
        command = ["git", "--git-dir", str(self._folder), *words]
        subprocess.run(command, input=given, check=True, env=_ENVIRONMENT, capture_output=True)


@contextmanager
def served(folder: Path) -> Generator[str]:
    """Serve the repositories of a folder until the block ends; gives the address."""
    handler = type("Handler", (_Backend,), {"folder": folder})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Backend(BaseHTTPRequestHandler):
    """Hands requests to `git http-backend`."""

    folder: Path

    def do_GET(self) -> None:
        path, _, asked = self.path.partition("?")
        length = int(self.headers.get("content-length", 0))
        environment = {
            **_NOBODY,
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": asked,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(length),
        }
        done = subprocess.run(
            ["git", "http-backend"],  # noqa: S607 - as git itself finds it
            input=self.rfile.read(length),
            env=environment,
            capture_output=True,
            check=False,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815 - the name the base class calls

    def log_message(self, *_: object) -> None:
        """Say nothing."""
