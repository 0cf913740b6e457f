"""The only SQL of the audit trail; of entries it inserts and reads, nothing else.

Rows are read as they are, however damaged: a value of another type than the column's becomes
bytes here and a fault in the verdict, not a crash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import (
    Connection,
    LargeBinary,
    Row,
    Table,
    bindparam,
    cast,
    exists,
    func,
    insert,
    select,
    update,
)

from wellworn.domain.audit.models import Checkpoint, Link
from wellworn.domain.audit.sealing import ENVELOPE_START, KeyState, StoredPen, TrailKey
from wellworn.domain.audit.tables import audit_checkpoints, audit_entries, audit_keys, audit_pens
from wellworn.engines.crypto import PublicIdentity
from wellworn.engines.storage.sql import insert_new
from wellworn.errors import InvalidInput, Tampered

_PAGE = 1_000

# Made once: building a statement takes longer than SQLite takes to run it.
_INSERT = insert(audit_entries)
_START = func.substr(cast(audit_entries.c.entry, LargeBinary), 1, len(ENVELOPE_START))
_HEAD = (
    select(
        audit_entries.c.seq,
        cast(audit_entries.c.hash, LargeBinary).label("hash"),
        _START.label("start"),
    )
    .where(audit_entries.c.space_id == bindparam("space"))
    .order_by(audit_entries.c.seq.desc())
    .limit(1)
)
_LINKS = (
    select(
        audit_entries.c.seq,
        cast(audit_entries.c.entry, LargeBinary).label("entry"),
        cast(audit_entries.c.hash, LargeBinary).label("hash"),
    )
    .where(audit_entries.c.space_id == bindparam("space"))
    .order_by(audit_entries.c.seq)
)
_CHECKPOINTS = select(
    audit_checkpoints.c.space_id,
    audit_checkpoints.c.seq,
    cast(audit_checkpoints.c.head, LargeBinary).label("head"),
    audit_checkpoints.c.made_at,
    cast(audit_checkpoints.c.signature, LargeBinary).label("signature"),
    cast(audit_checkpoints.c.key_fingerprint, LargeBinary).label("key"),
).where(audit_checkpoints.c.space_id == bindparam("space"))
_KEYS = select(audit_keys).where(audit_keys.c.space_id == bindparam("space"))
_HAS_PEN = exists().where(
    audit_pens.c.space_id == bindparam("space"), audit_pens.c.id == bindparam("pen")
)
_NEWEST_KEY = (
    _KEYS.add_columns(_HAS_PEN.label("has_pen")).order_by(audit_keys.c.number.desc()).limit(1)
)
_PEN = select(audit_pens.c.id, audit_pens.c.key_number, audit_pens.c.wrapped).where(
    audit_pens.c.space_id == bindparam("space"), audit_pens.c.id == bindparam("pen")
)


def head(connection: Connection, space: str) -> tuple[int, bytes, bool] | None:
    """Return seq and hash of the last entry, and whether it is sealed.

    Raises:
        Tampered: its number is none.
    """
    row = connection.execute(_HEAD, {"space": space}).first()
    if row is None:
        return None
    if type(row.seq) is not int:
        raise Tampered("the audit trail is damaged; verify it")
    return row.seq, row.hash, row.start == ENVELOPE_START


def add(connection: Connection, space: str, link: Link) -> None:
    connection.execute(
        _INSERT, {"space_id": space, "seq": link.seq, "entry": link.entry, "hash": link.hash}
    )


def all_links(connection: Connection, space: str) -> Iterator[Link]:
    """Yield every row of the space in order, also those with a seq nobody gave them."""
    options = {"yield_per": _PAGE}
    # Closed also where nobody reads to the end.
    with connection.execute(_LINKS, {"space": space}, execution_options=options) as rows:
        for row in rows:
            yield Link(row.seq, row.entry, row.hash)


def links_after(
    connection: Connection,
    space: str,
    seq: int,
    *,
    limit: int | None = None,
    only_clear: bool = False,
) -> Iterator[Link]:
    """Yield the entries after a place; of a trail that nobody opens, those that are not sealed."""
    statement = _LINKS.where(audit_entries.c.seq > seq).limit(limit)
    if only_clear:
        statement = statement.where(_START != ENVELOPE_START)
    options = {"yield_per": _PAGE}
    with connection.execute(statement, {"space": space}, execution_options=options) as rows:
        for row in rows:
            yield Link(row.seq, row.entry, row.hash)


def hash_at(connection: Connection, space: str, seq: int) -> bytes | None:
    statement = _LINKS.where(audit_entries.c.seq == seq)
    row = connection.execute(statement, {"space": space}).first()
    return None if row is None else row.hash


def add_checkpoint(connection: Connection, checkpoint: Checkpoint) -> None:
    """Keep a checkpoint; another process may have made the same one."""
    row = {
        "space_id": checkpoint.space,
        "seq": checkpoint.seq,
        "head": checkpoint.head,
        "made_at": checkpoint.made_at,
        "signature": checkpoint.signature,
        "key_fingerprint": checkpoint.key,
    }
    insert_new(connection, audit_checkpoints, [row])


def checkpoints(
    connection: Connection, space: str, *, after: int | None = None, upto: int | None = None
) -> list[Checkpoint]:
    """Return the space's checkpoints in order; by default all of them."""
    statement = _CHECKPOINTS.order_by(audit_checkpoints.c.seq)
    if after is not None:
        statement = statement.where(audit_checkpoints.c.seq > after)
    if upto is not None:
        statement = statement.where(audit_checkpoints.c.seq <= upto)
    rows = connection.execute(statement, {"space": space})
    return [Checkpoint(space, *row[1:]) for row in rows]


