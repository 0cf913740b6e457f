"""What the child may use of the machine: memory and processor time, and no file or connection.

While a file is read, the process may open nothing at all: not what an XML entity names, not a
linked picture, no socket. Only Python's own loading of modules is let through.

Source: setrlimit(2); macOS does not enforce RLIMIT_AS, there the time limits stand alone.
"""

from __future__ import annotations

import builtins
import resource
from collections.abc import Generator
from contextlib import contextmanager, suppress
from math import ceil
from types import ModuleType
from typing import Any, Final

from wellworn.engines.extraction.settings import ExtractionSettings

_MEGABYTE: Final = 1 << 20


def limit_process(settings: ExtractionSettings) -> None:
    """Limit this process for the rest of its life; it cannot take that back."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_AS, settings.memory_mb * _MEGABYTE)


@contextmanager
def limit_document(settings: ExtractionSettings) -> Generator[None]:
    """Limit this process for one document: time from now on, and nothing more to open.

    A process that takes longer is ended by the kernel.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = ceil(used.ru_utime + used.ru_stime) + settings.processor_s
    with (
        _soft(resource.RLIMIT_CPU, until),
        _soft(resource.RLIMIT_NOFILE, 0),
        _modules_from(resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
    ):
        yield


@contextmanager
def _soft(kind: int, to: int) -> Generator[None]:
    before, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (to, most))
    try:
        yield
    finally:
        resource.setrlimit(kind, (before, most))


@contextmanager
def _modules_from(files: int) -> Generator[None]:
    """Let Python load modules while nothing else may be opened; libraries load some of theirs late.

    Args:
        files: how many files may be open meanwhile.
    """
    load = builtins.__import__

    def load_module(name: str, *rest: Any, **named: Any) -> ModuleType:
        with _soft(resource.RLIMIT_NOFILE, files):
            return load(name, *rest, **named)

    builtins.__import__ = load_module
    try:
        yield
    finally:
        builtins.__import__ = load


def _lower(kind: int, to: int) -> None:
    with suppress(ValueError, OSError):  # not every system knows or allows every limit
        resource.setrlimit(kind, (to, to))
