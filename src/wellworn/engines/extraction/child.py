"""The child process that reads one file after the other for its parent.

It is expendable: a file that crashes a parser or exhausts memory ends this process, and the parent
starts another. So nothing is caught here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO, Final

from wellworn.engines.extraction.frames import (
    READY,
    REPLY,
    BrokenFrameError,
    read_frame,
    write_frame,
)
from wellworn.engines.extraction.limits import limit_document, limit_process
from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.settings import ExtractionSettings

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
    # What a parser prints must not be taken for a reply.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_process(settings)
    try:
        serve(settings, sys.stdin.buffer, replies)
    except (BrokenFrameError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