def latest_checkpoint(connection: Connection, space: str) -> Checkpoint | None:
    statement = _CHECKPOINTS.order_by(audit_checkpoints.c.seq.desc()).limit(1)
    row = connection.execute(statement, {"space": space}).first()
    return None if row is None else Checkpoint(space, *row[1:])


def spaces(connection: Connection) -> list[str]:
    """Return every space that has a trail, or only a checkpoint of one."""
    tables = (audit_entries, audit_checkpoints)
    return sorted({space for table in tables for space in _spaces_in(connection, table)})


def _spaces_in(connection: Connection, table: Table) -> Iterator[str]:
    # From one space to the next by the key: a DISTINCT would read every entry.
    first = select(func.min(table.c.space_id))
    following = first.where(table.c.space_id > bindparam("space"))
    space = connection.execute(first).scalar()
    while space is not None:
        yield space
        space = connection.execute(following, {"space": space}).scalar()


def find_newest_key(
    connection: Connection, space: str, pen: str = ""
) -> tuple[TrailKey | None, bool]:
    """Return the key pair of the trail that was made last, and whether the pen is stored.

    Raises:
        Tampered: its row is damaged.
    """
    row = connection.execute(_NEWEST_KEY, {"space": space, "pen": pen}).first()
    return (None, False) if row is None else (_build_key(row), row.has_pen)


def list_keys(connection: Connection, space: str) -> list[TrailKey]:
    """Return the key pairs of a trail, first to newest."""
    rows = connection.execute(_KEYS.order_by(audit_keys.c.number), {"space": space})
    return [_build_key(row) for row in rows]


def find_highest_number(connection: Connection, space: str) -> int:
    """Return the highest number that a key pair has or, when it is lost, had; 0 when none."""
    numbers = (
        select(func.max(column)).where(column.table.c.space_id == space)
        for column in (audit_keys.c.number, audit_pens.c.key_number)
    )
    return max(connection.execute(statement).scalar() or 0 for statement in numbers)


def add_key(connection: Connection, key: TrailKey) -> None:
    connection.execute(insert(audit_keys), _row_of(key))


def set_key(connection: Connection, key: TrailKey) -> None:
    """Put a key pair in place of the one of its number."""
    connection.execute(
        update(audit_keys)
        .where(audit_keys.c.space_id == key.space, audit_keys.c.number == key.number)
        .values(_row_of(key))
    )


def find_pen(connection: Connection, space: str, pen: str) -> StoredPen | None:
    row = connection.execute(_PEN, {"space": space, "pen": pen}).first()
    return None if row is None else StoredPen(*row)


def add_pen(connection: Connection, space: str, pen: StoredPen) -> None:
    row = {"space_id": space, "id": pen.id, "key_number": pen.key_number, "wrapped": pen.wrapped}
    connection.execute(insert(audit_pens), row)


def _row_of(key: TrailKey) -> dict[str, object]:
    return {
        "space_id": key.space,
        "number": key.number,
        "state": key.state.value,
        "encryption_public": key.public.encryption,
        "signing_public": key.public.signing,
        "wrapped": key.wrapped,
        "mac": key.mac,
    }


def _build_key(row: Row[Any]) -> TrailKey:
    try:
        public = PublicIdentity(row.encryption_public, row.signing_public)
        wrapped = None if row.wrapped is None else bytes(row.wrapped)
        return TrailKey(
            row.space_id, row.number, KeyState(row.state), public, wrapped, bytes(row.mac)
        )
    except (InvalidInput, TypeError, ValueError) as error:
        raise Tampered("a key of the audit trail is damaged") from error
