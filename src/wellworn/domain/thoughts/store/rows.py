"""Rows of thoughts: insert, read, release, erase."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import (
    Connection,
    String,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    union,
    update,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.models import HeldThought, ThoughtKind
from wellworn.domain.thoughts.store import tagging
from wellworn.domain.thoughts.store.ledger import STORED_TRAIL, build_trail, trail_to_row
from wellworn.domain.thoughts.tables import (
    aliases,
    erasures,
    features,
    query_log,
    replacements,
    thought_sources,
    thoughts,
    trails,
)
from wellworn.domain.thoughts.tags import may_be_said
from wellworn.domain.thoughts.trail import Trail, create
from wellworn.domain.thoughts.truth import ReplacementOrigin, TimeScope
from wellworn.domain.thoughts.truth.models import OPENING_LENGTH
from wellworn.engines.storage.sql import (
    Asked,
    Rows,
    ask_number,
    build_value,
    compare_with_list,
    fetch,
    select_in,
    write_rows,
)
from wellworn.kit.text import fingerprint

Speaker = tuple[str, str | None]
"""The one who speaks in the first person: an agent's id, and the member whose credential it has."""

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


class ThoughtSummary(NamedTuple):
    """A thought as a search reads it; of its content only the first 80 characters."""

    seq: int
    thought_id: str
    contributor_id: str
    contributor_name: str
    tags: tuple[str, ...]
    created_at: float
    opening: str
    trail: Trail
    owner: str | None = None
    held: bool = False
    is_note: bool = True
    by_admin: bool = False

    @property
    def speaker(self) -> Speaker:
        """The one who speaks in it, where it is in the first person."""
        return self.contributor_id, self.owner

    def is_within(self, scope: TimeScope) -> bool:
        names = (self.contributor_id, self.contributor_name, self.owner or "")
        return scope.includes(self.created_at, *names)

    @property
    def plain_tags(self) -> tuple[str, ...]:
        """Those of its tags that may be said in the server's own words."""
        return tuple(filter(may_be_said, self.tags))


@dataclass(frozen=True, slots=True)
class IndexableThought:
    """A thought as indexing reads it."""

    seq: int
    thought_id: str
    space: str
    kind: ThoughtKind
    content: str
    contributor_id: str
    contributor_name: str
    tags: tuple[str, ...]
    created_at: float
    owner: str | None
    heard_at: float = 0.0
    """Since when its words count against those of others: a member's import may claim any time."""

    @property
    def speaker(self) -> Speaker:
        """The one who speaks in it, where it is in the first person."""
        return self.contributor_id, self.owner

    @property
    def user(self) -> str:
        """The one user it counts for: a member, or at the open door an agent."""
        return self.owner or self.contributor_id


def find_seqs(connection: Connection, access: Access, ids: Iterable[str]) -> dict[str, int]:
    """Return the seq of each id that names a thought of this space, erased ones included.

    An alias, from an import of content that was known already, names the known thought.
    """
    wanted = set(ids)
    statement = select(thoughts.c.id, thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == access.space
    )
    seqs = {row.id: row.seq for row in select_in(connection, statement, thoughts.c.id, wanted)}
    statement = select(aliases.c.id, aliases.c.thought_seq).where(
        aliases.c.knowledge_space_id == access.space
    )
    rows = select_in(connection, statement, aliases.c.id, wanted - seqs.keys())
    return seqs | {row.id: row.thought_seq for row in rows}


_ADD = insert(thoughts).returning(thoughts.c.seq)
_ADD_NUMBERED = insert(thoughts)
_ADD_TRAIL = insert(trails)


def insert_thought(
    connection: Connection,
    access: Access,
    draft: ThoughtDraft,
    *,
    thought_id: str,
    key: str,
    held: bool,
    now: float,
    seq: int | None = None,
) -> int:
    """Insert a thought with its tags and a fresh trail; return its seq, unless it has one."""
    created_at = now if draft.created_at is None else draft.created_at
    stored = {
        **draft_to_row(draft, access.space, key),
        "id": thought_id,
        "created_at": created_at,
        "owner": access.owner,
        "stored_at": now,
        "quarantined_at": now if held else None,
        "by_admin": access.is_admin_member,
        "unconfirmed_until": access.find_unconfirmed_end(now),
    }
    if seq is None:
        seq = cast("int", connection.execute(_ADD, stored).scalar_one())
    else:
        write_rows(connection, _ADD_NUMBERED, [{"seq": seq, **stored}])
    trail = trail_to_row(create(created_at))
    row = {"thought_seq": seq, "knowledge_space_id": access.space, **trail}
    write_rows(connection, _ADD_TRAIL, [row])
    tagging.count_tags(connection, access, draft.tags)
    return seq


def ask_thought_seq(connection: Connection) -> list[Asked]:
    """Ask for the seq of the next thought, where that with its row would be a round trip."""
    return ask_number(connection, thoughts.c.seq)


