"""The protocol between parent and child: frames of a length and that many bytes.

The child reads hostile files, so the parent trusts none of its replies: a frame has a limit, and
its content is JSON that is checked field by field.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

from pydantic import TypeAdapter

from wellworn.engines.extraction.models import Extracted, Refused

# A request is two frames, the name of a reader and a file; its reply is one of these, as JSON.
REPLY: Final[TypeAdapter[Extracted | Refused]] = TypeAdapter(Extracted | Refused)
# Sent once by the child, before its first request.
READY: Final = b"ready"
_LENGTH: Final = struct.Struct(">Q")


class BrokenFrameError(Exception):
    """The other side ended, or sent too much."""


def write_frame(to: BinaryIO, content: bytes) -> None:
    """Write one frame; `OSError` when the other side has ended."""
    to.write(_LENGTH.pack(len(content)))
    to.write(content)
    to.flush()


def read_frame(source: BinaryIO, *, most_bytes: int) -> bytes:
    """Read one frame; `BrokenFrameError` if it is cut short or too large."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise BrokenFrameError
    (length,) = _LENGTH.unpack(head)
    if length > most_bytes:
        raise BrokenFrameError
    content = source.read(length)
    if len(content) < length:
        raise BrokenFrameError
    return content
