"""The outline of a space over HTTP: where to look, and the text that is there."""

from __future__ import annotations

from typing import Any

from wellworn.client.calls import OutlineCalls
from wellworn.domain.outline import OutlineAnswer, TextPage
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve

router = create_router("outline")


@serve(router, OutlineCalls.outline)
def browse(app: Opened, access: Allowed, **asked: Any) -> OutlineAnswer:
    return app.outline(access, **asked)


@serve(router, OutlineCalls.read)
def read(app: Opened, access: Allowed, **asked: Any) -> TextPage:
    return app.read(access, **asked)