def draft_to_row(draft: ThoughtDraft, space: str, key: str) -> dict[str, Any]:
    """Return the columns that a draft fills; `key` is that of its content."""
    return {
        "id": draft.thought_id,
        "knowledge_space_id": space,
        "content_key": key,
        "tags": json.dumps(draft.tags, ensure_ascii=False) if draft.tags else "[]",
        **{name: getattr(draft, name) for name in _DRAFT_COLUMNS},
    }


_DRAFT_COLUMNS = (
    *("kind", "content", "contributor_id", "contributor_name", "thought_type"),
    *("context_metadata", "session", "position", "created_at"),
)


def link_sources(connection: Connection, seq: int, source_seqs: Sequence[int]) -> None:
    rows = [
        {"thought_seq": seq, "source_seq": source, "place": place}
        for place, source in enumerate(source_seqs)
    ]
    if rows:
        connection.execute(insert(thought_sources), rows)


@dataclass(frozen=True, slots=True)
class Authorship:
    """The author a thought counts for, and whether it is held in quarantine."""

    author: str
    owner: str | None
    held: bool


def load_authorships(connection: Connection, seqs: Sequence[int]) -> dict[int, Authorship]:
    rows = fetch(connection, _AUTHORSHIPS, {"seqs": seqs})
    return {
        seq: Authorship(owner or contributor_id, owner, quarantined_at is not None)
        for seq, owner, contributor_id, quarantined_at in rows
    }


_AUTHORSHIPS = select(
    thoughts.c.seq, thoughts.c.owner, thoughts.c.contributor_id, thoughts.c.quarantined_at
).where(compare_with_list(thoughts.c.seq, "seqs"))


def list_quarantined(connection: Connection, access: Access) -> list[HeldThought]:
    """Return the quarantined thoughts of the space, oldest first."""
    statement = select(thoughts).where(
        thoughts.c.knowledge_space_id == access.space,
        thoughts.c.quarantined_at.is_not(None),
        thoughts.c.erased_at.is_(None),
    )
    return [
        build_value(HeldThought, row, thought_id=row.id)
        for row in connection.execute(statement.order_by(thoughts.c.seq))
    ]


_HELD = select(thoughts.c.seq, thoughts.c.knowledge_space_id).where(
    compare_with_list(thoughts.c.seq, "seqs"),
    thoughts.c.quarantined_at.is_not(None),
    thoughts.c.erased_at.is_(None),
)


def find_held(connection: Connection, access: Access, seqs: Collection[int]) -> list[int]:
    """Return those of some thoughts of the space that are in quarantine."""
    found = fetch(connection, _HELD, {"seqs": [*seqs]})
    return [seq for seq, space in found if space == access.space]


def release(connection: Connection, seqs: Sequence[int]) -> None:
    is_named = compare_with_list(thoughts.c.seq, "seqs")
    connection.execute(
        update(thoughts).where(is_named).values(quarantined_at=None), {"seqs": [*seqs]}
    )


_NO_TAGS = "[]"
_SUMMARIES = (
    select(
        thoughts.c.seq,
        thoughts.c.knowledge_space_id,
        thoughts.c.id,
        thoughts.c.contributor_id,
        thoughts.c.contributor_name,
        thoughts.c.tags,
        thoughts.c.created_at,
        func.substr(thoughts.c.content, 1, OPENING_LENGTH).label("opening"),
        *STORED_TRAIL,
        thoughts.c.owner,
        thoughts.c.quarantined_at,
        thoughts.c.kind,
        thoughts.c.by_admin,
    )
    .join_from(thoughts, trails, trails.c.thought_seq == thoughts.c.seq)
    # By primary key alone: with a condition on the space SQLite walks all of the space instead.
    .where(
        compare_with_list(thoughts.c.seq, "seqs"),
        thoughts.c.erased_at.is_(None),
    )
)


def load_summaries(
    connection: Connection, access: Access, seqs: Sequence[int], *, with_held: bool = False
) -> dict[int, ThoughtSummary]:
    """Return by seq those thoughts that are in this space and neither erased nor held."""
    return build_summaries(fetch(connection, *ask_summaries(seqs)), access, with_held=with_held)


def ask_summaries(seqs: Sequence[int]) -> Asked:
    """Ask for what `build_summaries` makes values of."""
    return _SUMMARIES, {"seqs": seqs}


def build_summaries(
    rows: Rows, access: Access, *, with_held: bool = False
) -> dict[int, ThoughtSummary]:
    """Return by seq those thoughts of rows that are in this space and neither erased nor held."""
    return {
        row[0]: _build_summary(row)
        for row in rows
        if row[1] == access.space and (with_held or row[18] is None)
    }


