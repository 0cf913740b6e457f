"""Asks a reader for callers who go on without one: a failure is noted for `health`, not raised."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from wellworn.engines.reading.models import LaterReader, Reader, Reading, check_count
from wellworn.errors import ReadingFailed

_log = logging.getLogger(__name__)


class ReaderService:
    """A reader that may be missing or fail; threads share it as far as the reader allows."""

    def __init__(self, reader: Reader | None = None, *, is_paid: bool = False) -> None:
        """Take a reader, and whether each of its answers costs money."""
        self._reader = reader
        self.is_paid = is_paid
        """Whether each of its answers costs money."""
        self.failure = ""
        """Why nothing was read the last time; empty while the reader answers."""

    @property
    def name(self) -> str | None:
        """The reader's name; None where nothing is read."""
        return None if self._reader is None else self._reader.name

    def read(self, question: str, texts: Sequence[str]) -> list[Reading] | None:
        """Return a reading a text, in their order; None where nobody reads now, or knows the words.

        Raises:
            InvalidInput: there are more than `MOST_TEXTS` texts.
        """
        reader = self._reader
        if reader is None:
            return None
        check_count(texts)
        return self._try(reader, question, lambda: reader.read(question, texts))

    def read_later(self, question: str, older: str, newer: Sequence[str]) -> list[Reading] | None:
        """Return a reading each newer text gets after an older one; None where nobody can read so.

        Source: `LaterReader`.
        """
        reader = self._reader
        if not isinstance(reader, LaterReader):
            return None
        return self._try(reader, question, lambda: reader.read_later(question, older, newer))

    def _try(
        self, reader: Reader, question: str, read: Callable[[], list[Reading] | None]
    ) -> list[Reading] | None:
        try:
            readings = read() if reader.can_read(question) else None
        except ReadingFailed as error:
            if error.message != self.failure:
                _log.warning("nothing is read: %s", error.message)
            self.failure = error.message
            return None
        self.failure = ""
        return readings

    def check(self) -> str:
        """Return why nothing is read; empty while something is, or where none is to read.

        It is tried, but for what costs money: of that it is how the last question ended.
        """
        if not self.is_paid:
            self.read("well?", ["well"])
        return self.failure
