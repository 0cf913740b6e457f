"""The live feed of a space: kinds and ids of what changes in it, to whoever may see them.

It lives in the process and keeps nothing. Whoever reads slowly loses the oldest and is told so.
Words are not in it: they are read by their ids, with the rights of whoever reads them then.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import Final

from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Role
from wellworn.engines.slots import CallerSlots
from wellworn.kit.clock import Clock

_MOST_WAITING: Final = 256
"""Events that wait for one who watches."""
_MOST_IDS: Final = 100
_MOST: Final = 1_000
_MOST_OF_A_CALLER: Final = 100
"""Who watch at once; a member has many pages open."""


class EventKind(StrEnum):
    """What can be told; the first two are of the feed itself."""

    WATCHING = "watching"
    MISSED = "missed"
    SAID = "said"
    IMPORTED = "imported"
    ENDED = "ended"
    MERGED = "merged"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    RELEASED = "released"
    SOURCE = "source"
    SYNCED = "synced"
    DECIDED = "decided"
    ASKED = "asked"
    JUDGED = "judged"
    HELD = "held"
    TURN = "turn"


_KINDS: Final = {
    Action.MEMORY_RECALLED: EventKind.ASKED,
    Action.MEMORY_JUDGED: EventKind.JUDGED,
    Action.MEMORY_FORGOTTEN: EventKind.ERASED,
    Action.THOUGHT_ENDED: EventKind.ENDED,
    Action.THOUGHT_MERGED: EventKind.MERGED,
    Action.REPLACEMENT_WITHDRAWN: EventKind.WITHDRAWN,
    Action.QUARANTINE_RELEASED: EventKind.RELEASED,
    Action.IMPORT_MADE: EventKind.IMPORTED,
    Action.SOURCE_CREATED: EventKind.SOURCE,
    Action.SOURCE_CHANGED: EventKind.SOURCE,
    Action.SOURCE_REMOVED: EventKind.SOURCE,
    Action.SOURCE_SYNCED: EventKind.SYNCED,
    Action.KNOWLEDGE_DECIDED: EventKind.DECIDED,
    Action.TURN_ASKED: EventKind.TURN,
}
_FOR_ADMINS: Final = frozenset({EventKind.ASKED, EventKind.JUDGED, EventKind.TURN, EventKind.HELD})
"""What tells of one member's doings, which others do not see elsewhere either."""
_WITHOUT_IDS: Final = frozenset({EventKind.ASKED, EventKind.TURN, EventKind.IMPORTED})
_MAY_NAME_NONE: Final = _WITHOUT_IDS | {EventKind.SYNCED}
_OF_THOUGHTS: Final = frozenset(
    {
        EventKind.SAID,
        EventKind.ENDED,
        EventKind.MERGED,
        EventKind.WITHDRAWN,
        EventKind.ERASED,
        EventKind.JUDGED,
    }
)


@dataclass(frozen=True, slots=True)
class SpaceEvent:
    """Something that happened; `at` is epoch seconds, `missed` how many were lost before."""

    kind: EventKind
    at: float
    ids: tuple[str, ...] = ()
    missed: int = 0


class Watch:
    """What one caller has still to read of a feed."""

    def __init__(self, access: Access) -> None:
        self.is_over = False
        self._is_admin = access.role.allows(Role.ADMIN)
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._waiting: deque[SpaceEvent] = deque()
        self._missed = 0
        self._guard = Lock()

    def put(self, event: SpaceEvent) -> None:
        """Add an event, from any thread; the oldest makes room."""
        if event.kind in _FOR_ADMINS and not self._is_admin:
            return
        with self._guard:
            if len(self._waiting) >= _MOST_WAITING:
                self._waiting.popleft()
                self._missed += 1
            self._waiting.append(event)
        self.wake()

    def wake(self) -> None:
        """Let whoever waits look again."""
        with suppress(RuntimeError):  # The loop has ended; nobody waits.
            self._loop.call_soon_threadsafe(self._woken.set)

    async def take(self) -> list[SpaceEvent]:
        """Return what happened since the last look, waiting for something; nothing at the end."""
        await self._woken.wait()
        self._woken.clear()
        with self._guard:
            events, missed = [*self._waiting], self._missed
            self._waiting.clear()
            self._missed = 0
        if missed:
            events.insert(0, SpaceEvent(EventKind.MISSED, events[0].at, missed=missed))
        return events


