"""Limits of the child process: memory, processor time, and no file or connection.

While it reads a file, the process can open nothing: no XML entity, no linked picture, no socket.
Only Python's own import of modules is let through.

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
    """Limit this process for the rest of its life."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_AS, settings.memory_mb * _MEGABYTE)


@contextmanager
def limit_document(settings: ExtractionSettings) -> Generator[None]:
    """Limit one document: nothing can be opened, and the kernel ends a process over its time."""
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
    """Let imports open up to `files` files; libraries import some of their modules late."""
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
