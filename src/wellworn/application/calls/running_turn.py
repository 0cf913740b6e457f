"""A turn at work: in a thread of its own, told to its caller as it goes.

A turn can last minutes. It holds none of the slots and threads that short calls share, and it goes
on when its caller is gone: what it ends in can be read later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Final, Generic, NamedTuple, NoReturn, TypeVar

from anyio import move_on_after

from wellworn.domain.turns import Listener, Phase
from wellworn.engines.slots import CallerSlot, CallerSlots
from wellworn.errors import StorageUnavailable

_LOOKED_EVERY_S: Final = 0.5
_ENDING: Final = "the server is ending; the turn goes on with its next start, and is listed there"
_Answer = TypeVar("_Answer")


class TurnProgress(NamedTuple):
    """A phase that begins, or the section with which it ends."""

    phase: Phase
    attempt: int
    section: str | None


@dataclass(frozen=True, slots=True)
class TurnEnd(Generic[_Answer]):
    """The end of a turn, with its answer."""

    answer: _Answer


class RunningTurn(Generic[_Answer]):
    """A turn at work, and what it tells."""

    def __init__(
        self,
        work: Callable[[Listener], _Answer],
        slots: CallerSlots,
        slot: CallerSlot,
        *,
        is_leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin the work in a slot that the caller holds, and give that back at its end.

        Work whose slot is given up ends before its next phase, and can be resumed. When the
        server is leaving, nobody is left waiting for the end of the work.
        """
        self._slots, self._slot = slots, slot
        self._is_leaving = is_leaving
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[TurnProgress | TurnEnd[_Answer] | Exception] = asyncio.Queue()
        # A turn survives the end of its process, which therefore need not wait for it.
        Thread(target=self._run, args=(work,), name="turn", daemon=True).start()

    @classmethod
    async def begin_in_slot(
        cls,
        work: Callable[[Listener], _Answer],
        slots: CallerSlots,
        caller: Sequence[str],
        *,
        weight: int,
        is_leaving: Callable[[], bool],
    ) -> RunningTurn[_Answer]:
        """Begin the work as soon as the caller has a slot for a call of such weight.

        Raises:
            RateLimited: none is free within a few seconds.
        """
        slot = await slots.take_soon(*caller, weight=weight)
        return cls(work, slots, slot, is_leaving=is_leaving)

    def _run(self, work: Callable[[Listener], _Answer]) -> None:
        def notify(phase: Phase, attempt: int, section: str | None) -> None:
            if section is None:
                self._slot.check()
            self._tell(TurnProgress(phase, attempt, section))

        try:
            event: TurnEnd[_Answer] | Exception = TurnEnd(work(notify))
        except Exception as error:  # noqa: BLE001 - raised or described where it is read
            event = error
        finally:
            self._slots.give_back(self._slot)
        self._tell(event)

    def _tell(self, event: TurnProgress | TurnEnd[_Answer] | Exception) -> None:
        with suppress(RuntimeError):  # The server has ended; nobody listens.
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def wait(self) -> _Answer:
        """Return what the turn ends in; raises what its work raises."""
        while isinstance(event := await self.take(), TurnProgress):
            pass
        return event.answer if isinstance(event, TurnEnd) else _raise(event)

    async def begin(self) -> TurnProgress | TurnEnd[_Answer]:
        """Return what happens first; raises what its work raises before it begins."""
        event = await self.take()
        return _raise(event) if isinstance(event, Exception) else event

    async def take(self) -> TurnProgress | TurnEnd[_Answer] | Exception:
        """Return the next event, or why none is waited for."""
        while True:
            with move_on_after(_LOOKED_EVERY_S):
                return await self._events.get()
            if self._is_leaving():
                return StorageUnavailable(_ENDING)


def _raise(error: Exception) -> NoReturn:
    raise error
