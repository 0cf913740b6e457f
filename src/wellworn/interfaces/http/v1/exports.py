"""Exports: lines as fast as their reader takes them, who holds nothing but a slot meanwhile.

A stream from an open transaction is as long as its reader likes: ninety that nobody reads took all
connections, and one held erased words in the database's log. So a chunk is made from pages that
were read in transactions of their own, by a thread that is free again before the chunk is sent.
One thread makes the chunks of all exports, so that other calls compete with no more of them.
An export that has to make room for others' says so in its last line, and is broken off; so does one
whose reader may read no more, or whose sealed space was closed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Final

from anyio import CancelScope
from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from wellworn.application.calls import App
from wellworn.domain.spaces import Access
from wellworn.engines.slots import CallerSlots, give_back_slot
from wellworn.errors import Overloaded, SpaceNotFound, StorageUnavailable, Unauthenticated
from wellworn.interfaces.http.errors import describe_failure
from wellworn.interfaces.http.gate import LINES
from wellworn.interfaces.http.waiting import run_beside

A_LINE: Final = {"schema": {"type": "string", "description": "One JSON record a line."}}
_CHUNK_CHARACTERS: Final = 64 * 1024
_ENDINGS: Final = (Overloaded, SpaceNotFound, StorageUnavailable, Unauthenticated)
"""Errors that end an export early."""


def get_slots(request: Request) -> CallerSlots:
    """Return the slots of the app."""
    return request.app.state.export_slots


Slots = Annotated[CallerSlots, Depends(get_slots)]


async def respond_with_export(
    request: Request,
    access: Access,
    slots: CallerSlots,
    *,
    caller: Sequence[str],
    lines: Callable[[], Iterable[str]],
) -> StreamingResponse:
    """Return all lines as a stream; the first are made now, so that a refusal comes before it.

    Nothing is sent that was read when the caller had lost the right to it.

    Raises:
        RateLimited: as `CallerSlots.take`.
        WellwornError: what making the lines raises.
    """
    app: App = request.app.state.memory_app
    text = _hold_slot(slots, caller, lines)
    next(text)
    give_back_slot(request.scope)
    read = partial(_read_chunk, text, partial(app.authenticator.confirm, access))
    try:
        return _ExportResponse(await run_beside(read), read, text)
    except BaseException:
        text.close()
        raise


class _ExportResponse(StreamingResponse):
    def __init__(self, first: str, read: Callable[[], str], lines: Generator[str]) -> None:
        self._lines = lines
        super().__init__(_read_chunks(first, read), media_type=LINES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with suppress(*_ENDINGS):  # Without an end the reader does not think it complete.
                await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await run_in_threadpool(self._lines.close)


def _hold_slot(
    slots: CallerSlots, caller: Sequence[str], lines: Callable[[], Iterable[str]]
) -> Generator[str]:
    """Yield the lines, after an empty text with which the slot is taken."""
    with slots.hold(*caller) as slot:
        yield ""
        for line in lines():
            yield line + "\n"
            slot.check()


async def _read_chunks(first: str, read: Callable[[], str]) -> AsyncGenerator[str]:
    chunk = first
    while chunk:
        yield chunk
        try:
            chunk = await run_beside(read)
        except _ENDINGS as error:
            yield json.dumps(describe_failure(error)) + "\n"
            raise


def _read_chunk(lines: Generator[str], confirm: Callable[[], None]) -> str:
    """Return the next lines as one text; an empty one at the end."""
    chunk: list[str] = []
    size = 0
    try:
        for line in lines:
            chunk.append(line)
            size += len(line)
            if size >= _CHUNK_CHARACTERS:
                break
    finally:
        confirm()  # Those who lost the right to it are told that, not that the space was closed.
    return "".join(chunk)