class Feed:
    """Who watches which space, and what they are told."""

    def __init__(self, clock: Clock) -> None:
        self.slots = CallerSlots("watches", most=_MOST, most_of_a_caller=_MOST_OF_A_CALLER)
        self._clock = clock
        self._watches: dict[str, set[Watch]] = {}
        self._counts: Counter[str] = Counter()
        self._looks: Counter[str] = Counter()
        self._guard = Lock()
        self._is_over = False

    @contextmanager
    def watch(self, access: Access) -> Generator[Watch]:
        """Yield what happens from now on in a space, and in the shared one beside a project.

        Whoever goes on for long confirms the access now and then.
        """
        watch = Watch(access)
        spaces = [access.space, *([access.shared.space] if access.shared else [])]
        with self._guard:
            watch.is_over = self._is_over
            for space in spaces:
                self._watches.setdefault(space, set()).add(watch)
        watch.put(SpaceEvent(EventKind.WATCHING, self._clock.now()))
        try:
            yield watch
        finally:
            with self._guard:
                for space in spaces:
                    self._watches[space].discard(watch)
                    if not self._watches[space]:
                        del self._watches[space]
                        self._counts.pop(space, None)
                        self._looks.pop(space, None)

    def count(self, access: Access) -> int:
        """Return how much has happened in a space while somebody watched, told to whomever."""
        return _count(self._counts, access) + self.count_looks(access)

    def count_looks(self, access: Access) -> int:
        """Return how often all who watch a space were let look again."""
        return _count(self._looks, access)

    def is_watched(self, space: str) -> bool:
        """Tell whether anybody watches a space."""
        return space in self._watches

    def describe(
        self,
        action: Action,
        targets: Sequence[str],
        *,
        said: Sequence[str],
        hidden: Iterable[str],
        is_held: Callable[[str], bool],
    ) -> Iterator[SpaceEvent]:
        """Yield what a call that went well tells those who watch.

        Args:
            action: What was done.
            targets: What it was done to.
            said: The thoughts that were stored, or said again.
            hidden: Thoughts of which only admins know.
            is_held: Whether a thought is one of these.
        """
        now, secret = self._clock.now(), {*hidden}
        if (kind := EventKind.SAID if said else _KINDS.get(action)) is not None:
            ids = () if kind in _WITHOUT_IDS else tuple(dict.fromkeys(said or targets))[:_MOST_IDS]
            if kind in _OF_THOUGHTS:
                secret |= {each for each in ids if each not in secret and is_held(each)}
            shown = tuple(each for each in ids if each not in secret)
            if shown or kind in _MAY_NAME_NONE:
                yield SpaceEvent(kind, now, shown)
        if secret:
            yield SpaceEvent(EventKind.HELD, now, tuple(sorted(secret)))

    def publish(self, space: str, events: Iterable[SpaceEvent]) -> None:
        """Tell those who watch a space, from any thread."""
        for event in events:
            with self._guard:
                watches = [*self._watches.get(space, ())]
                self._counts[space] += bool(watches)
            for watch in watches:
                watch.put(event)

    def look_again(self, space: str) -> None:
        """Let those who watch a space see whether they still may, and what is left of it."""
        with self._guard:
            watches = [*self._watches.get(space, ())]
            self._looks[space] += bool(watches)
        for watch in watches:
            watch.wake()

    def end(self) -> None:
        """Let go of all who watch, as the server ends."""
        with self._guard:
            self._is_over = True
            watches = {each for spaces in self._watches.values() for each in spaces}
        for watch in watches:
            watch.is_over = True
            watch.wake()


def _count(counts: Counter[str], access: Access) -> int:
    return counts[access.space] + (counts[access.shared.space] if access.shared else 0)
