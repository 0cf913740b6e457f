"""Seals heads, images and frames as records, opens them, and checks everything that is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wellworn.engines.storage.sealed.models import (
    CHUNK_BYTES,
    HASH_BYTES,
    LIST,
    Head,
    ImageChunk,
    Kind,
    Record,
    RecordCipher,
    digest,
    format_list,
    image_hash,
    pieces,
)
from wellworn.errors import DamagedStore, SpaceLocked, Tampered


class Image(NamedTuple):
    """An opened image, with revision and digest of each chunk; `lost` are chunks that are not."""

    content: bytearray
    chunks: Sequence[ImageChunk]
    lost: tuple[int, ...] = ()


def seal_record(
    cipher: RecordCipher, kind: Kind, number: int, *, revision: int, payload: bytes
) -> Record:
    blob = cipher.seal(kind.value, number, revision=revision, payload=payload)
    return Record(kind.value, number, cipher.epoch, revision, blob)


def seal_head(cipher: RecordCipher, head: Head) -> Record:
    return seal_record(cipher, Kind.HEAD, 0, revision=head.revision, payload=head.to_bytes())


def open_head(cipher: RecordCipher, record: Record) -> Head:
    """Open a head record.

    Raises:
        SpaceLocked: the records are of another epoch than the key.
        Tampered: the head is not as it was written.
        DamagedStore: a newer version wrote it.
    """
    if record.epoch != cipher.epoch:
        raise SpaceLocked("the space's records are sealed with the key of another epoch")
    payload = _open(cipher, record)
    try:
        head = Head.read(payload)
    except (TypeError, ValueError) as error:
        raise DamagedStore("this space was written by a newer version of wellworn") from error
    if head.revision != record.revision:
        raise Tampered("the space's head is not as it was written")
    return head


def seal_chunks(
    cipher: RecordCipher, image: bytes, before: Sequence[ImageChunk], *, revision: int
) -> tuple[list[Record], list[ImageChunk]]:
    """Seal the chunks that changed, and the list of all; return the records, and all chunks."""
    records: list[Record] = []
    chunks: list[ImageChunk] = []
    for number, piece in enumerate(pieces(image)):
        now = digest(piece)
        if number < len(before) and before[number].digest == now:
            chunks.append(before[number])
            continue
        chunks.append(ImageChunk(revision, now))
        records.append(
            seal_record(cipher, Kind.CHUNK, number, revision=revision, payload=bytes(piece))
        )
    if records or len(chunks) < len(before):
        records.append(
            seal_record(cipher, Kind.HEAD, LIST, revision=revision, payload=format_list(chunks))
        )
    return records, chunks


def open_image(cipher: RecordCipher, head: Head, records: Iterable[Record]) -> Image:
    """Open and join the chunks that the head lists; `Tampered` when any differs from them."""
    content = bytearray(head.length)
    chunks: list[ImageChunk] = []
    end = 0
    for number, record in enumerate(records):
        start = number * CHUNK_BYTES
        end = min(start + CHUNK_BYTES, head.length)
        piece = _open(cipher, record)
        if record.number != number or not piece or len(piece) != end - start:
            raise Tampered("the space's image is not as it was written")
        content[start:end] = piece
        chunks.append(ImageChunk(record.revision, digest(piece)))
    whole = (len(chunks), end, image_hash(chunks))
    if whole != (head.chunks, head.length, head.image_hash):
        raise Tampered("the space's image is not as it was written")
    return Image(content, chunks)


def check_list(cipher: RecordCipher, image: Image, record: Record | None) -> None:
    """Check that the list of chunks is of this image; images from before have none.

    Raises:
        Tampered: it is of another.
    """
    if record is not None and _open(cipher, record) != format_list(image.chunks):
        raise Tampered("the list of the space's chunks is not as it was written")


def seal_frame(cipher: RecordCipher, head: Head, changes: bytes) -> Record:
    """Seal changes as the next frame after the head's last one."""
    payload = bytes.fromhex(head.frame_hash) + changes
    return seal_record(cipher, Kind.FRAME, head.frame + 1, revision=0, payload=payload)


def open_frames(cipher: RecordCipher, head: Head, records: Iterable[Record]) -> list[bytes]:
    """Open the frames that the head lists, oldest first; `Tampered` when any differs from them."""
    changes: list[bytes] = []
    number, last = head.folded, bytes.fromhex(head.folded_hash)
    for record in records:
        number += 1
        payload = _open(cipher, record)
        if record.number != number or payload[:HASH_BYTES] != last:
            raise Tampered("the space's latest changes are not as they were written")
        changes.append(payload[HASH_BYTES:])
        last = digest(record.blob)
    if (number, last.hex()) != (head.frame, head.frame_hash):
        raise Tampered("the space's latest changes are not as they were written")
    return changes


def _open(cipher: RecordCipher, record: Record) -> bytes:
    if record.epoch != cipher.epoch:
        raise Tampered("a record of the space is of another epoch than its head")
    return cipher.open(record.kind, record.number, revision=record.revision, blob=record.blob)
