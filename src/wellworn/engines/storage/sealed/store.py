"""Sealed records in the main database: the only SQL of sealed spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from wellworn.engines.storage.sealed.models import Kind, Record
from wellworn.engines.storage.sealed.tables import sealed_records
from wellworn.engines.storage.sql import Database, Transaction

_c = sealed_records.c
_COLUMNS = (_c.kind, _c.number, _c.epoch, _c.revision, _c.blob)


def spaces(transaction: Transaction) -> list[str]:
    """Return the ids of all spaces that have records."""
    heads = select(_c.space_id).where(_c.kind == Kind.HEAD, _c.number == 0).order_by(_c.space_id)
    return list(transaction.execute(heads).scalars())


def epoch_of(transaction: Transaction, space: str) -> int | None:
    """Return which epoch's key opens a space's records; None where it has none."""
    return transaction.execute(select(_c.epoch).where(*_one(space, Kind.HEAD, 0))).scalar()


def is_sealed(transaction: Transaction, space: str) -> bool:
    """Tell whether a space has sealed records."""
    return epoch_of(transaction, space) is not None


def head(transaction: Transaction, space: str, number: int = 0) -> Record | None:
    place = _one(space, Kind.HEAD, number)
    row = transaction.execute(select(*_COLUMNS).where(*place)).one_or_none()
    return None if row is None else Record(*row)


def records(transaction: Transaction, space: str, kind: Kind) -> Iterator[Record]:
    """Yield a space's records of a kind by their numbers, while the transaction lasts."""
    chosen = select(*_COLUMNS).where(_c.space_id == space, _c.kind == kind).order_by(_c.number)
    for row in transaction.execute(chosen):
        yield Record(*row)


def add(transaction: Transaction, space: str, new: Sequence[Record]) -> None:
    if new:
        rows = [{"space_id": space, **record._asdict()} for record in new]
        transaction.execute(insert(sealed_records), rows)


def put_chunks(
    transaction: Transaction, space: str, changed: Sequence[Record], *, count: int
) -> None:
    """Write changed chunks, and their list, over the old ones; drop those beyond `count`."""
    chunks = delete(sealed_records).where(_c.space_id == space, _c.kind == Kind.CHUNK)
    transaction.execute(chunks.where(_c.number >= count))
    for record in changed:
        place = _one(space, Kind(record.kind), record.number)
        transaction.execute(delete(sealed_records).where(*place))
    add(transaction, space, changed)


def drop_frames(transaction: Transaction, space: str, *, last: int) -> None:
    """Drop the frames up to and with the last one that an image holds."""
    frames = delete(sealed_records).where(_c.space_id == space, _c.kind == Kind.FRAME)
    transaction.execute(frames.where(_c.number <= last))


def mark_salvaged(transaction: Transaction) -> None:
    """Mark every space as one of which what is left may be read."""
    mark = {"kind": Kind.SALVAGED.value, "number": 0, "revision": 0, "blob": b""}
    transaction.execute(delete(sealed_records).where(_c.kind == Kind.SALVAGED))
    heads = select(_c.space_id, _c.epoch).where(_c.kind == Kind.HEAD, _c.number == 0)
    rows = [{**mark, "space_id": space, "epoch": at} for space, at in transaction.execute(heads)]
    if rows:
        transaction.execute(insert(sealed_records), rows)


def is_salvaged(transaction: Transaction, space: str) -> bool:
    mark = select(_c.epoch).where(*_one(space, Kind.SALVAGED, 0))
    return transaction.execute(mark).one_or_none() is not None


def count_salvaged(transaction: Transaction) -> int:
    """Count the spaces that were marked and not written again since."""
    marks = select(func.count()).where(_c.kind == Kind.SALVAGED)
    return transaction.execute(marks).scalar_one()


def drop_mark(transaction: Transaction, space: str) -> None:
    transaction.execute(delete(sealed_records).where(*_one(space, Kind.SALVAGED, 0)))


def drop_all(transaction: Transaction, space: str) -> None:
    transaction.execute(delete(sealed_records).where(_c.space_id == space))


def move_head(transaction: Transaction, space: str, new: Record, *, revision: int) -> bool:
    """Replace the head if it is still the one of that revision; tell whether it was."""
    old = (*_one(space, Kind.HEAD, 0), _c.revision == revision)
    values = {"epoch": new.epoch, "revision": new.revision, "blob": new.blob}
    return transaction.execute(update(sealed_records).where(*old).values(values)).rowcount == 1


def destroy(main: Database, space: str) -> None:
    """Delete every record of a space, which must not be open; scrub the database after it.

    Raises:
        StorageUnavailable: the database failed; nothing was deleted.
    """
    with main.write() as transaction:
        drop_all(transaction, space)


def _one(space: str, kind: Kind, number: int) -> tuple[ColumnElement[bool], ...]:
    return (_c.space_id == space, _c.kind == kind, _c.number == number)