def _build_summary(row: Any) -> ThoughtSummary:
    # Unpacked by position, as looking up names of fifty rows a call takes longest.
    seq, _, thought_id, contributor_id, contributor_name, tags_json, created_at, opening = row[:8]
    return ThoughtSummary(
        seq=seq,
        thought_id=thought_id,
        contributor_id=contributor_id,
        contributor_name=contributor_name,
        tags=() if tags_json == _NO_TAGS else tuple(json.loads(tags_json)),
        created_at=created_at,
        opening=opening,
        trail=build_trail(*row[8:17]),
        owner=row[17],
        held=row[18] is not None,
        is_note=row[19] == ThoughtKind.THOUGHT,
        by_admin=bool(row[20]),
    )


_CONTENTS = select(thoughts.c.seq, thoughts.c.content).where(
    compare_with_list(thoughts.c.seq, "seqs"), thoughts.c.erased_at.is_(None)
)


def ask_contents(seqs: Sequence[int]) -> Asked:
    """Ask for the seqs and contents of those thoughts that are not erased."""
    return _CONTENTS, {"seqs": seqs}


def load_contents(connection: Connection, seqs: Sequence[int]) -> dict[int, str]:
    """Return by seq the contents of those thoughts that are not erased."""
    return dict(fetch(connection, *ask_contents(seqs)))


def find_next_position(connection: Connection, access: Access, session: str) -> int:
    """Return the position after the session's last thought, from 0."""
    statement = select(func.coalesce(func.max(thoughts.c.position) + 1, 0)).where(
        thoughts.c.knowledge_space_id == access.space, thoughts.c.session == session
    )
    return connection.execute(statement).scalar_one()


def load_indexable(connection: Connection, seqs: Sequence[int]) -> list[IndexableThought]:
    """Return what the index is built from, without erased thoughts."""
    if not seqs:
        return []
    statement = select(thoughts).where(thoughts.c.seq.in_(seqs), thoughts.c.erased_at.is_(None))
    return [
        IndexableThought(
            seq=row.seq,
            thought_id=row.id,
            space=row.knowledge_space_id,
            kind=ThoughtKind(row.kind),
            content=row.content,
            contributor_id=row.contributor_id,
            contributor_name=row.contributor_name,
            tags=tuple(json.loads(row.tags)),
            created_at=row.created_at,
            owner=row.owner,
            heard_at=row.created_at
            if row.owner is None or row.by_admin
            else max(row.created_at, row.stored_at or row.created_at),
        )
        for row in connection.execute(statement.order_by(thoughts.c.seq))
    ]


_LIVING = select(thoughts.c.seq).where(
    compare_with_list(thoughts.c.seq, "seqs"), thoughts.c.erased_at.is_(None)
)


def ask_living(seqs: Sequence[int]) -> Asked:
    """Ask for the seqs of those thoughts that are not erased."""
    return _LIVING, {"seqs": seqs}


def filter_living(connection: Connection, seqs: Sequence[int]) -> set[int]:
    return {seq for (seq,) in fetch(connection, *ask_living(seqs))} if seqs else set()


def list_living(connection: Connection) -> list[int]:
    """Return the seqs of all thoughts that are not erased, in all spaces, ascending."""
    living = select(thoughts.c.seq).where(thoughts.c.erased_at.is_(None)).order_by(thoughts.c.seq)
    return list(connection.execute(living).scalars())


def find_erasure_time(connection: Connection, seq: int) -> float | None:
    return connection.execute(select(thoughts.c.erased_at).where(thoughts.c.seq == seq)).scalar()


def erase(
    connection: Connection,
    access: Access,
    seq: int,
    *,
    erased_by: str,
    reason: str | None,
    now: float,
) -> None:
    """Remove a thought's content wherever this store holds it; its trace stays.

    The prompts that contributed or affirmed it say the same words and are cleared, too.
    """
    tagging.uncount_tags(connection, access, seq)
    connection.execute(delete(features).where(features.c.thought_seq == seq))
    connection.execute(
        update(thoughts)
        .where(thoughts.c.seq == seq)
        .values(
            content="",
            content_key=fingerprint("erased", str(seq)),
            context_metadata=None,
            tags="[]",
            erased_at=now,
        )
    )
    # Their reasons repeat words of the thought.
    connection.execute(
        delete(replacements).where(
            or_(replacements.c.thought_seq == seq, replacements.c.replaced_seq == seq),
            replacements.c.origin == ReplacementOrigin.INFERRED,
        )
    )
    connection.execute(
        update(query_log)
        .where(query_log.c.contributed_seq == seq)
        .values(query_text="", context_text=None, query_vector=None)
    )
    connection.execute(
        insert(erasures),
        {"thought_seq": seq, "erased_by": erased_by, "reason": reason, "erased_at": now},
    )


def find_ids(connection: Connection, access: Access, beginning: str, *, limit: int) -> list[str]:
    """Return the ids that begin so in the space and the one that a project shares, so many each.

    Names that imports brought for known thoughts are ids, too.
    """
    spaces = [access.space, *([access.shared.space] if access.shared else [])]
    parameters = {"beginning": beginning, "limit": limit}
    rows = (
        row for space in spaces for row in fetch(connection, _IDS, parameters | {"space": space})
    )
    return sorted({thought_id for (thought_id,) in rows})
