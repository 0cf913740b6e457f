"""The pages as one ASGI app, which costs a server nothing until somebody opens a browser.

Templates and pages load with the first request. Static files are few, packed once, and named by
their content, so that a browser asks for each once.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wellworn.application.calls import App

PATHS: Final = ("/", "/ui", "/ui/{path:path}")
STATIC: Final = "/ui/static/"
_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_A_YEAR: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent; `version` changes with its content."""

    packed: bytes
    media_type: str
    version: str


class StaticFiles:
    """The files beside the pages, read once."""

    @cached_property
    def files(self) -> dict[str, StaticFile]:
        """The files by name."""
        return {
            path.name: StaticFile(
                gzip.compress(path.read_bytes(), mtime=0),
                _TYPES[path.suffix],
                sha256(path.read_bytes()).hexdigest()[:12],
            )
            for path in _FOLDER.iterdir()
            if path.suffix in _TYPES
        }

    def locate(self, name: str) -> str:
        """Return the address of a file."""
        return f"{STATIC}{name}?v={self.files[name].version}"

    def answer(self, name: str) -> Response:
        """Return a file, or that there is none."""
        file = self.files.get(name)
        if file is None:
            return Response("no such file", 404, media_type="text/plain")
        headers = {"Cache-Control": _A_YEAR, "Content-Encoding": "gzip"}
        return Response(file.packed, headers=headers, media_type=file.media_type)


class WebSite:
    """The ASGI app; `PATHS` are where it belongs."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._static = StaticFiles()
        self._loading = anyio.Lock()
        self._pages: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = Request(scope).url.path
        if path.startswith(STATIC):
            response: ASGIApp = self._static.answer(path.removeprefix(STATIC))
        elif path == "/":
            response = RedirectResponse("/ui", 303)
        else:
            response = await self._load()
        await response(scope, receive, send)

    async def _load(self) -> ASGIApp:
        async with self._loading:
            self._pages = self._pages or await run_sync(self._build)
            return self._pages

    def _build(self) -> ASGIApp:
        from wellworn.interfaces.web.answering import PageServer  # noqa: PLC0415 - loads Jinja2

        locate: Callable[[str], str] = self._static.locate
        return PageServer(self._app, locate)
