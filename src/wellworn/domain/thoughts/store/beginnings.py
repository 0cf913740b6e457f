"""Ids of thoughts by how they begin; names that imports brought for known thoughts are ids, too."""

from __future__ import annotations

from sqlalchemy import Connection, String, bindparam, select, union

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import aliases, thoughts
from wellworn.engines.storage.sql import fetch

_AFTER_ALL = "g"
"""Comes after every character of an id."""

_BEGINNING = bindparam("beginning", type_=String)
_IDS = union(
    *(
        select(table.c.id).where(
            table.c.knowledge_space_id == bindparam("space", type_=String),
            table.c.id >= _BEGINNING,
            table.c.id < _BEGINNING + _AFTER_ALL,
        )
        for table in (thoughts, aliases)
    )
).limit(bindparam("limit"))


def find_ids(connection: Connection, access: Access, beginning: str, *, limit: int) -> list[str]:
    """Return the ids that begin so in the space and the one that a project shares, so many each."""
    spaces = [access.space, *([access.shared.space] if access.shared else [])]
    parameters = {"beginning": beginning, "limit": limit}
    rows = (
        row for space in spaces for row in fetch(connection, _IDS, parameters | {"space": space})
    )
    return sorted({thought_id for (thought_id,) in rows})
