"""The only SQL of turns: their index, and the vault that is rows of a sealed space's database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.models import Intent, Turn, TurnStatus
from wellworn.domain.turns.tables import page_visits, research_documents, turn_files, turns
from wellworn.engines.storage.sql import Database

_FIELDS = [field.name for field in fields(Turn)]
_COLUMNS = [turns.c[field] for field in _FIELDS]
Vector = NDArray[np.float32]


def find_last_number(connection: Connection, access: Access, user_id: str) -> int:
    """Return the number of a user's newest turn; 0 before the first."""
    statement = select(func.max(turns.c.number)).where(
        turns.c.knowledge_space_id == access.space, turns.c.user_id == user_id
    )
    return connection.execute(statement).scalar() or 0


def add(connection: Connection, access: Access, turn: Turn, vector: Vector | None = None) -> None:
    connection.execute(insert(turns), _to_row(access, turn, vector))


def change(connection: Connection, access: Access, turn: Turn, vector: Vector | None) -> None:
    """Write what a turn is now."""
    connection.execute(
        update(turns).where(_is_turn(access, turn.id)), _to_row(access, turn, vector)
    )


def set_status(connection: Connection, access: Access, turn_id: str, status: TurnStatus) -> None:
    statement = update(turns).where(_is_turn(access, turn_id))
    connection.execute(statement.values(status=status.value))


def mark_interrupted(connection: Connection, space: str, turn_id: str) -> None:
    """Note of a turn, if it was running, that its process is gone."""
    connection.execute(
        update(turns)
        .where(
            turns.c.id == turn_id,
            turns.c.knowledge_space_id == space,
            turns.c.status == TurnStatus.RUNNING.value,
        )
        .values(status=TurnStatus.INTERRUPTED.value)
    )


def find(connection: Connection, access: Access, turn_id: str) -> Turn | None:
    statement = select(*_COLUMNS).where(_is_turn(access, turn_id))
    row = connection.execute(statement).mappings().first()
    return _to_turn(row) if row else None


def find_number(connection: Connection, access: Access, user_id: str, number: int) -> Turn | None:
    statement = select(*_COLUMNS).where(
        turns.c.knowledge_space_id == access.space,
        turns.c.user_id == user_id,
        turns.c.number == number,
    )
    row = connection.execute(statement).mappings().first()
    return _to_turn(row) if row else None


def list_newest(
    connection: Connection,
    access: Access,
    user_id: str | None,
    *,
    limit: int,
    before: float | None = None,
    is_archived: bool | None = False,
) -> list[Turn]:
    """Return turns, newest first; of all users where none is given.

    Those in the archive or those that are not there, or all of them where it is None.
    """
    statement = select(*_COLUMNS).where(turns.c.knowledge_space_id == access.space)
    if is_archived is not None:
        statement = statement.where(turns.c.archived_at.is_not(None) == is_archived)
    if user_id is not None:
        statement = statement.where(turns.c.user_id == user_id)
    if before is not None:
        statement = statement.where(turns.c.created_at < before)
    statement = statement.order_by(turns.c.created_at.desc(), turns.c.number.desc()).limit(limit)
    return [_to_turn(row) for row in connection.execute(statement).mappings()]


def list_ended_before(
    connection: Connection, access: Access, user_id: str | None, before: float
) -> list[Turn]:
    """Return the turns outside of the archive that ended before a moment, oldest first."""
    statement = select(*_COLUMNS).where(
        turns.c.knowledge_space_id == access.space,
        turns.c.ended_at < before,
        turns.c.archived_at.is_(None),
        turns.c.status.in_([status.value for status in TurnStatus if status.is_over]),
    )
    if user_id is not None:
        statement = statement.where(turns.c.user_id == user_id)
    rows = connection.execute(statement.order_by(turns.c.created_at)).mappings()
    return [_to_turn(row) for row in rows]


def list_spaces(connection: Connection) -> list[str]:
    """Return the spaces that have turns outside of the archive."""
    statement = select(turns.c.knowledge_space_id).where(turns.c.archived_at.is_(None))
    return sorted(connection.execute(statement.distinct()).scalars())


def set_archived(connection: Connection, access: Access, turn: Turn) -> None:
    """Write whether a turn is in the archive."""
    statement = update(turns).where(_is_turn(access, turn.id))
    connection.execute(statement.values(archived_at=turn.archived_at))


def list_begun(connection: Connection, status: TurnStatus) -> list[tuple[str, Turn]]:
    """Return the turns of a status, oldest first, each with its space."""
    statement = (
        select(turns.c.knowledge_space_id, *_COLUMNS)
        .where(turns.c.status == status.value)
        .order_by(turns.c.created_at)
    )
    rows = connection.execute(statement).mappings()
    return [(row["knowledge_space_id"], _to_turn(row)) for row in rows]


def list_vectors(
    connection: Connection, access: Access, user_id: str, *, after: int
) -> list[tuple[int, Vector]]:
    """Return number and vector of a user's ended turns beyond a number."""
    statement = (
        select(turns.c.number, turns.c.vector)
        .where(
            turns.c.knowledge_space_id == access.space,
            turns.c.user_id == user_id,
            turns.c.number > after,
            turns.c.archived_at.is_(None),
            turns.c.vector.is_not(None),
        )
        .order_by(turns.c.number)
    )
    return [
        (row.number, np.frombuffer(row.vector, dtype=np.float32))
        for row in connection.execute(statement)
    ]


