"""Counts the secrets that were removed during a call, for the record of what the call did.

Texts are cleaned in many places, each before it keeps one; handing counts through all of them would
put the trail's concern into every signature. So a call that wants to know opens a tally around
itself, and every redaction within it, on the same thread, counts there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

_open: ContextVar[Counter[str] | None] = ContextVar("open", default=None)


@contextmanager
def tally_secrets() -> Generator[Counter[str]]:
    """Yield the kinds of secrets that are removed until the block ends, each with its count."""
    outer, tally = _open.get(), Counter[str]()
    _open.set(tally)
    try:
        yield tally
    finally:
        # No token: a stream is read, and so ends, in other contexts than it began in.
        _open.set(outer)


def count(kinds: Iterable[str]) -> None:
    """Add to the tally that is open, if one is."""
    tally = _open.get()
    if tally is not None:
        tally.update(kinds)
