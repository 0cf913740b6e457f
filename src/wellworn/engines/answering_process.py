"""A process in which an object answers, message after message, in the order they are sent.

It follows its parent: what is told before a question is known when the question is answered. It is
expendable. The one who asks can do the same work, and does when the process has ended. It ends with
its parent, whose pipe closes then, and gets of the parent's environment only what arithmetic needs.
"""

from __future__ import annotations

import logging
import pickle
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from operator import attrgetter
from threading import Lock
from typing import IO, Any, Final, Generic, Protocol, TypeVar

from wellworn.errors import WellwornError
from wellworn.kit.child_environment import build_child_environment
from wellworn.kit.process_memory import keep_memory_private, share_heaps

_Question_contra = TypeVar("_Question_contra", contravariant=True)
_News_contra = TypeVar("_News_contra", contravariant=True)
_Answer_co = TypeVar("_Answer_co", covariant=True)
_Setup = TypeVar("_Setup")

_OF_ARITHMETIC: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TZ")
_LONGEST_S: Final = 10.0
_log = logging.getLogger(__name__)


class Answerer(Protocol[_Question_contra, _News_contra, _Answer_co]):
    """The object that answers in the process; if it fails to note something, the process ends."""

    def answer(self, question: _Question_contra, /) -> _Answer_co: ...

    def note(self, news: _News_contra, /) -> None: ...


class ProcessEnded(Exception):
    """The process has ended, or could not answer: the work is to be done elsewhere."""


class AnsweringProcess(Generic[_Question_contra, _News_contra, _Answer_co]):
    """A child of this process, for any number of threads; it answers one question at a time."""

    def __init__(
        self, make: Callable[[_Setup], Answerer[_Question_contra, _News_contra, _Answer_co]]
    ) -> None:
        """Start it; `make`, of a module, will make what answers.

        Raises:
            OSError: no process can be started.
        """
        self._sending = Lock()
        self._receiving = Lock()
        self._asked: deque[Future[_Answer_co]] = deque()
        self._unsent: list[bytes] | None = []
        self.has_ended = False
        self._socket, of_child = socket.socketpair()
        self._answers = self._socket.makefile("rb")
        with of_child:
            self._child = _start(of_child.fileno(), make.__module__, make.__name__)

    def begin(self, setup: object) -> None:
        """Let it make what answers; return when it can. What it is told until then waits here.

        Raises:
            ProcessEnded: it ended before.
        """
        self._send(setup)
        self._receive()
        # From here on it waits for nobody, so that those who tell it something need not either.
        self._socket.settimeout(_LONGEST_S)
        with self._sending:
            unsent, self._unsent = self._unsent or [], None
            for message in unsent:
                self._write(message)

    def ask(self, question: _Question_contra) -> _Answer_co:
        """Return the answer to a question.

        Raises:
            ProcessEnded: there is none.
        """
        message, mine = self._pack((True, question)), Future[_Answer_co]()
        with self._sending:
            self._asked.append(mine)
            self._write(message)
        while not mine.done():
            with self._receiving:
                # Any thread that waits reads what comes, for whomever it is.
                if not mine.done():
                    self._receive_answer()
        return mine.result()

    def tell(self, news: _News_contra) -> None:
        """Let it note something before it answers what it is asked from here on."""
        with suppress(ProcessEnded), self._sending:
            message = self._pack((False, news))
            if self._unsent is None:
                self._write(message)
            else:
                self._unsent.append(message)

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._end()
        self._child.wait()
        with suppress(OSError):
            self._answers.close()
        self._socket.close()

    def _receive_answer(self) -> None:
        try:
            answer = self._receive()
        except ProcessEnded as error:
            self._asked.popleft().set_exception(error)
        else:
            self._asked.popleft().set_result(answer)

    def _send(self, message: object) -> None:
        with self._sending:
            self._write(self._pack(message))

    def _pack(self, message: object) -> bytes:
        try:
            return pack(message)
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            # The thread that tells something goes on; what the process misses it must not answer.
            _log.exception("what cannot be sent to a process ends it")
            raise self._end() from error

    def _write(self, message: bytes) -> None:
        try:
            self._socket.sendall(message)
        except OSError as error:
            raise self._end() from error

    def _receive(self) -> Any:
        try:
            # From our own modules, in a process of our own.
            is_answered, answer = pickle.load(self._answers)  # noqa: S301
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise self._end() from error
        if not is_answered:
            raise ProcessEnded
        return answer

    def _end(self) -> ProcessEnded:
        self.has_ended = True
        # Of what was cut short the rest must not be read, nor must anything be missed.
        self._child.kill()
        return ProcessEnded()


def _start(channel: int, module: str, name: str) -> subprocess.Popen[bytes]:
    words = [str(channel), module, name]
    return subprocess.Popen(  # noqa: S603 - our own module, no shell
        [sys.executable, "-P", "-m", "wellworn.engines.answering_process", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[channel],
        # An interrupt of the parent from a terminal is not meant for its child; and where the
        # system divides processors among sessions, it has a share of its own.
        start_new_session=True,
        env=build_child_environment(*_OF_ARITHMETIC),
    )


class _Packer(pickle.Pickler):
    """Writes frozen values by their fields, in a third of the time that their own way takes."""

    def reducer_override(self, obj: object, /) -> Any:
        read = _find_reader(type(obj))
        return NotImplemented if read is None else (type(obj), read(obj))


@cache
def _find_reader(kind: type) -> Callable[[object], tuple[Any, ...]] | None:
    names = [field.name for field in fields(kind) if field.init] if is_dataclass(kind) else []
    if not names:
        return None
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda value: (read(value),)


def pack(message: object) -> bytes:
    """Return a message as bytes."""
    buffer = BytesIO()
    _Packer(buffer, pickle.HIGHEST_PROTOCOL).dump(message)
    return buffer.getvalue()


def main(channel: str, module: str, name: str) -> None:
    """Answer until the parent closes its end of the channel."""
    keep_memory_private()
    share_heaps()
    make: Callable[[Any], Answerer[Any, Any, Any]] = getattr(import_module(module), name)
    with (
        suppress(EOFError, OSError),
        socket.socket(fileno=int(channel)) as parent,
        parent.makefile("rb") as messages,
    ):
        answerer = make(_read(messages))
        parent.sendall(pack((True, None)))
        while True:
            is_question, message = _read(messages)
            if is_question:
                parent.sendall(pack(_answer(answerer, message)))
            else:
                answerer.note(message)


def _read(messages: IO[bytes]) -> Any:
    return pickle.load(messages)  # noqa: S301 - from our parent alone


def _answer(answerer: Answerer[Any, Any, Any], question: object) -> tuple[bool, object]:
    try:
        return True, answerer.answer(question)
    except WellwornError as error:
        # The parent does the work itself then, and meets what is wrong, if that is not here alone.
        _log.warning("a process that answers could not do so: %s", error)
        return False, None


if __name__ == "__main__":
    main(*sys.argv[1:])
