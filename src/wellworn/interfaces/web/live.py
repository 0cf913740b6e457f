"""The page that begins everything, kept up to date while somebody looks at it.

Pages of the same member show the same, so that of fifty open ones one is made.
"""

from __future__ import annotations

import json
from asyncio import Lock, sleep
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakValueDictionary

from anyio.to_thread import run_sync

from wellworn.application.calls import App, SpaceEvent
from wellworn.domain.spaces import Access, Mode
from wellworn.errors import WellwornError
from wellworn.interfaces.event_stream import NOTHING_HAPPENED, format_event

_PAUSE_S: Final = 0.5
"""Between two states of a page."""


@dataclass(eq=False)
class _Shared:
    """A part of a page as it was made last, after so much had happened."""

    guard: Lock = field(default_factory=Lock)
    count: int = -1
    text: str = ""


class LiveParts:
    """A part of a page for all who look at it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._shared: WeakValueDictionary[tuple[str, str, str], _Shared] = WeakValueDictionary()

    async def follow(
        self,
        access: Access,
        happening: AsyncGenerator[list[SpaceEvent]],
        render: Callable[[], str],
    ) -> AsyncGenerator[str]:
        """Yield the part as server-sent events: at the beginning and whenever something happened.

        Of a sealed space only when something happened: whoever did that has opened it, and a page
        that comes back must not.
        """
        key = (access.space, access.principal, access.role.value)
        shared = self._shared.setdefault(key, _Shared())
        is_due, seen = access.mode is not Mode.SEALED, self._app.guard.feed.count_looks(access)
        # The end of the right to look is told to whoever asks again.
        with suppress(WellwornError):
            async with aclosing(happening):
                yield NOTHING_HAPPENED
                while True:
                    if is_due:
                        yield format_event(json.dumps(await self._make(shared, access, render)))
                        await sleep(_PAUSE_S)
                    else:
                        yield NOTHING_HAPPENED
                    try:
                        is_due = bool(await anext(happening))
                    except StopAsyncIteration:
                        return
                    # The space itself may have changed, of which no event tells.
                    now = self._app.guard.feed.count_looks(access)
                    is_due |= now != seen and access.mode is not Mode.SEALED
                    seen = now

    async def _make(self, shared: _Shared, access: Access, render: Callable[[], str]) -> str:
        async with shared.guard:
            count = self._app.guard.feed.count(access)
            if shared.count != count:
                shared.text = await run_sync(render)
                shared.count = count
            return shared.text
