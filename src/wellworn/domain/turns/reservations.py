"""Who works on which turn in this process: nobody beside anybody else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

from wellworn.domain.spaces import Access
from wellworn.errors import InvalidInput


class TurnBusy(InvalidInput):
    """Somebody works on the turn."""


class TurnReservations:
    """The turns that are being worked on."""

    def __init__(self) -> None:
        self._held: set[tuple[str, str]] = set()
        self._changed = Condition()

    @contextmanager
    def hold(self, access: Access, turn_id: str, *, waits: bool = False) -> Generator[None]:
        """Keep everybody else from working on a turn, after waiting for them where one `waits`.

        Raises:
            TurnBusy: it is being worked on.
        """
        turn = (access.space, turn_id)
        with self._changed:
            if waits:
                self._changed.wait_for(lambda: turn not in self._held)
            if turn in self._held:
                message = "the turn is being worked on; read it again when it is done"
                raise TurnBusy(message)
            self._held.add(turn)
        try:
            yield
        finally:
            with self._changed:
                self._held.discard(turn)
                self._changed.notify_all()