def list_numbers(
    connection: Connection, access: Access, user_id: str, numbers: Sequence[int]
) -> dict[int, Turn]:
    statement = select(*_COLUMNS).where(
        turns.c.knowledge_space_id == access.space,
        turns.c.user_id == user_id,
        turns.c.number.in_(numbers),
    )
    rows = connection.execute(statement).mappings()
    return {row["number"]: _to_turn(row) for row in rows}


def list_all_numbers(connection: Connection, access: Access, user_id: str) -> list[int]:
    """Return the numbers of all turns of a user."""
    statement = select(turns.c.number).where(
        turns.c.knowledge_space_id == access.space, turns.c.user_id == user_id
    )
    return list(connection.execute(statement).scalars())


def list_users(connection: Connection, access: Access) -> list[str]:
    """Return who has files of turns among the rows."""
    statement = select(turn_files.c.user_id).where(turn_files.c.knowledge_space_id == access.space)
    statement = statement.distinct()
    return sorted(connection.execute(statement).scalars())


def list_spaces_with_files(connection: Connection) -> list[str]:
    """Return the spaces that have files of turns among the rows."""
    statement = select(turn_files.c.knowledge_space_id).distinct()
    return sorted(connection.execute(statement).scalars())


def clear_files(connection: Connection) -> None:
    """Remove the files of all turns."""
    connection.execute(delete(turn_files))


def remove(connection: Connection, access: Access, turn_id: str) -> None:
    connection.execute(delete(turns).where(_is_turn(access, turn_id)))


def clear_index(connection: Connection, access: Access) -> None:
    """Remove what is derived from the files of the space's turns."""
    for table in (turns, research_documents, page_visits):
        connection.execute(delete(table).where(table.c.knowledge_space_id == access.space))


def purge(connection: Connection, access: Access) -> None:
    """Remove everything of the space."""
    clear_index(connection, access)
    connection.execute(delete(turn_files).where(turn_files.c.knowledge_space_id == access.space))


class RowVault:
    """The files of one user as rows of a database, which seals them with the rest of the space."""

    def __init__(self, database: Database, access: Access, user_id: str) -> None:
        self._database = database
        self._key = {"knowledge_space_id": access.space, "user_id": user_id}
        self._own = (turn_files.c.knowledge_space_id == access.space) & (
            turn_files.c.user_id == user_id
        )

    def read(self, path: str) -> str | None:
        statement = select(turn_files.c.content).where(self._own, turn_files.c.path == path)
        with self._database.read() as transaction:
            parts = transaction.execute(statement.order_by(turn_files.c.part)).scalars().all()
        return "".join(parts) if parts else None

    def measure(self, path: str) -> int | None:
        statement = select(func.sum(func.length(turn_files.c.content))).where(
            self._own, turn_files.c.path == path
        )
        with self._database.read() as transaction:
            return transaction.execute(statement).scalar()

    def write(self, path: str, text: str) -> None:
        with self._database.write() as transaction:
            transaction.execute(delete(turn_files).where(self._own, turn_files.c.path == path))
            self._add_part(transaction, path, 0, text)

    def append(self, path: str, text: str) -> None:
        parts = select(func.max(turn_files.c.part)).where(self._own, turn_files.c.path == path)
        with self._database.write() as transaction:
            last = transaction.execute(parts).scalar()
            self._add_part(transaction, path, 0 if last is None else last + 1, text)

    def adopt(self, vault: Vault, paths: Sequence[str]) -> None:
        """Take in files of another vault, of which those that are there stay as they are."""
        known = {*self.list_paths("")}
        with self._database.write() as transaction:
            for path in paths:
                if path not in known and (text := vault.read(path)):
                    self._add_part(transaction, path, 0, text)

    def _add_part(self, connection: Connection, path: str, part: int, text: str) -> None:
        # PostgreSQL stores no NUL, which nothing shows.
        row = {**self._key, "path": path, "part": part, "content": text.replace("\0", "\ufffd")}
        connection.execute(insert(turn_files), row)

    def list_paths(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        statement = (
            select(turn_files.c.path)
            .where(self._own, turn_files.c.path.startswith(prefix, autoescape=True))
            .distinct()
            .order_by(turn_files.c.path)
        )
        with self._database.read() as transaction:
            return list(transaction.execute(statement).scalars())

    def list_damaged(self, folder: str) -> list[str]:  # noqa: ARG002 - a row is text
        return []

    def remove(self, folder: str) -> None:
        path = turn_files.c.path
        inside = path.startswith(f"{folder}/", autoescape=True) | (path == folder)
        with self._database.write() as transaction:
            transaction.execute(delete(turn_files).where(self._own, inside))


_: type[Vault] = RowVault


def _is_turn(access: Access, turn_id: str) -> ColumnElement[bool]:
    return (turns.c.id == turn_id) & (turns.c.knowledge_space_id == access.space)


def _to_row(access: Access, turn: Turn, vector: Vector | None) -> dict[str, Any]:
    values: dict[str, Any] = {field: getattr(turn, field) for field in _FIELDS}
    return values | {
        "status": turn.status.value,
        "intent": turn.intent.value,
        "knowledge_space_id": access.space,
        "vector": None if vector is None else vector.astype(np.float32).tobytes(),
    }


def _to_turn(row: Mapping[Any, Any]) -> Turn:
    values = {field: row[field] for field in _FIELDS}
    values |= {"status": TurnStatus(row["status"]), "intent": Intent(row["intent"])}
    return Turn(**values)
