"""The records of a sealed space: an image in chunks, the changes since, and a head over both.

The *image* is the full database as SQLite writes it; each chunk of it is one record. A *frame* is
one transaction since the image was written, and holds the hash of the frame before it. The *head*
tells all chunks and frames by hash, so that none can be left out, exchanged or put back to an
earlier state. It is written with every frame. The *list*, a second head,
is written with the image and has the hash of each chunk: where some are lost, it tells whether the
rest is as it was written.

The records cannot tell whether all of them together are old. A `Tip` stored elsewhere can, because
its numbers only grow.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

CHUNK_BYTES = 64 * 1024
HASH_BYTES = 32
FIRST = bytes(HASH_BYTES)
"""The hash that the first frame holds, as there is no frame before it."""

LIST = -1
"""The number of the head that lists the chunks."""

_FORMAT = 1
_LISTED = struct.Struct(f">Q{HASH_BYTES}s")


class Kind(StrEnum):
    HEAD = "head"
    CHUNK = "chunk"
    FRAME = "frame"
    SALVAGED = "salvaged"
    """Not a record: a mark that what is left may be read though something is lost."""


class RecordCipher(Protocol):
    """Seals and opens the records of one space with the key of one epoch.

    What `seal` returns opens only with the same space, epoch, kind, number and revision.
    """

    @property
    def epoch(self) -> int: ...

    def seal(self, kind: str, number: int, *, revision: int, payload: bytes) -> bytes: ...

    def open(self, kind: str, number: int, *, revision: int, blob: bytes) -> bytes:
        """Return what was sealed; `Tampered` unless `seal` made the blob with these values."""
        ...


class Record(NamedTuple):
    """A row of `sealed_records`, without its space."""

    kind: str
    number: int
    epoch: int
    revision: int
    blob: bytes


class Tip(NamedTuple):
    """The number of checkpoints and transactions so far, and the hash of the last transaction."""

    checkpoint: int
    frame: int
    frame_hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The content of a head record.

    Attributes:
        revision: number of heads written.
        checkpoint: number of images written.
        length: bytes of the image.
        chunks: chunks of the image.
        image_hash: over each chunk's revision and content, in hexadecimal.
        folded: the last frame that is in the image; 0 for none.
        folded_hash: that frame's hash, where the chain of those after it begins.
        frame: the last frame.
        frame_hash: that frame's hash, where the chain ends.
    """

    revision: int
    checkpoint: int
    length: int
    chunks: int
    image_hash: str
    folded: int
    folded_hash: str
    frame: int
    frame_hash: str

    def to_bytes(self) -> bytes:
        return json.dumps({"format": _FORMAT, **asdict(self)}).encode()

    @classmethod
    def read(cls, payload: bytes) -> Head:
        """Read what `to_bytes` wrote; `ValueError` for the format of another version."""
        values = json.loads(payload)
        if values.pop("format", None) != _FORMAT:
            raise ValueError("another version's head record")
        return cls(**values)

    @property
    def tip(self) -> Tip:
        return Tip(self.checkpoint, self.frame, self.frame_hash)


class ImageChunk(NamedTuple):
    """The checkpoint that last wrote a chunk, and the digest of its content."""

    revision: int
    digest: bytes


def digest(content: bytes | memoryview) -> bytes:
    return hashlib.sha256(content).digest()


def image_hash(chunks: Sequence[ImageChunk]) -> str:
    """Hash all chunks in their order, in hexadecimal."""
    return digest(format_list(chunks)).hex()


def format_list(chunks: Sequence[ImageChunk]) -> bytes:
    return b"".join(_LISTED.pack(*chunk) for chunk in chunks)


def read_list(payload: bytes) -> list[ImageChunk]:
    return [ImageChunk(*values) for values in _LISTED.iter_unpack(payload)]


def pieces(image: bytes) -> list[memoryview]:
    """Cut an image into chunks; the last may be shorter."""
    view = memoryview(image)
    return [view[start : start + CHUNK_BYTES] for start in range(0, len(image), CHUNK_BYTES)]
