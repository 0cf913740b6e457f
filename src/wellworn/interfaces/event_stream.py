"""Writes streams of server-sent events: each with its name and data, and comments in between.

Source: WHATWG HTML, server-sent events.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from starlette.responses import StreamingResponse

EVENTS: Final = "text/event-stream"
"""The media type of such a stream."""
NOTHING_HAPPENED: Final = ": nothing happened\n\n"
"""A comment that keeps a connection alive, and shows whether it still is."""


def format_event(data: str, *, name: str | None = None) -> str:
    """Write an event whose data is on one line; one without a name is a message."""
    return f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n"


def stream(text: AsyncGenerator[str]) -> StreamingResponse:
    """Answer with a stream that no cache keeps and no proxy holds back."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(text, media_type=EVENTS, headers=headers)
