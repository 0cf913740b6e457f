"""The thoughts of a space by when they were said, newest first."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select, tuple_

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import IS_READABLE, thoughts
from wellworn.domain.thoughts.tags import tag_key
from wellworn.domain.thoughts.truth import TimeScope
from wellworn.engines.storage.sql import Asked, compare_with_list


def list_newest(
    connection: Connection,
    access: Access,
    scope: TimeScope,
    *,
    tag: str | None,
    among: Collection[int] | None = None,
    after_seq: int | None = None,
    limit: int | None = None,
) -> list[int]:
    """Return the seqs of visible thoughts of a scope, newest first, from `after_seq` on.

    Where `among` is given, only of these.
    """
    by_time = (thoughts.c.created_at, thoughts.c.seq)
    statement = (
        select(
            *by_time,
            thoughts.c.contributor_id,
            thoughts.c.contributor_name,
            thoughts.c.owner,
            thoughts.c.tags,
        )
        .where(
            thoughts.c.knowledge_space_id == access.space,
            *IS_READABLE,
        )
        .order_by(*(column.desc() for column in by_time))
    )
    if scope.since is not None:
        statement = statement.where(thoughts.c.created_at >= scope.since)
    if scope.until is not None:
        statement = statement.where(thoughts.c.created_at < scope.until)
    if after_seq is not None:
        last = select(*by_time).where(thoughts.c.seq == after_seq)
        statement = statement.where(tuple_(*by_time) < last.scalar_subquery())
    if among is not None:
        statement = statement.where(compare_with_list(thoughts.c.seq, "seqs"))
    found = connection.execute(statement, {} if among is None else {"seqs": [*among]})
    key = None if tag is None else tag_key(tag)
    fitting = (
        seq
        for said_at, seq, contributor_id, name, owner, tags_json in found
        if scope.includes(said_at, contributor_id, name, owner or "")
        and (key is None or key in map(tag_key, json.loads(tags_json)))
    )
    return list(islice(fitting, limit))


def _find_contributors() -> Select[Any, Any, Any]:
    """Find ids one after the other in their index: it takes as long as there are contributors."""
    earlier = thoughts.alias()
    mine = earlier.c.knowledge_space_id == bindparam("space")
    first = select(func.min(earlier.c.contributor_id).label("id")).where(mine)
    ids = first.cte("contributor_ids", recursive=True)
    following = (
        select(func.min(earlier.c.contributor_id))
        .where(mine, earlier.c.contributor_id > ids.c.id)
        .correlate(ids)
    )
    ids = ids.union_all(select(following.scalar_subquery()).where(ids.c.id.is_not(None)))
    latest = (
        select(func.max(earlier.c.seq))
        .where(
            mine,
            earlier.c.contributor_id == ids.c.id,
            earlier.c.erased_at.is_(None),
            earlier.c.quarantined_at.is_(None),
        )
        .correlate(ids)
    )
    names = (thoughts.c.contributor_id, thoughts.c.contributor_name, thoughts.c.owner)
    return (
        select(*names).select_from(ids).join(thoughts, thoughts.c.seq == latest.scalar_subquery())
    )


_CONTRIBUTORS = _find_contributors()


def ask_contributors(access: Access) -> Asked:
    """Ask for the id, the name of today and the owner of all who said what a space shows."""
    return _CONTRIBUTORS, {"space": access.space}
