"""The thoughts of a space by when they were said, newest first."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, false, func, or_, select, tuple_

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import IS_READABLE, thoughts
from wellworn.domain.thoughts.tags import tag_key
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.engines.storage.sql import Asked, compare_with_list

_FIRST_LOOK: Final = 1_000
"""Rows that are looked at one by one before the query is asked for those that fit."""
_LONG_AGO: Final = -1e300
_NAMES: Final = (thoughts.c.contributor_id, thoughts.c.contributor_name, thoughts.c.owner)


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
    statement, given = _select_fitting(access, scope, among)
    statement = statement.order_by(*(column.desc() for column in by_time))
    if after_seq is not None:
        last = select(*by_time).where(thoughts.c.seq == after_seq)
        statement = statement.where(tuple_(*by_time) < last.scalar_subquery())
    if tag is not None or _asks_for_somebody(scope):
        if limit is not None:
            # Most pages are full of the newest, and then nothing else need be looked at.
            rows = connection.execute(statement.limit(_FIRST_LOOK), given).all()
            fitting = [row.seq for row in rows if _fits(row, scope, tag)]
            if len(fitting) >= limit or len(rows) < _FIRST_LOOK:
                return fitting[:limit]
        statement, given = _narrow(connection, statement, given, scope, tag)
    seqs = statement.with_only_columns(thoughts.c.seq).limit(limit)
    return list(connection.execute(seqs, given).scalars())


def count(
    connection: Connection,
    access: Access,
    scope: TimeScope,
    *,
    tag: str | None,
    among: Collection[int] | None = None,
) -> int:
    """Return how many thoughts `list_newest` lists without a limit."""
    statement, given = _select_fitting(access, scope, among)
    if tag is not None or _asks_for_somebody(scope):
        statement, given = _narrow(connection, statement, given, scope, tag)
    counted = statement.with_only_columns(func.count(), maintain_column_froms=True)
    return connection.execute(counted, given).scalar_one()


def _select_fitting(
    access: Access, scope: TimeScope, among: Collection[int] | None
) -> tuple[Select[*tuple[Any, ...]], dict[str, Any]]:
    """Return what selects visible thoughts by when they were said, and what it is given."""
    said_at = thoughts.c.created_at
    statement = select(thoughts.c.seq, *_NAMES, thoughts.c.tags, said_at).where(
        thoughts.c.knowledge_space_id == access.space,
        *IS_READABLE,
        # In the order of time a space's rows lie together: it is read six times as fast.
        said_at >= (_LONG_AGO if scope.since is None else scope.since),
    )
    if scope.until is not None:
        statement = statement.where(said_at < scope.until)
    if scope.as_of is not None:
        statement = statement.where(said_at <= scope.as_of)
    if among is None:
        return statement, {}
    listed = compare_with_list(thoughts.c.seq, "seqs")
    return statement.where(listed), {"seqs": sorted(among)}


def _asks_for_somebody(scope: TimeScope) -> bool:
    return scope.by is not None or scope.people is not None


def _fits(row: Any, scope: TimeScope, tag: str | None) -> bool:
    """Tell whether a row has the tag, and was said by who is asked for."""
    return _has_tag(row.tags, tag) and scope.includes(
        row.created_at, row.contributor_id, row.contributor_name, row.owner or ""
    )


def _has_tag(tags_json: str, tag: str | None) -> bool:
    return tag is None or tag_key(tag) in map(tag_key, json.loads(tags_json))


def _narrow(
    connection: Connection,
    statement: Select[*tuple[Any, ...]],
    given: dict[str, Any],
    scope: TimeScope,
    tag: str | None,
) -> tuple[Select[*tuple[Any, ...]], dict[str, Any]]:
    """Add who and what is asked for, by those of the values that the rows have which fit."""
    given, narrowed, unordered = dict(given), statement, statement.order_by(None)
    if tag is not None:
        some = unordered.where(thoughts.c.tags != "[]").with_only_columns(thoughts.c.tags)
        values = connection.execute(some.distinct(), given).scalars()
        given["tags"] = [value for value in values if _has_tag(value, tag)]
        narrowed = narrowed.where(compare_with_list(thoughts.c.tags, "tags"))
    if _asks_for_somebody(scope):
        somebody = replace(ANY_TIME, by=scope.by, people=scope.people)
        rows = connection.execute(unordered.with_only_columns(*_NAMES).distinct(), given).all()
        for column, values in zip(_NAMES, zip(*rows, strict=True), strict=False):
            given[column.name] = sorted(
                value for value in {*values} if value and somebody.includes(0.0, value)
            )
        listed = [compare_with_list(column, column.name) for column in _NAMES]
        narrowed = narrowed.where(or_(*listed) if rows else false())
    return narrowed, given


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
    return (
        select(*_NAMES).select_from(ids).join(thoughts, thoughts.c.seq == latest.scalar_subquery())
    )


_CONTRIBUTORS = _find_contributors()


def ask_contributors(access: Access) -> Asked:
    """Ask for the id, the name of today and the owner of all who said what a space shows."""
    return _CONTRIBUTORS, {"space": access.space}
