"""The only SQL of the audit trail; it inserts and reads, nothing else.

Rows are read as they are, however damaged: a value of another type than the column's becomes
bytes here and a fault in the verdict, not a crash.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, LargeBinary, Table, bindparam, cast, func, insert, select

from wellworn.domain.audit.models import Checkpoint, Link
from wellworn.domain.audit.tables import audit_checkpoints, audit_entries
from wellworn.engines.storage.sql import insert_new
from wellworn.errors import Tampered

_PAGE = 1_000

# Made once: building a statement takes longer than SQLite takes to run it.
_INSERT = insert(audit_entries)
_HEAD = (
    select(audit_entries.c.seq, cast(audit_entries.c.hash, LargeBinary).label("hash"))
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


def head(connection: Connection, space: str) -> tuple[int, bytes] | None:
    """Return seq and hash of the last entry.

    Raises:
        Tampered: its number is none.
    """
    row = connection.execute(_HEAD, {"space": space}).first()
    if row is None:
        return None
    if type(row.seq) is not int:
        raise Tampered("the audit trail is damaged; verify it")
    return row.seq, row.hash


def add(connection: Connection, space: str, link: Link) -> None:
    connection.execute(
        _INSERT, {"space_id": space, "seq": link.seq, "entry": link.entry, "hash": link.hash}
    )


def all_links(connection: Connection, space: str) -> Iterator[Link]:
    """Yield every row of the space in order, also those with a seq nobody gave them."""
    options = {"yield_per": _PAGE}
    for row in connection.execute(_LINKS, {"space": space}, execution_options=options):
        yield Link(row.seq, row.entry, row.hash)


def links_after(
    connection: Connection, space: str, seq: int, *, limit: int | None = None
) -> Iterator[Link]:
    """Yield the entries after a place."""
    statement = _LINKS.where(audit_entries.c.seq > seq).limit(limit)
    options = {"yield_per": _PAGE}
    for row in connection.execute(statement, {"space": space}, execution_options=options):
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
