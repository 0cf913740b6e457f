"""Who works on which turn in this process: nobody beside anybody else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

from wellworn.errors import InvalidInput


class TurnReservations:
    """The turns that are being worked on."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._changed = Condition()

    @contextmanager
    def hold(self, turn_id: str, *, waits: bool = False) -> Generator[None]:
        """Keep everybody else from working on a turn, after waiting for them where one `waits`.

        Raises:
            InvalidInput: it is being worked on.
        """
        with self._changed:
            if waits:
                self._changed.wait_for(lambda: turn_id not in self._held)
            if turn_id in self._held:
                message = "the turn is being worked on; read it again when it is done"
                raise InvalidInput(message)
            self._held.add(turn_id)
        try:
            yield
        finally:
            with self._changed:
                self._held.discard(turn_id)
                self._changed.notify_all()
