"""The thoughts of a space for browsing: by session, by file and by tag.

Erased and quarantined thoughts are left out, and so is what only they carry.
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
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.domain.thoughts.tables import IS_READABLE, tags, thoughts
from wellworn.domain.thoughts.tags import tag_key

OPENING = 200
"""Characters of a thought that a list shows."""


class GroupKind(StrEnum):
    """The kind of a group: the session its thoughts belong to, or the file they were read from."""

    SESSION = "session"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class ThoughtGroup:
    """Thoughts of one session or file; `turns` of them are turns of a conversation."""

    bond: GroupKind
    name: str
    size: int
    turns: int
    first_seq: int


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag as first spelled, and how many thoughts carry it."""

    key: str
    tag: str
    size: int


@dataclass(frozen=True, slots=True)
class ThoughtExcerpt:
    """A thought in a list, with its opening or its full text."""

    seq: int
    thought_id: str
    text: str
    contributor: str
    created_at: float


_EXCERPT = (
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
            *IS_READABLE,
        )
        self._space = access.space

    def list_groups(self) -> list[ThoughtGroup]:
        """Return every session and every file, oldest first."""
        groups = [
            *self._read_groups(
                GroupKind.SESSION, thoughts.c.session, thoughts.c.session.is_not(None)
            ),
            *self._read_groups(GroupKind.FILE, thoughts.c.context_metadata, _FROM_A_FILE),
        ]
        return sorted(groups, key=lambda group: group.first_seq)

    def find_group(self, bond: GroupKind, name: str) -> ThoughtGroup | None:
        """Return the group of that name."""
        column = _NAME_COLUMNS[bond]
        condition = column == name
        if bond is GroupKind.FILE:
            condition = and_(_FROM_A_FILE, condition)
        return next(iter(self._read_groups(bond, column, condition)), None)

    def _read_groups(
        self, bond: GroupKind, name: ColumnElement[Any], condition: ColumnElement[bool]
    ) -> list[ThoughtGroup]:
        turns = func.count().filter(thoughts.c.kind == ThoughtKind.TURN.value)
        statement = (
            select(name.label("name"), func.count(), turns, func.min(thoughts.c.seq))
            .where(*self._shown, condition)
            .group_by(name)
        )
        return [ThoughtGroup(bond, *row) for row in self._connection.execute(statement)]

    def members(
        self, group: ThoughtGroup, *, limit: int, offset: int = 0, whole: bool = False
    ) -> list[ThoughtExcerpt]:
        """Return a group's thoughts in the order of the conversation or the file."""
        condition = _NAME_COLUMNS[group.bond] == group.name
        if group.bond is GroupKind.FILE:
            condition = and_(_FROM_A_FILE, condition)
        place = thoughts.c.position.asc().nulls_last()
        statement = self._select_excerpts(whole=whole).where(condition)
        statement = statement.order_by(place, thoughts.c.seq)
        return self._read(statement.limit(limit).offset(offset))

    def count_tags(self) -> list[TagCount]:
        """Return the tags of visible thoughts, the most frequent first."""
        hidden = self._count_keys(
            thoughts.c.knowledge_space_id == self._space,
            thoughts.c.erased_at.is_(None),
            thoughts.c.quarantined_at.is_not(None),
        )
        statement = select(tags.c.tag_key, tags.c.tag, tags.c.thoughts).where(
            tags.c.knowledge_space_id == self._space
        )
        counts = [
            TagCount(key, tag, size - hidden[key])
            for key, tag, size in self._connection.execute(statement)
        ]
        counts = [count for count in counts if count.key and count.size > 0]
        return sorted(counts, key=lambda count: (-count.size, count.key))

    def _count_keys(self, *which: ColumnElement[bool]) -> Counter[str]:
        statement = select(thoughts.c.tags).where(*which, thoughts.c.tags != "[]")
        rows = self._connection.execute(statement).scalars()
        return Counter(key for tags_json in rows for key in _parse_keys(tags_json))

    def find_tagged(self, key: str) -> list[int]:
        """Return the numbers of the thoughts with a tag, newest first."""
        statement = (
            select(thoughts.c.seq, thoughts.c.tags)
            .where(*self._shown, thoughts.c.tags != "[]")
            .order_by(thoughts.c.seq.desc())
        )
        # Many thoughts share a few lists of tags; each is parsed once.
        has_tag: dict[str, bool] = {}
        seqs: list[int] = []
        for seq, tags_json in self._connection.execute(statement):
            if tags_json not in has_tag:
                has_tag[tags_json] = key in _parse_keys(tags_json)
            if has_tag[tags_json]:
                seqs.append(seq)
        return seqs

    def list_excerpts(self, seqs: Sequence[int], *, whole: bool = False) -> list[ThoughtExcerpt]:
        """Return those of the thoughts that are visible, in the given order."""
        statement = self._select_excerpts(whole=whole).where(thoughts.c.seq.in_(seqs))
        excerpts = {excerpt.seq: excerpt for excerpt in self._read(statement)}
        return [excerpts[seq] for seq in seqs if seq in excerpts]

    def find_excerpt(self, thought_id: str) -> ThoughtExcerpt | None:
        """Return a thought with its full text."""
        statement = self._select_excerpts(whole=True).where(thoughts.c.id == thought_id)
        return next(iter(self._read(statement)), None)

    def find_excerpts(self, thought_ids: Sequence[str]) -> dict[str, ThoughtExcerpt]:
        """Return by id those of the thoughts that are visible, with their full text."""
        statement = self._select_excerpts(whole=True).where(thoughts.c.id.in_(thought_ids))
        return {excerpt.thought_id: excerpt for excerpt in self._read(statement)}

    def _select_excerpts(self, *, whole: bool) -> Select[Any]:
        text = thoughts.c.content if whole else func.substr(thoughts.c.content, 1, OPENING)
        columns: list[ColumnElement[Any]] = [*_EXCERPT, text.label("text")]
        return select(*columns).where(*self._shown)

    def _read(self, statement: Select[Any]) -> list[ThoughtExcerpt]:
        return [_to_excerpt(row) for row in self._connection.execute(statement)]


_NAME_COLUMNS = {GroupKind.SESSION: thoughts.c.session, GroupKind.FILE: thoughts.c.context_metadata}


def _parse_keys(tags_json: str) -> set[str]:
    return {tag_key(tag) for tag in json.loads(tags_json)}


def _to_excerpt(row: Row[Any]) -> ThoughtExcerpt:
    return ThoughtExcerpt(row.seq, row.id, row.text, row.contributor_name, row.created_at)
