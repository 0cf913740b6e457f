"""The child process that reads one file after the other for its parent, within limits.

It is expendable: a file that crashes a parser or exhausts memory ends this process, and the parent
starts another. So nothing is caught here.

Memory and processor time are limited, and while it reads a file the process can open nothing: no
XML entity, no linked picture, no socket. Only Python's own import of modules is let through.

Source: setrlimit(2); macOS does not enforce RLIMIT_AS, there the time limits stand alone.
"""

from __future__ import annotations

import builtins
import os
import resource
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from math import ceil
from types import ModuleType
from typing import Any, BinaryIO, Final

from wellworn.engines.extraction.frames import (
    READY,
    REPLY,
    BrokenFrameError,
    read_frame,
    write_frame,
)
from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.settings import ExtractionSettings
from wellworn.kit.process_memory import collect_seldom

_MEGABYTE: Final = 1 << 20
Read = Callable[[bytes, ExtractionSettings], Extracted | Refused]

# Each is imported when the first file of its kind comes: no process needs all the parsers.
READERS: Final = {
    "html": ("wellworn.engines.extraction.html_reader", "read_html"),
    "pdf": ("wellworn.engines.extraction.pdf_reader", "read_pdf"),
    "pdf-again": ("wellworn.engines.extraction.pdf_second_reader", "read_pdf_again"),
    "markdown": ("wellworn.engines.extraction.markdown_reader", "read_markdown"),
    "docx": ("wellworn.engines.extraction.docx_reader", "read_docx"),
}
_LONGEST_NAME: Final = 32


def serve(settings: ExtractionSettings, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer each request, a reader's name and a file, with one frame of JSON.

    Raises:
        BrokenFrameError: the parent has closed its end.
    """
    write_frame(replies, READY)
    while True:
        name = read_frame(requests, most_bytes=_LONGEST_NAME).decode("ascii")
        raw = read_frame(requests, most_bytes=4 * settings.most_bytes)
        read = _reader(name)
        with limit_document(settings):
            reply = REPLY.dump_json(read(raw, settings))
        write_frame(replies, reply)


def _reader(name: str) -> Read:
    module, function = READERS[name]
    return getattr(import_module(module), function)


def main() -> None:
    settings = ExtractionSettings.model_validate_json(sys.argv[1])
    # What a parser prints must not pass for a reply.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_process(settings)
    collect_seldom()
    try:
        serve(settings, sys.stdin.buffer, replies)
    except (BrokenFrameError, BrokenPipeError):
        return


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


if __name__ == "__main__":
    main()
