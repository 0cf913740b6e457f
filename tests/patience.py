"""How long a test waits for what must come: no machine is so busy that it takes longer."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

LONG_S = 300.0


def wait_until(is_so: Callable[[], object]) -> None:
    """Return once something is so; the limit of a test ends one that never is."""
    while not is_so():
        Event().wait(0.01)
