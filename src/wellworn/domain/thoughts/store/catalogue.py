"""What a space holds, read for browsing: which thoughts came together, which tags they carry.

Erased thoughts and held ones are nowhere in it, and neither is what only they carry.

Source: issue 4, point 6.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Kind
from wellworn.domain.thoughts.tables import tags, thoughts
from wellworn.domain.thoughts.tags import tag_key

OPENING = 200
"""Characters of a thought that an entry of a list begins with."""


class Bond(StrEnum):
    """What makes thoughts one thing: a session they were said in, or a file they were read from."""

    SESSION = "session"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Group:
    """Thoughts that came together; `turns` of its `size` were said in a conversation."""

    bond: Bond
    name: str
    size: int
    turns: int
    first_seq: int


@dataclass(frozen=True, slots=True)
class Label:
    """A tag as it was first written, and how many thoughts carry it."""

    key: str
    tag: str
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A thought in a list; of its words only the beginning, unless they were asked for."""

    seq: int
    thought_id: str
    text: str
    contributor: str
    created_at: float


_ENTRY = (
    thoughts.c.seq,
    thoughts.c.id,
    thoughts.c.contributor_name,
    thoughts.c.created_at,
)
# Notes that were read from a file have its path in place of a context, and no session.
_FROM_A_FILE = and_(
    thoughts.c.session.is_(None),
    or_(
        thoughts.c.context_metadata.ilike("%.md"),
        thoughts.c.context_metadata.ilike("%.markdown"),
    ),
    thoughts.c.context_metadata.not_like("%\n%"),
)


class Catalogue:
    """The thoughts of one space at one moment."""

    def __init__(self, connection: Connection, access: Access) -> None:
        self._connection = connection
        self._shown: tuple[ColumnElement[bool], ...] = (
            thoughts.c.knowledge_space_id == access.space,
            thoughts.c.erased_at.is_(None),
            thoughts.c.quarantined_at.is_(None),
        )
        self._space = access.space

    def groups(self) -> list[Group]:
        """Return every session and every file, oldest first."""
        found = [
            *self._groups(Bond.SESSION, thoughts.c.session, thoughts.c.session.is_not(None)),
            *self._groups(Bond.FILE, thoughts.c.context_metadata, _FROM_A_FILE),
        ]
        return sorted(found, key=lambda group: group.first_seq)

    def group(self, bond: Bond, name: str) -> Group | None:
        """Return the group of that name."""
        column = _NAMED_BY[bond]
        kept = column == name if bond is Bond.SESSION else and_(_FROM_A_FILE, column == name)
        return next(iter(self._groups(bond, column, kept)), None)

    def _groups(
        self, bond: Bond, name: ColumnElement[Any], kept: ColumnElement[bool]
    ) -> list[Group]:
        turns = func.count().filter(thoughts.c.kind == Kind.TURN.value)
        statement = (
            select(name.label("name"), func.count(), turns, func.min(thoughts.c.seq))
            .where(*self._shown, kept)
            .group_by(name)
        )
        return [Group(bond, *row) for row in self._connection.execute(statement)]

    def members(
        self, group: Group, *, limit: int, offset: int = 0, whole: bool = False
    ) -> list[Entry]:
        """Return a group's thoughts in the order of the conversation or the file."""
        kept = _NAMED_BY[group.bond] == group.name
        if group.bond is Bond.FILE:
            kept = and_(_FROM_A_FILE, kept)
        place = thoughts.c.position.asc().nulls_last()
        statement = self._entries(whole=whole).where(kept).order_by(place, thoughts.c.seq)
        return self._read(statement.limit(limit).offset(offset))

    def labels(self) -> list[Label]:
        """Return the tags of what is shown, the most carried first."""
        hidden = self._carried(
            thoughts.c.knowledge_space_id == self._space,
            thoughts.c.erased_at.is_(None),
            thoughts.c.quarantined_at.is_not(None),
        )
        statement = select(tags.c.tag_key, tags.c.tag, tags.c.thoughts).where(
            tags.c.knowledge_space_id == self._space
        )
        known = [Label(*row) for row in self._connection.execute(statement)]
        shown = [Label(one.key, one.tag, one.size - hidden[one.key]) for one in known]
        shown = [one for one in shown if one.key and one.size > 0]
        return sorted(shown, key=lambda one: (-one.size, one.key))

    def _carried(self, *which: ColumnElement[bool]) -> Counter[str]:
        statement = select(thoughts.c.tags).where(*which, thoughts.c.tags != "[]")
        rows = self._connection.execute(statement).scalars()
        return Counter(key for given in rows for key in _keys(given))

    def tagged(self, key: str) -> list[int]:
        """Return the numbers of the thoughts with a tag, newest first."""
        statement = (
            select(thoughts.c.seq, thoughts.c.tags)
            .where(*self._shown, thoughts.c.tags != "[]")
            .order_by(thoughts.c.seq.desc())
        )
        # Few lists of tags are many thoughts'; reading each once is most of the work saved.
        known: dict[str, bool] = {}
        found: list[int] = []
        for seq, given in self._connection.execute(statement):
            if given not in known:
                known[given] = key in _keys(given)
            if known[given]:
                found.append(seq)
        return found

    def entries(self, seqs: Sequence[int], *, whole: bool = False) -> list[Entry]:
        """Return those of the thoughts that are shown, in the order of the numbers."""
        statement = self._entries(whole=whole).where(thoughts.c.seq.in_(seqs))
        found = {one.seq: one for one in self._read(statement)}
        return [found[seq] for seq in seqs if seq in found]

    def entry(self, thought_id: str) -> Entry | None:
        """Return a thought with all its words."""
        statement = self._entries(whole=True).where(thoughts.c.id == thought_id)
        return next(iter(self._read(statement)), None)

    def by_id(self, thought_ids: Sequence[str]) -> dict[str, Entry]:
        """Return those of the thoughts that are shown."""
        statement = self._entries(whole=True).where(thoughts.c.id.in_(thought_ids))
        return {one.thought_id: one for one in self._read(statement)}

    def _entries(self, *, whole: bool) -> Select[Any]:
        text = thoughts.c.content if whole else func.substr(thoughts.c.content, 1, OPENING)
        columns: list[ColumnElement[Any]] = [*_ENTRY, text.label("text")]
        return select(*columns).where(*self._shown)

    def _read(self, statement: Select[Any]) -> list[Entry]:
        return [_entry(row) for row in self._connection.execute(statement)]


_NAMED_BY = {Bond.SESSION: thoughts.c.session, Bond.FILE: thoughts.c.context_metadata}


def _keys(given: str) -> set[str]:
    return {tag_key(tag) for tag in json.loads(given)}


def _entry(row: Row[Any]) -> Entry:
    return Entry(row.seq, row.id, row.text, row.contributor_name, row.created_at)
