"""From a head, an image and frames to records and back; every check of what was read is here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wellworn.engines.storage.sealed.models import (
    CHUNK_BYTES,
    HASH_BYTES,
    Box,
    Chunk,
    Head,
    Kind,
    Record,
    digest,
    image_hash,
    pieces,
)
from wellworn.errors import DamagedStore, SpaceLocked, Tampered


class Image(NamedTuple):
    """An opened image, and what is remembered of each of its chunks."""

    content: bytearray
    chunks: list[Chunk]


def sealed(box: Box, kind: Kind, number: int, *, revision: int, payload: bytes) -> Record:
    blob = box.seal(kind.value, number, revision=revision, payload=payload)
    return Record(kind.value, number, box.epoch, revision, blob)


def sealed_head(box: Box, head: Head) -> Record:
    return sealed(box, Kind.HEAD, 0, revision=head.revision, payload=head.written())


def opened_head(box: Box, record: Record) -> Head:
    """Open a head record.

    Raises:
        SpaceLocked: the records are of another epoch than the key.
        Tampered: the head is not as it was written.
        DamagedStore: a newer version wrote it.
    """
    if record.epoch != box.epoch:
        raise SpaceLocked("the space's records are sealed with the key of another epoch")
    payload = _opened(box, record)
    try:
        head = Head.read(payload)
    except (TypeError, ValueError) as error:
        raise DamagedStore("this space was written by a newer version of wellworn") from error
    if head.revision != record.revision:
        raise Tampered("the space's head is not as it was written")
    return head


def sealed_chunks(
    box: Box, image: bytes, before: Sequence[Chunk], *, revision: int
) -> tuple[list[Record], list[Chunk]]:
    """Seal the chunks that are not as they were; return their records, and all chunks as now."""
    records: list[Record] = []
    chunks: list[Chunk] = []
    for number, piece in enumerate(pieces(image)):
        now = digest(piece)
        if number < len(before) and before[number].digest == now:
            chunks.append(before[number])
            continue
        chunks.append(Chunk(revision, now))
        records.append(sealed(box, Kind.CHUNK, number, revision=revision, payload=bytes(piece)))
    return records, chunks


def opened_image(box: Box, head: Head, records: Iterable[Record]) -> Image:
    """Open and put together the chunks that the head vouches for.

    Raises:
        Tampered: one is missing, too many, exchanged, or from another time.
    """
    content = bytearray(head.length)
    chunks: list[Chunk] = []
    end = 0
    for number, record in enumerate(records):
        start = number * CHUNK_BYTES
        end = min(start + CHUNK_BYTES, head.length)
        piece = _opened(box, record)
        if record.number != number or not piece or len(piece) != end - start:
            raise Tampered("the space's image is not as it was written")
        content[start:end] = piece
        chunks.append(Chunk(record.revision, digest(piece)))
    whole = (len(chunks), end, image_hash(chunks))
    if whole != (head.chunks, head.length, head.image_hash):
        raise Tampered("the space's image is not as it was written")
    return Image(content, chunks)


def sealed_frame(box: Box, head: Head, changes: bytes) -> Record:
    """Seal changes as the frame after the head's last one."""
    payload = bytes.fromhex(head.frame_hash) + changes
    return sealed(box, Kind.FRAME, head.frame + 1, revision=0, payload=payload)


def opened_frames(box: Box, head: Head, records: Iterable[Record]) -> list[bytes]:
    """Open the frames that the head vouches for, oldest first.

    Raises:
        Tampered: one is missing, too many, exchanged, or from another time.
    """
    changes: list[bytes] = []
    number, last = head.folded, bytes.fromhex(head.folded_hash)
    for record in records:
        number += 1
        payload = _opened(box, record)
        if record.number != number or payload[:HASH_BYTES] != last:
            raise Tampered("the space's latest changes are not as they were written")
        changes.append(payload[HASH_BYTES:])
        last = digest(record.blob)
    if (number, last.hex()) != (head.frame, head.frame_hash):
        raise Tampered("the space's latest changes are not as they were written")
    return changes


def _opened(box: Box, record: Record) -> bytes:
    if record.epoch != box.epoch:
        raise Tampered("a record of the space is of another epoch than its head")
    return box.open(record.kind, record.number, revision=record.revision, blob=record.blob)
