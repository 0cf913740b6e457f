"""Words for those who wait: what takes long says what it is, and what is quick says nothing.

Nothing but the standard library is loaded here: it runs before all that takes long to load.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def note_if_slow(line: str, *, after_s: float) -> Generator[None]:
    """Print a line to stderr, if that is a terminal, when what is done within takes longer.

    What a script reads of stderr does not depend on how fast a machine is.

    >>> with note_if_slow("loading wellworn", after_s=60):
    ...     pass
    """
    if not sys.stderr.isatty():
        yield
        return
    timer = Timer(after_s, sys.stderr.write, [f"{line}\n"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
