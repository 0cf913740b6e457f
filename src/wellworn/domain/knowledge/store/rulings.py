"""Stores rulings on names, as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from wellworn.domain.knowledge.naming import NameRuling, NameRulings, NameVerdict
from wellworn.domain.knowledge.store.compiled import LONGEST
from wellworn.domain.knowledge.tables import name_rulings as rulings
from wellworn.domain.spaces import Access


def list_rulings(connection: Connection, access: Access) -> list[NameRuling]:
    """Return all that was said of names in the space, oldest first."""
    statement = select(rulings).where(rulings.c.knowledge_space_id == access.space)
    return [_to_ruling(row) for row in connection.execute(statement.order_by(rulings.c.id))]


def load_rulings(connection: Connection, access: Access) -> NameRulings:
    """Return the same to be asked."""
    return NameRulings(list_rulings(connection, access))


def add_ruling(
    connection: Connection, access: Access, ruling: NameRuling, known: Iterable[NameRuling]
) -> NameRuling:
    """Write what was said of two names, in place of what is known to be said of them."""
    earlier = [other.id for other in known if other.keys == ruling.keys]
    connection.execute(delete(rulings).where(rulings.c.id.in_(earlier)))
    columns = asdict(ruling) | {
        "knowledge_space_id": access.space,
        "term": ruling.term[:LONGEST],
        "other": ruling.other[:LONGEST],
    }
    del columns["id"]
    row = connection.execute(insert(rulings).returning(rulings), columns).one()
    return _to_ruling(row)


def remove_ruling(connection: Connection, access: Access, ruling_id: int) -> None:
    """Take back what was said of names."""
    connection.execute(
        delete(rulings).where(
            rulings.c.id == ruling_id, rulings.c.knowledge_space_id == access.space
        )
    )


def purge(connection: Connection, access: Access) -> None:
    """Delete all that was said of names in the space."""
    connection.execute(delete(rulings).where(rulings.c.knowledge_space_id == access.space))


def _to_ruling(row: Any) -> NameRuling:
    columns = row._asdict()
    del columns["knowledge_space_id"]
    return NameRuling(**columns | {"verdict": NameVerdict(row.verdict)})
