"""The parent's side of the child process that reads files.

Source: measured hostile files; several end PDFium's process, some run for more than a minute.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from threading import Timer
from typing import BinaryIO, Final, cast

from wellworn.engines.extraction.canonical import canonical
from wellworn.engines.extraction.frames import (
    READY,
    REPLY,
    BrokenFrameError,
    read_frame,
    write_frame,
)
from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.settings import ExtractionSettings
from wellworn.errors import ExtractionUnavailable
from wellworn.kit.child_environment import build_child_environment

# A character takes at most six bytes of JSON, and places of pages and anchors come on top.
_BYTES_A_CHARACTER: Final = 6
_BESIDE_TEXT: Final = 16_000_000
_FAREWELL_S: Final = 5.0


class ReaderDiedError(Exception):
    """The child ended while it read a file, or sent an invalid reply.

    Attributes:
        timed_out: whether it was ended because it took too long.
    """

    def __init__(self, *, timed_out: bool) -> None:
        super().__init__("the process that reads files ended")
        self.timed_out = timed_out


class ReaderProcess:
    """A running child; after a ReaderDiedError another must be started."""

    def __init__(self, settings: ExtractionSettings) -> None:
        """Start the child and wait until it is ready.

        Raises:
            ExtractionUnavailable: it ended at once: the installation lacks something, or memory_mb
                is less than its libraries need.
        """
        self._timeout_s = settings.timeout_s
        self._most_bytes = settings.most_characters * _BYTES_A_CHARACTER + _BESIDE_TEXT
        self._timed_out = False
        words = ["-P", "-m", "wellworn.engines.extraction.child", settings.model_dump_json()]
        self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=build_child_environment(),
        )
        self._requests = cast("BinaryIO", self._child.stdin)
        self._replies = cast("BinaryIO", self._child.stdout)
        self._await_ready()

    def read(self, reader: str, raw: bytes) -> Extracted | Refused:
        """Let the child read one file.

        Raises:
            ReaderDiedError: the file ended the child.
        """
        watch = Timer(self._timeout_s, self._time_out)
        watch.start()
        try:
            write_frame(self._requests, reader.encode("ascii"))
            write_frame(self._requests, raw)
            return _sound(read_frame(self._replies, most_bytes=self._most_bytes))
        except (BrokenFrameError, ValueError, OSError) as error:
            raise ReaderDiedError(timed_out=self._has_timed_out()) from error
        finally:
            watch.cancel()
            watch.join()

    def is_alive(self) -> bool:
        return not self._timed_out and self._child.poll() is None

    def end(self) -> None:
        """End the child, in the middle of a file if need be."""
        self._child.kill()
        self._child.wait()
        self._replies.close()
        with suppress(OSError):  # what was not sent yet has nowhere to go
            self._requests.close()

    def _await_ready(self) -> None:
        try:
            read_frame(self._replies, most_bytes=len(READY))
        except BrokenFrameError as error:
            self.end()
            raise ExtractionUnavailable("the process that reads files did not start") from error

    def _time_out(self) -> None:
        self._timed_out = True
        self._child.kill()

    def _has_timed_out(self) -> bool:
        """Wait for the end of the child, whose pipe broke, and tell whether it took too long."""
        try:
            code = self._child.wait(_FAREWELL_S)
        except subprocess.TimeoutExpired:
            return False
        return self._timed_out or code == -signal.SIGXCPU


def _sound(reply: bytes) -> Extracted | Refused:
    """Return a reply; `ValueError` if it is invalid or names places outside of its text."""
    reply_value = REPLY.validate_json(reply)
    if isinstance(reply_value, Extracted):
        places = [*reply_value.pages, *(anchor.start for anchor in reply_value.anchors)]
        if canonical(reply_value.text) != reply_value.text or not all(
            0 <= p <= len(reply_value.text) for p in places
        ):
            raise ValueError("the reply contradicts itself")
    return reply_value
