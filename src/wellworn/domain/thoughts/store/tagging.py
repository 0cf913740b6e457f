"""The tags of a space as rows: how many thoughts have each, and which of them a prompt names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set

from sqlalchemy import Connection, bindparam, delete, func, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import query_log, tags, thoughts
from wellworn.domain.thoughts.tags import runs, tag_key, word_count, words_key, words_of
from wellworn.engines.storage.sql import add_up

_MOST_IN_A_LIST = 10_000
_NEXT_WORD_COUNT = select(func.min(tags.c.word_count)).where(
    tags.c.knowledge_space_id == bindparam("space"), tags.c.word_count > bindparam("above")
)
_NAMED = select(tags.c.tag_key, tags.c.tag).where(
    tags.c.knowledge_space_id == bindparam("space"),
    tags.c.word_count == bindparam("length"),
    tags.c.words_key.in_(bindparam("keys", expanding=True)),
)


def count_tags(connection: Connection, access: Access, given: Sequence[str]) -> None:
    rows = [
        {
            "knowledge_space_id": access.space,
            "tag_key": tag_key(tag),
            "tag": tag,
            "thoughts": 1,
            "words_key": (key := words_key(tag)),
            "word_count": word_count(key),
        }
        for tag in given
    ]
    add_up(connection, tags, rows, "thoughts")


def known_tags(connection: Connection, access: Access, prompt: str) -> list[str]:
    """Return the space's tags whose words the prompt has in a row, by key, as first spelled.

    The time grows with the words of the prompt, not with the tags of the space.
    """
    said = words_of(prompt)
    found: dict[str, str] = {}
    for length in _word_counts(connection, access):
        if length > len(said):
            break
        keys = list(runs(said, length))
        for start in range(0, len(keys), _MOST_IN_A_LIST):
            part = keys[start : start + _MOST_IN_A_LIST]
            named = {"space": access.space, "length": length, "keys": part}
            found |= {row.tag_key: row.tag for row in connection.execute(_NAMED, named)}
    return [found[key] for key in sorted(found)]


def _word_counts(connection: Connection, access: Access) -> Iterator[int]:
    """Yield of how many words the tags of the space are, ascending; each is one step of an index.

    Tags without any word are never found in a prompt.
    """
    above = 0
    while True:
        asked = {"space": access.space, "above": above}
        length = connection.execute(_NEXT_WORD_COUNT, asked).scalar()
        if length is None:
            return
        yield length
        above = length


def uncount_tags(connection: Connection, access: Access, seq: int) -> set[str]:
    """Count a thought's tags no more; return their keys.

    A tag that only this thought had goes with it: it may name what must be forgotten.
    """
    row = connection.execute(select(thoughts.c.tags).where(thoughts.c.seq == seq)).one()
    keys = {tag_key(tag) for tag in json.loads(row.tags)}
    theirs = (tags.c.knowledge_space_id == access.space, tags.c.tag_key.in_(keys))
    connection.execute(update(tags).where(*theirs).values(thoughts=tags.c.thoughts - 1))
    connection.execute(delete(tags).where(*theirs, tags.c.thoughts <= 0))
    gone = keys.difference(connection.execute(select(tags.c.tag_key).where(*theirs)).scalars())
    if gone:
        _withdraw_offers(connection, access, gone)
    return keys


def _withdraw_offers(connection: Connection, access: Access, gone: Set[str]) -> None:
    """Take tags that are gone out of what earlier counter-questions offered."""
    statement = select(query_log.c.seq, query_log.c.offered_tags).where(
        query_log.c.knowledge_space_id == access.space, query_log.c.offered_tags.is_not(None)
    )
    for row in connection.execute(statement).all():
        offered = json.loads(row.offered_tags)
        kept = [tag for tag in offered if tag_key(tag) not in gone]
        if len(kept) < len(offered):
            connection.execute(
                update(query_log)
                .where(query_log.c.seq == row.seq)
                .values(offered_tags=json.dumps(kept) if kept else None)
            )
