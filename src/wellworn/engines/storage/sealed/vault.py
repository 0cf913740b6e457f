"""One sealed space: opened into memory, and stored on disk as it changes there.

Per-row records would take a million seals to open a well-worn space, and would tell how many rows
of which kind there are; an image is opened in a fraction of a second and tells its size. What an
image lags behind is in frames: one a transaction, written before it is acknowledged.

A frame is one transaction of the main database and so is a checkpoint: a process that dies at any
moment leaves a space that opens, with everything that was acknowledged.

The main database is locked only to write. Never write to an open space from within a write
transaction of the main database: its own writes wait for that one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

import numpy as np

from wellworn.engines.storage.sealed import rest, sealing, store
from wellworn.engines.storage.sealed.models import (
    FIRST,
    LIST,
    Head,
    ImageChunk,
    Kind,
    Record,
    RecordCipher,
    Tip,
    digest,
    image_hash,
)
from wellworn.engines.storage.sealed.sealing import Image
from wellworn.engines.storage.sql import (
    Database,
    LostRow,
    RamDatabase,
    Transaction,
)
from wellworn.errors import (
    SpaceNotFound,
    StorageUnavailable,
    StoreInUse,
    Tampered,
    WellwornError,
)

_log = logging.getLogger(__name__)

FRAMES_AT_MOST = 512
FRAME_BYTES_AT_MOST = 8 * 1024**2
"""With more than these a new image is due, because opening does them all again; some 0.3 s."""
_OVERDUE = 8
"""At so many times as much the next write itself makes the image."""


class Loss(NamedTuple):
    """The lost records of a space, and what is known of the rows that were in them."""

    records: int
    rows: tuple[LostRow, ...]


NOTHING = Loss(0, ())
Recover = Callable[[bytearray, Sequence[bytes], int], tuple[bytes, tuple[LostRow, ...]]]


class SealedStore:
    """A sealed space's records, and the journal of its open database.

    One process has at most one of these for a space; a second one that writes makes the writes of
    the first fail.

    Args:
        recover: makes a full image of one with holes, and of changes with gaps; without it a space
            that lost records stays shut.
    """

    def __init__(
        self,
        main: Database,
        space: str,
        cipher: RecordCipher,
        recover: Recover | None = None,
    ) -> None:
        self._main = main
        self._recover = recover
        self.loss = NOTHING
        self._space = space
        self._cipher = cipher
        self._database: RamDatabase | None = None
        self._head = _EMPTY
        self._chunks: Sequence[ImageChunk] = []
        self._frame_bytes = 0
        self._scrub_due = False
        # Acquired in this order: the open database's own lock, then these two.
        self._imaging = Lock()
        self._heading = Lock()

    def create(
        self, source: RamDatabase | None = None, *, transaction: Transaction | None = None
    ) -> None:
        """Write the first records, of an empty database or of a given one, which stays as it is.

        With a write transaction of the main database they are part of it.

        Raises:
            StoreInUse: the space has records already.
            StorageUnavailable: the main database failed; nothing was written.
        """
        with (source or RamDatabase()).freeze() as image:
            records, _, head = _seal_image(self._cipher, image, _EMPTY)
        whole = [*records, sealing.seal_head(self._cipher, head)]
        with self._main.write() if transaction is None else nullcontext(transaction) as writing:
            if store.is_sealed(writing, self._space):
                raise StoreInUse("this space is sealed already")
            store.add(writing, self._space, whole)

    def open(self) -> RamDatabase:
        """Open the space; its writes are stored here, and closing it makes a last checkpoint.

        Of a space that was salvaged, what is left is opened; `loss` tells what is not.

        Raises:
            SpaceNotFound: the space has no records.
            SpaceLocked: its records are of another epoch than the cipher.
            Tampered: they are not as they were written.
            StoreInUse: it is open already.
        """
        if self._database is not None and not self._database.is_closed:
            raise StoreInUse("this space is open already")
        with self._main.read() as transaction:
            first = store.head(transaction, self._space)
            if first is None:
                raise SpaceNotFound("no such space")
            head = sealing.open_head(self._cipher, first)
            is_salvaged = self._recover is not None and store.is_salvaged(transaction, self._space)
            chunks = store.records(transaction, self._space, Kind.CHUNK)
            listing = store.head(transaction, self._space, LIST)
            if is_salvaged:
                image = rest.open_image_rest(self._cipher, head, chunks, listing)
            else:
                image = sealing.open_image(self._cipher, head, chunks)
                sealing.check_list(self._cipher, image, listing)
            frames = list(store.records(transaction, self._space, Kind.FRAME))
        open_frames = rest.open_frames_rest if is_salvaged else sealing.open_frames
        changes = open_frames(self._cipher, head, frames)
        self._head, self._chunks = head, image.chunks
        self._frame_bytes = sum(len(frame.blob) for frame in frames)
        self._database = self._load(image, changes)
        np.frombuffer(image.content, np.uint8)[:] = 0  # overwritten in place
        return self._database

    def _load(self, image: Image, changes: Sequence[bytes | None]) -> RamDatabase:
        whole = [change for change in changes if change is not None]
        lost = len(image.lost) + len(changes) - len(whole)
        if not lost or self._recover is None:
            return RamDatabase(image.content, whole, journal=self)
        content, rows = self._recover(image.content, whole, len(image.lost))
        self.loss = Loss(lost, rows)
        self._chunks = []  # The next checkpoint writes all of them.
        return RamDatabase(content, journal=self)

    @property
    def tip(self) -> Tip:
        """The state of the open space, to be stored where no one can put it back."""
        return self._head.tip

    def append(self, changes: bytes) -> None:
        """Write one transaction's changes as a frame.

        Raises:
            StorageUnavailable: the main database failed; nothing was written.
            Tampered: the records on disk are no longer those of this open space.
        """
        with self._heading:
            frame = sealing.seal_frame(self._cipher, self._head, changes)
            after = replace(
                self._head,
                revision=self._head.revision + 1,
                frame=frame.number,
                frame_hash=digest(frame.blob).hex(),
            )
            record = sealing.seal_head(self._cipher, after)
            with self._main.write() as transaction:
                self._move(transaction, record)
                store.add(transaction, self._space, [frame])
            self._head = after
            self._frame_bytes += len(frame.blob)

    def checkpoint(self) -> None:
        """Write the image again where it changed and drop the frames that are in it.

        The space answers while chunks are sealed and written; it waits only to be copied.

        Raises:
            StorageUnavailable: the space is not open or the main database failed; nothing was
                written.
            Tampered: the records on disk are no longer those of this open space.
        """
        with self._require_open().freeze() as image:
            self._imaging.acquire()
            copied, copied_bytes = self._head, self._frame_bytes
        try:
            chunks, now = sealing.seal_chunks(
                self._cipher, image, self._chunks, revision=copied.checkpoint + 1
            )
            if chunks or copied.frame > copied.folded:
                self._replace_image(copied, len(image), chunks, now)
                with self._heading:
                    self._frame_bytes -= copied_bytes
        finally:
            self._imaging.release()

    def _replace_image(
        self, copied: Head, length: int, changed: Sequence[Record], chunks: Sequence[ImageChunk]
    ) -> None:
        with self._heading:
            # Frames may have come since the copy; they stay.
            after = _with_image(self._head, copied, length, chunks)
            record = sealing.seal_head(self._cipher, after)
            with self._main.write() as transaction:
                self._move(transaction, record)
                store.drop_frames(transaction, self._space, last=copied.frame)
                store.drop_mark(transaction, self._space)
                store.put_chunks(transaction, self._space, changed, count=len(chunks))
            self._head, self._chunks = after, chunks

    def settle(self) -> None:
        """Make an overdue checkpoint; one that fails is only logged, as nothing is lost by it."""
        if not self._has_more_than(_OVERDUE):
            return
        try:
            self.checkpoint()
        except WellwornError:
            _log.exception("an open space could not write its image")

    def is_due(self) -> bool:
        return self._scrub_due or self._has_more_than(1)

    def scrub(self) -> bool:
        self._scrub_due = True
        self.checkpoint()
        self._scrub_due = not self._main.scrub()
        return not self._scrub_due

    def reseal(self, cipher: RecordCipher) -> bool:
        """Write every record again under another epoch's key, in one transaction, then scrub.

        The space waits meanwhile. Afterwards no record is left that the old key opens; whether the
        files are scrubbed too is returned, and if not, `scrub_if_due` does it later.

        Raises:
            StorageUnavailable: the space is not open or the main database failed; nothing changed.
            Tampered: the records on disk are no longer those of this open space.
        """
        with self._require_open().freeze() as image, self._imaging, self._heading:
            records, chunks, head = _seal_image(cipher, image, self._head)
            record = sealing.seal_head(cipher, head)
            with self._main.write() as transaction:
                self._move(transaction, record)
                store.drop_all(transaction, self._space)
                store.add(transaction, self._space, [*records, record])
            self._cipher, self._head, self._chunks = cipher, head, chunks
            self._frame_bytes = 0
        self._scrub_due = not self._main.scrub()
        return not self._scrub_due

    def reseal_closed(self, transaction: Transaction, cipher: RecordCipher) -> None:
        """Write every record of a space that nobody has open under another key.

        Part of the caller's write transaction; the caller scrubs after it.

        Raises:
            SpaceNotFound, SpaceLocked, Tampered: as `open` does; nothing was written.
        """
        database = self.open()
        try:
            with database.freeze() as image:
                records, _, head = _seal_image(cipher, image, self._head)
        finally:
            database.discard()
        store.drop_all(transaction, self._space)
        store.add(transaction, self._space, [*records, sealing.seal_head(cipher, head)])

    def _move(self, transaction: Transaction, record: Record) -> None:
        known = self._head.revision
        if not store.move_head(transaction, self._space, record, revision=known):
            raise Tampered("the space's records were changed while it was open")

    def _has_more_than(self, times: int) -> bool:
        frames = self._head.frame - self._head.folded
        return frames > times * FRAMES_AT_MOST or self._frame_bytes > times * FRAME_BYTES_AT_MOST

    def _require_open(self) -> RamDatabase:
        if self._database is None:
            raise StorageUnavailable("the space is not open")
        return self._database


_EMPTY = Head(
    revision=0,
    checkpoint=0,
    length=0,
    chunks=0,
    image_hash=image_hash([]),
    folded=0,
    folded_hash=FIRST.hex(),
    frame=0,
    frame_hash=FIRST.hex(),
)


def _with_image(head: Head, copied: Head, length: int, chunks: Sequence[ImageChunk]) -> Head:
    """Return a head with the image that was copied when `copied` was the head."""
    return replace(
        head,
        revision=head.revision + 1,
        checkpoint=head.checkpoint + 1,
        length=length,
        chunks=len(chunks),
        image_hash=image_hash(chunks),
        folded=copied.frame,
        folded_hash=copied.frame_hash,
    )


def _seal_image(
    cipher: RecordCipher, image: bytes, before: Head
) -> tuple[list[Record], list[ImageChunk], Head]:
    records, chunks = sealing.seal_chunks(cipher, image, [], revision=before.checkpoint + 1)
    return records, chunks, _with_image(before, before, len(image), chunks)
