"""The log of what was written to a shard since its last flush, replayed when the shard opens.

The engine's own log takes up to 64 MB whatever is flushed, more than the index itself up to some
30,000 points. This one takes half as much a point, and is emptied by every build and clean close.
It survives the death of the process, not of the machine.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from wellworn.engines.storage.vectors.models import Labels, Point
from wellworn.engines.storage.vectors.point_table import entries, pack_terms

FILE: Final = "updates.log"
"""It stands beside the engine's own files in a shard's folder."""

_VECTORS: Final = np.dtype("<f2")
_FRAME: Final = struct.Struct("<II")
_LENGTH: Final = struct.Struct("<I")


class Update(NamedTuple):
    """Points that were stored, or the ids of points that were deleted; one of them is empty."""

    stored: Sequence[Point] = ()
    deleted: Sequence[int] = ()


class UpdateLog:
    """The log of one shard, open for more.

    Raises:
        OSError: the folder cannot be written to.
    """

    def __init__(self, shard: Path) -> None:
        path = shard / FILE
        self.size = sum(len(record) + _FRAME.size for record in _records(path))
        self._file = path.open("ab", buffering=0)
        self.cut(self.size)

    def append(self, update: Update) -> None:
        """Add an update, whole or not at all.

        Raises:
            OSError: no room on the disk.
        """
        record = _to_bytes(update)
        framed = _FRAME.pack(len(record), zlib.crc32(record)) + record
        added = 0
        try:
            while added < len(framed):
                added += self._file.write(framed[added:])
        except OSError:
            self.cut(self.size)
            raise
        self.size += len(framed)

    def cut(self, size: int) -> None:
        """Take back whatever was added beyond this size."""
        self._file.truncate(size)
        self.size = size

    def close(self) -> None:
        self._file.close()


def updates(shard: Path) -> Iterator[Update]:
    """Yield the updates of a shard's log, oldest first; a torn end is skipped."""
    return map(_read, _records(shard / FILE))


def _records(path: Path) -> Iterator[bytes]:
    content = path.read_bytes() if path.exists() else b""
    start = 0
    while start + _FRAME.size <= len(content):
        length, checksum = _FRAME.unpack_from(content, start)
        start += _FRAME.size
        record = content[start : start + length]
        if len(record) < length or zlib.crc32(record) != checksum:
            return
        yield record
        start += length


def _to_bytes(update: Update) -> bytes:
    labels = [
        (point.id, point.labels.space, point.labels.contributor, sorted(point.labels.tags))
        for point in update.stored
    ]
    terms = [pack_terms(point.terms) for point in update.stored]
    vectors = [
        point.vector.astype(_VECTORS).tobytes()
        for point in update.stored
        if point.vector is not None
    ]
    bare = [at for at, point in enumerate(update.stored) if point.vector is None]
    sizes = [len(vectors[0]) if vectors else 0, *map(len, terms)]
    head = json.dumps([[*update.deleted], labels, sizes, bare]).encode("ascii")
    return b"".join([_LENGTH.pack(len(head)), head, *vectors, *terms])


def _read(record: bytes) -> Update:
    (length,) = _LENGTH.unpack_from(record)
    start = _LENGTH.size + length
    # Logs of earlier versions say nothing of points without a vector: they had none.
    deleted, labels, sizes, *bare = json.loads(record[_LENGTH.size : start])
    if not labels:
        return Update(deleted=deleted)
    lacking = {*bare[0]} if bare else set[int]()
    width = sizes[0] // _VECTORS.itemsize
    held = len(labels) - len(lacking)
    matrix = np.frombuffer(record, _VECTORS, held * width, start).reshape(held, width)
    vectors = iter(matrix.astype(np.float32))
    owners, numbers, weights = entries(_cut(record[start + matrix.nbytes :], sizes[1:]))
    terms: list[dict[int, float]] = [{} for _ in labels]
    for owner, number, weight in zip(
        owners.tolist(), numbers.tolist(), weights.tolist(), strict=True
    ):
        terms[owner][number] = weight
    return Update(
        [
            Point(
                number,
                None if at in lacking else next(vectors),
                of_point,
                Labels(space, contributor, frozenset(tags)),
            )
            for at, ((number, space, contributor, tags), of_point) in enumerate(
                zip(labels, terms, strict=True)
            )
        ]
    )


def _cut(content: bytes, sizes: Sequence[int]) -> list[bytes]:
    ends = np.cumsum(sizes).tolist()
    return [content[end - size : end] for end, size in zip(ends, sizes, strict=True)]
