"""Rows of what sleep found to say the same: numbers of thoughts alone, never words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from wellworn.domain.thoughts.store.catalogue import ThoughtExcerpt
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    consolidation_sources,
    consolidations,
    sleeps,
    thoughts,
)
from wellworn.domain.thoughts.truth import Standing
from wellworn.engines.storage.sql import (
    Asked,
    Rows,
    compare_with_list,
    fetch,
    insert_new,
    split_into_batches,
)

_MOST_CHANGES: Final = 10
"""Versions of which is kept what they changed."""

_READABLE = select(
    thoughts.c.seq, thoughts.c.id, thoughts.c.knowledge_space_id, thoughts.c.unconfirmed_until
).where(compare_with_list(thoughts.c.seq, "seqs"), *IS_READABLE)
_QUOTES = select(
    thoughts.c.seq,
    thoughts.c.id,
    thoughts.c.content,
    thoughts.c.contributor_name,
    thoughts.c.created_at,
    thoughts.c.knowledge_space_id,
).where(compare_with_list(thoughts.c.seq, "seqs"), *IS_READABLE)
_OF_SPACE = (
    select(
        *(
            consolidations.c[name]
            for name in (
                *("seq", "id", "version", "made_at"),
                *("topic_id", "told", "changes"),
            )
        )
    )
    .where(consolidations.c.knowledge_space_id == bindparam("space"))
    .order_by(consolidations.c.seq)
)
_ONE = _OF_SPACE.where(consolidations.c.seq == bindparam("seq"))
_LINKS = (
    select(
        consolidation_sources.c.consolidation_seq,
        consolidation_sources.c.thought_seq,
        consolidation_sources.c.is_quoted,
    )
    .where(compare_with_list(consolidation_sources.c.consolidation_seq, "seqs"))
    .order_by(consolidation_sources.c.place)
)
_COVERING = select(
    consolidation_sources.c.consolidation_seq, consolidation_sources.c.thought_seq
).where(compare_with_list(consolidation_sources.c.thought_seq, "seqs"))


class Core(NamedTuple):
    """Thoughts that say nearly the same.

    Attributes:
        topic_id: that they belong to.
        members: seqs of all, the most central first.
        quoted: seqs of those that stand for the others, the most central first.
    """

    topic_id: str
    members: tuple[int, ...]
    quoted: tuple[int, ...]


class VersionChange(NamedTuple):
    """The sources that a version has and the one before had not, and the other way around.

    `made_at` is in epoch seconds; sources are seqs.
    """

    version: int
    made_at: float
    came: tuple[int, ...]
    went: tuple[int, ...]


class Consolidation(NamedTuple):
    """A core that is kept; `made_at` of its version, in epoch seconds, and `told` as stored.

    `changes` are those of its newest versions, the newest first.
    """

    seq: int
    id: str
    version: int
    made_at: float
    core: Core
    told: str | None = None
    changes: tuple[VersionChange, ...] = ()


def find_readable(
    connection: Connection, space: str, seqs: Sequence[int]
) -> dict[int, tuple[str, float | None]]:
    """Return by seq the ids of those that may be read, in the given order.

    Beside each stands until when it waits for confirmation, if it does.
    """
    found = {
        seq: (thought_id, until)
        for seq, thought_id, of, until in fetch(connection, _READABLE, {"seqs": seqs})
        if of == space
    }
    return {seq: found[seq] for seq in seqs if seq in found}


def filter_settled(
    connection: Connection, space: str, seqs: Sequence[int], *, at: float
) -> set[int]:
    """Return those of some thoughts that are true now and that nothing and nobody questions.

    Neither erased nor held, nor waiting for confirmation, replaced, not even probably, called
    outdated or wrong, at their end, or contested.
    """
    readable = find_readable(connection, space, seqs)
    confirmed = [seq for seq, (_, until) in readable.items() if until is None or until <= at]
    standings = load_standings(connection, confirmed, at=at)
    return {seq for seq in confirmed if _is_settled(standings.find(seq))}


def load_quotes(connection: Connection, space: str, seqs: Sequence[int]) -> list[ThoughtExcerpt]:
    """Return the whole texts of those that may be read, in the given order."""
    found = {
        row[0]: ThoughtExcerpt(*row[:5])
        for row in fetch(connection, _QUOTES, {"seqs": seqs})
        if row[5] == space
    }
    return [found[seq] for seq in seqs if seq in found]


def _is_settled(standing: Standing) -> bool:
    return standing.is_current and not standing.is_contested and not standing.replaced_by


def load_consolidations(connection: Connection, space: str) -> list[Consolidation]:
    """Return all that a space keeps, the oldest first."""
    rows = fetch(connection, _OF_SPACE, {"space": space})
    linked: dict[int, list[tuple[int, bool]]] = {row[0]: [] for row in rows}
    for of, seq, is_quoted in fetch(connection, _LINKS, {"seqs": [*linked]}):
        linked[of].append((seq, is_quoted))
    return [_build(row, linked[row[0]]) for row in rows]


def load_one(connection: Connection, space: str, seq: int) -> Consolidation | None:
    """Return one that a space keeps."""
    rows = fetch(connection, _ONE, {"seq": seq, "space": space})
    links = fetch(connection, _LINKS, {"seqs": [seq]})
    return next((_build(row, [link[1:] for link in links]) for row in rows), None)


def _build(row: tuple[Any, ...], links: Sequence[tuple[Any, ...]]) -> Consolidation:
    seq, name, version, made_at, topic_id, told, changes = row
    members = tuple(link[0] for link in links)
    quoted = tuple(member for member, is_quoted in links if is_quoted)
    core = Core(topic_id, members, quoted)
    earlier = tuple(
        VersionChange(number, at, tuple(came), tuple(went))
        for number, at, came, went in json.loads(changes or "[]")
    )
    return Consolidation(seq, name, version, made_at, core, told, earlier)


def ask_covering(seqs: Sequence[int]) -> Asked:
    """Ask for the consolidations that thoughts are sources of, for `find_covering`."""
    return _COVERING, {"seqs": seqs}


def find_covering(found: Rows, seqs: Sequence[int], *, least: int) -> int | None:
    """Return the consolidation that most of some thoughts are sources of, at least so many.

    Of several that have as many, the one of the first of the thoughts.
    """
    counts = Counter(of for of, _ in found)
    places = {seq: place for place, seq in enumerate(seqs)}
    first: dict[int, int] = {}
    for of, seq in found:
        first[of] = min(first.get(of, len(seqs)), places[seq])
    best = min(counts, key=lambda of: (-counts[of], first[of]), default=None)
    return best if best is not None and counts[best] >= least else None


def add(connection: Connection, space: str, core: Core, *, new_id: str, now: float) -> None:
    """Keep a core for the first time."""
    seq: int = connection.execute(
        insert(consolidations).returning(consolidations.c.seq),
        {
            "id": new_id,
            "knowledge_space_id": space,
            "topic_id": core.topic_id,
            "version": 1,
            "made_at": now,
        },
    ).scalar_one()
    _link(connection, seq, core)


def renew(connection: Connection, kept: Consolidation, core: Core, *, now: float) -> None:
    """Put a core in the place of the one that was kept, as its next version."""
    before, after = {*kept.core.members}, {*core.members}
    change = VersionChange(
        kept.version + 1, now, tuple(sorted(after - before)), tuple(sorted(before - after))
    )
    connection.execute(
        update(consolidations)
        .where(consolidations.c.seq == kept.seq)
        .values(
            topic_id=core.topic_id,
            version=change.version,
            made_at=now,
            told=None,
            changes=json.dumps([change, *kept.changes][:_MOST_CHANGES]),
        )
    )
    _unlink(connection, [kept.seq])
    _link(connection, kept.seq, core)


def list_untold(connection: Connection, space: str, *, most: int) -> list[Consolidation]:
    """Return those of which no model was asked yet, those with the most sources first."""
    kept = [each for each in load_consolidations(connection, space) if each.told is None]
    return sorted(kept, key=lambda each: -len(each.core.members))[:most]


def save_told(connection: Connection, kept: Consolidation, told: str) -> None:
    """Keep what a model says of a version, unless that changed meanwhile."""
    is_same = (consolidations.c.seq == kept.seq) & (consolidations.c.version == kept.version)
    connection.execute(update(consolidations).where(is_same).values(told=told))


def forget_told(connection: Connection, seqs: Collection[int]) -> None:
    """Drop what a model says of some thoughts, whose words are to be gone."""
    for batch in split_into_batches(seqs):
        of = select(consolidation_sources.c.consolidation_seq).where(
            consolidation_sources.c.thought_seq.in_(batch)
        )
        statement = update(consolidations).where(consolidations.c.seq.in_(of))
        connection.execute(statement.values(told=""))


def remove(connection: Connection, seqs: Sequence[int]) -> None:
    """Delete what is no more."""
    _unlink(connection, seqs)
    connection.execute(delete(consolidations).where(consolidations.c.seq.in_(seqs)))


def _link(connection: Connection, seq: int, core: Core) -> None:
    quoted = frozenset(core.quoted)
    ordered = [*core.quoted, *(member for member in core.members if member not in quoted)]
    rows = [
        {
            "thought_seq": member,
            "consolidation_seq": seq,
            "place": place,
            "is_quoted": member in quoted,
        }
        for place, member in enumerate(ordered)
    ]
    insert_new(connection, consolidation_sources, rows)


def _unlink(connection: Connection, seqs: Sequence[int]) -> None:
    of = consolidation_sources.c.consolidation_seq
    connection.execute(delete(consolidation_sources).where(of.in_(seqs)))


class Sleep(NamedTuple):
    """When a space slept last, in epoch seconds, and the newest thought that it knew then."""

    slept_at: float
    newest: int


def find_sleep(connection: Connection, space: str) -> Sleep | None:
    """Return when a space slept last; None before the first time."""
    statement = select(sleeps.c.slept_at, sleeps.c.newest_seq).where(
        sleeps.c.knowledge_space_id == space
    )
    row = connection.execute(statement).first()
    return None if row is None else Sleep(*row)


def save_sleep(connection: Connection, space: str, sleep: Sleep) -> None:
    """Note that a space has slept."""
    connection.execute(delete(sleeps).where(sleeps.c.knowledge_space_id == space))
    values = {"slept_at": sleep.slept_at, "newest_seq": sleep.newest}
    connection.execute(insert(sleeps), {"knowledge_space_id": space, **values})


def count_later(connection: Connection, space: str, newest: int) -> int:
    """Return how many thoughts of a space came after one."""
    statement = (
        select(func.count())
        .select_from(thoughts)
        .where(thoughts.c.knowledge_space_id == space, thoughts.c.seq > newest)
    )
    return connection.execute(statement).scalar_one()
