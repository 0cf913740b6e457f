"""Bare repositories made for a test, and git's own HTTP server for them on loopback."""

from __future__ import annotations

import os
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

_NOBODY = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@docs.example",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@docs.example",
}
REGULAR, SYMLINK, SUBMODULE = "100644", "120000", "160000"


class Repository:
    """A bare repository whose commits are written entry by entry, so that any name is possible."""

    def __init__(self, folder: Path, *, filters: bool = True) -> None:
        self.folder = folder
        self._call(None, "init", "--quiet", "--bare", "--initial-branch=main", str(folder))
        self._call("config", "uploadpack.allowFilter", str(filters).lower())
        self._call("config", "http.receivepack", "false")

    def blob(self, data: bytes) -> str:
        return self._call("hash-object", "-w", "--stdin", given=data)

    def commit(
        self,
        files: dict[str | bytes, bytes | tuple[str, str]],
        branch="main",
        *,
        parent: str | None = None,
        day: str = "2026-01-01",
    ) -> str:
        """Make a branch hold just these files; a pair is a mode and an object id."""
        names = {os.fsencode(name): what for name, what in files.items()}
        before = ["-p", parent] if parent else []
        told = ["commit-tree", self._tree(names), *before, "-m", "as told"]
        commit = self._call(*told, day=day)
        self._call("update-ref", f"refs/heads/{branch}", commit)
        return commit

    def remove(self, branch: str) -> None:
        self._call("update-ref", "-d", f"refs/heads/{branch}")

    def _tree(self, files: dict[bytes, bytes | tuple[str, str]]) -> str:
        """Write trees directly: git's own index would refuse some of the names."""
        folders: dict[bytes, dict] = {}
        entries: list[tuple[bytes, str, str]] = []
        for name, what in files.items():
            first, slash, rest = name.partition(b"/")
            if slash:
                folders.setdefault(first, {})[rest] = what
            else:
                mode, oid = what if isinstance(what, tuple) else (REGULAR, self.blob(what))
                entries.append((name, mode, oid))
        entries += [(name, "40000", self._tree(inside)) for name, inside in folders.items()]
        entries.sort(key=lambda entry: entry[0] + (b"/" if entry[1] == "40000" else b""))
        raw = b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for name, mode, oid in entries
        )
        return self._call("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=raw)

    def _call(self, *arguments: str | None, given: bytes = b"", day: str = "2026-01-01") -> str:
        place = [] if arguments[0] is None else ["--git-dir", str(self.folder)]
        command = ["git", *place, *(part for part in arguments if part is not None)]
        env = _NOBODY | {"GIT_COMMITTER_DATE": f"{day}T00:00:00Z"}
        done = subprocess.run(command, input=given, capture_output=True, check=True, env=env)
        return done.stdout.decode().strip()


class GitServer:
    """Serves the repositories of a folder by `git http-backend`; `asked` keeps each request."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.status: int | None = None
        self.location: str | None = None
        handler = type("Handler", (_Handler,), {"served": self, "folder": folder})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port: int = self._http.server_address[1]
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def url(self, name: str = "docs.git", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{name}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: GitServer
    folder: Path

    def do_GET(self) -> None:
        self.served.asked.append((self.path, dict(self.headers)))
        if self.served.status is not None:
            self.send_response(self.served.status)
            if self.served.location is not None:
                self.send_header("Location", self.served.location)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._run_backend(self._body())

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *told: object) -> None:
        """Say nothing on the terminal."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _run_backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        environment = _NOBODY | {
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, check=False, env=environment
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
