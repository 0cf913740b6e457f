"""What is sealed: the image in chunks, the changes since, and the head that vouches for both.

The *image* is the whole database as SQLite writes it, cut into chunks, each one record. A *frame*
is one record for each transaction since the image was written, and holds the hash of the frame
before it. The *head* is one record that says which chunks and frames there are, by a hash over
each, so that none can be left out, exchanged or put back to an earlier state. It is written with
every frame.

One thing no record can tell is that all records together are those of an earlier day. Who keeps a
`Tip` elsewhere can: the numbers in it only grow.
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
"""What stands for the hash of the frame before the first."""

_FORMAT = 1


class Kind(StrEnum):
    HEAD = "head"
    CHUNK = "chunk"
    FRAME = "frame"


class Box(Protocol):
    """Seals and opens the records of one space with the key of one epoch.

    What `seal` returns opens only with the same space, epoch, kind, number and revision.
    """

    @property
    def epoch(self) -> int: ...

    def seal(self, kind: str, number: int, *, revision: int, payload: bytes) -> bytes: ...

    def open(self, kind: str, number: int, *, revision: int, blob: bytes) -> bytes:
        """Return what was sealed.

        Raises:
            Tampered: the blob was not made by `seal` with these very values.
        """
        ...


class Record(NamedTuple):
    """A row of `sealed_records`, its space left out."""

    kind: str
    number: int
    epoch: int
    revision: int
    blob: bytes


class Tip(NamedTuple):
    """How far a space has come: checkpoints and transactions so far, and the hash of the last."""

    checkpoint: int
    frame: int
    frame_hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """What a head record says.

    Attributes:
        revision: how often a head was written.
        checkpoint: how often an image was written.
        length: the image's bytes.
        chunks: how many chunks it has.
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

    def written(self) -> bytes:
        return json.dumps({"format": _FORMAT, **asdict(self)}).encode()

    @classmethod
    def read(cls, payload: bytes) -> Head:
        """Read what `written` wrote.

        Raises:
            ValueError: this version does not know the format.
        """
        values = json.loads(payload)
        if values.pop("format", None) != _FORMAT:
            raise ValueError("another version's head record")
        return cls(**values)

    @property
    def tip(self) -> Tip:
        return Tip(self.checkpoint, self.frame, self.frame_hash)


class Chunk(NamedTuple):
    """What is remembered of a chunk: when it was written last, and what was in it."""

    revision: int
    digest: bytes


def digest(content: bytes | memoryview) -> bytes:
    return hashlib.sha256(content).digest()


def image_hash(chunks: Sequence[Chunk]) -> str:
    """Hash all chunks in their order, in hexadecimal."""
    whole = hashlib.sha256()
    for chunk in chunks:
        whole.update(struct.pack(">Q", chunk.revision) + chunk.digest)
    return whole.hexdigest()


def pieces(image: bytes) -> list[memoryview]:
    """Cut an image into chunks; the last may be shorter."""
    view = memoryview(image)
    return [view[start : start + CHUNK_BYTES] for start in range(0, len(image), CHUNK_BYTES)]
