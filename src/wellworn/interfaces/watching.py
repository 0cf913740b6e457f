"""A space watched from outside: what happens, for as long as the caller may see it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from anyio import move_on_after
from anyio.to_thread import run_sync

from wellworn.application.calls import App, SpaceEvent
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access

LOOKED_EVERY_S: Final = 15.0
"""How often it is seen whether the caller is still there, and may still watch."""


async def watch_space(
    app: App,
    access: Access,
    caller: Sequence[str],
    *,
    confirm: Callable[[], None] = lambda: None,
) -> AsyncGenerator[list[SpaceEvent]]:
    """Yield what happens in a space, and nothing now and then, until the server ends.

    A sealed space is opened at the beginning, which shows that the caller can; watching does not
    keep it open. `confirm` raises once the caller must not watch for a reason of their own.

    Raises:
        RateLimited: the caller watches too much already.
        SpaceLocked: the space is sealed, and the caller has no key to it.
        Unauthenticated, SpaceNotFound, Overloaded: the right to watch, or the slot, was lost.
    """
    feed = app.guard.feed
    with feed.slots.hold(*caller) as slot, feed.watch(access) as watch:
        await run_sync(_enter, app, access)
        while not watch.is_over:
            events: list[SpaceEvent] = []
            with move_on_after(LOOKED_EVERY_S):
                events = await watch.take()
            await run_sync(app.authenticator.confirm, access)
            await run_sync(confirm)
            slot.check()
            yield events


def _enter(app: App, access: Access) -> None:
    with app.call(access, Action.SPACE_READ):
        pass
