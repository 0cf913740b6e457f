"""Opens what is left of a space that lost records, told apart from one that was tampered with.

A record that is missing, or that no longer opens, is lost: a writer to the database can
destroy it in any case. One that opens and is not the one that was last written there was put back;
one that opens elsewhere was moved. Of these nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from wellworn.engines.storage.sealed.models import (
    CHUNK_BYTES,
    HASH_BYTES,
    LIST,
    Head,
    ImageChunk,
    Record,
    RecordCipher,
    digest,
    image_hash,
    read_list,
)
from wellworn.engines.storage.sealed.sealing import Image, open_image
from wellworn.errors import Tampered

_MOST_COMPARED: Final = 64
"""Lost records of which each is tried in the place of every other."""


def open_image_rest(
    cipher: RecordCipher, head: Head, records: Iterable[Record], listing: Record | None
) -> Image:
    """Open the chunks that are left; what is lost is zeros, and has no chunk in the result.

    Raises:
        Tampered: a chunk was put back or moved, or is lost with the list of chunks.
    """
    rows = {record.number: record for record in records}
    listed = _open_list(cipher, head, listing)
    if listed is None:
        return open_image(cipher, head, [rows[number] for number in sorted(rows)])
    if rows.keys() - set(range(head.chunks)):
        raise _make_error()
    places = {number: chunk.revision for number, chunk in enumerate(listed)}
    payloads = _open_all(cipher, rows, places)
    content = bytearray(head.length)
    for number, piece in payloads.items():
        if digest(piece) != listed[number].digest:
            raise _make_error()
        start = number * CHUNK_BYTES
        content[start : start + len(piece)] = piece
    lost = tuple(number for number in range(head.chunks) if number not in payloads)
    return Image(content, [] if lost else listed, lost)


def open_frames_rest(
    cipher: RecordCipher, head: Head, records: Iterable[Record]
) -> list[bytes | None]:
    """Open the frames that are left, oldest first; None for each that is lost.

    Raises:
        Tampered: a frame was put back or moved.
    """
    rows = {record.number: record for record in records}
    numbers = range(head.folded + 1, head.frame + 1)
    if rows.keys() - set(numbers):
        raise _make_error()
    payloads = _open_all(cipher, rows, dict.fromkeys(numbers, 0))
    expected: bytes | None = bytes.fromhex(head.frame_hash)
    for number in reversed(numbers):
        payload = payloads.get(number)
        if None not in {payload, expected} and digest(rows[number].blob) != expected:
            raise _make_error()
        expected = None if payload is None else payload[:HASH_BYTES]
    if expected is not None and expected.hex() != head.folded_hash:
        raise _make_error()
    changes = [payloads.get(number) for number in numbers]
    return [None if payload is None else payload[HASH_BYTES:] for payload in changes]


def _open_list(
    cipher: RecordCipher, head: Head, record: Record | None
) -> Sequence[ImageChunk] | None:
    if record is not None and record.epoch == cipher.epoch:
        with suppress(Tampered):
            payload = cipher.open(record.kind, LIST, revision=head.checkpoint, blob=record.blob)
            listed = read_list(payload)
            if image_hash(listed) == head.image_hash:
                return listed
    return None


def _open_all(
    cipher: RecordCipher, rows: Mapping[int, Record], places: Mapping[int, int]
) -> dict[int, bytes]:
    """Open all records that open in their places, which are numbers with revisions."""
    payloads: dict[int, bytes] = {}
    closed: list[Record] = []
    for number, record in rows.items():
        if (record.epoch, record.revision) != (cipher.epoch, places[number]):
            raise _make_error()
        try:
            payloads[number] = cipher.open(
                record.kind, number, revision=record.revision, blob=record.blob
            )
        except Tampered:
            closed.append(record)
    _refuse_moved(cipher, closed, rows, places)
    return payloads


def _refuse_moved(
    cipher: RecordCipher,
    closed: Sequence[Record],
    rows: Mapping[int, Record],
    places: Mapping[int, int],
) -> None:
    """Refuse records that do not open in their places and do in others."""
    missing = [number for number in places if number not in rows]
    elsewhere = [*missing, *(record.number for record in closed)][:_MOST_COMPARED]
    for record in closed[:_MOST_COMPARED]:
        others = (other for other in rows.values() if other is not record)
        is_copy = any(other.blob == record.blob for other in others)
        if is_copy or any(_opens(cipher, record, at, places[at]) for at in elsewhere):
            raise _make_error()


def _opens(cipher: RecordCipher, record: Record, number: int, revision: int) -> bool:
    with suppress(Tampered):
        cipher.open(record.kind, number, revision=revision, blob=record.blob)
        return True
    return False


def _make_error() -> Tampered:
    return Tampered("a record of the space was put back or moved")
