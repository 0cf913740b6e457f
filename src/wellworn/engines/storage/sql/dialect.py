"""What `Database` asks of the engine below it, and nothing else: all differences stand behind it.

`sqlite` and `postgresql` are the two that there are; statements that they spell in their own ways
are in `statements`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from sqlalchemy import Connection, Engine

from wellworn.errors import WellwornError


class Dialect(Protocol):
    """One database of one engine.

    Attributes:
        errors: what its driver raises, beside SQLAlchemy.
        reader: begins transactions that see one consistent state.
        writer: begins the one transaction that writes, with `wellworn_write`.
    """

    errors: tuple[type[Exception], ...]
    reader: Engine
    writer: Engine

    def explain(self, error: Exception) -> WellwornError:
        """Return the port's error for one of SQLAlchemy or of the driver."""
        ...

    def is_in_transaction(self, driver: Any) -> bool:
        """Tell whether a driver's connection has a transaction open."""
        ...

    def require_space(self, least_free_bytes: int) -> None:
        """Refuse a write for which there is no room.

        Raises:
            DiskFull: there is less.
        """
        ...

    def hold(self) -> None:
        """Keep tables as they are until the database is closed.

        Raises:
            StoreInUse: another process changes them.
        """
        ...

    def reshaping(self, connection: Connection) -> AbstractContextManager[None]:
        """Let tables be made again, in a transaction that is begun and ended within."""
        ...

    def has_broken_references(self, connection: Connection) -> bool:
        """Tell whether a row points to nothing."""
        ...

    def scrub(self, alone: Callable[[], AbstractContextManager[None]]) -> bool:
        """Leave as little as the engine can of what was deleted; tell whether that is done.

        `alone` keeps writers off, where they must be.
        """
        ...

    def is_sound(self, connection: Connection) -> bool:
        """Run the engine's own check of its files."""
        ...
