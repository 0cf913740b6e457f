"""Rows of tags: how many thoughts carry each, and which of them a prompt names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set

from sqlalchemy import Connection, bindparam, delete, func, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import query_log, tags, thoughts
from wellworn.domain.thoughts.tags import count_words, list_runs, split_words, tag_key, words_key
from wellworn.engines.storage.sql import add_up, split_into_batches

_NEXT_WORD_COUNT = select(func.min(tags.c.word_count)).where(
    tags.c.knowledge_space_id == bindparam("space"), tags.c.word_count > bindparam("above")
)
_NAMED = select(tags.c.tag_key, tags.c.tag).where(
    tags.c.knowledge_space_id == bindparam("space"),
    tags.c.word_count == bindparam("length"),
    tags.c.words_key.in_(bindparam("keys", expanding=True)),
)


def count_tags(connection: Connection, access: Access, new_tags: Sequence[str]) -> None:
    rows = [
        {
            "knowledge_space_id": access.space,
            "tag_key": tag_key(tag),
            "tag": tag,
            "thoughts": 1,
            "words_key": (key := words_key(tag)),
            "word_count": count_words(key),
        }
        for tag in new_tags
    ]
    add_up(connection, tags, rows, "thoughts")


def find_tags(connection: Connection, access: Access, prompt: str) -> list[str]:
    """Return the space's tags that the prompt names, as first spelled, ordered by key.

    The time grows with the words of the prompt, not with the tags of the space.
    """
    words = split_words(prompt)
    spellings: dict[str, str] = {}
    for length in _list_word_counts(connection, access):
        if length > len(words):
            break
        for keys in split_into_batches(list_runs(words, length)):
            parameters = {"space": access.space, "length": length, "keys": keys}
            spellings |= {row.tag_key: row.tag for row in connection.execute(_NAMED, parameters)}
    return [spellings[key] for key in sorted(spellings)]


def _list_word_counts(connection: Connection, access: Access) -> Iterator[int]:
    """Yield the word counts of the space's tags, ascending; tags without a word are skipped."""
    above = 0
    while True:
        parameters = {"space": access.space, "above": above}
        length = connection.execute(_NEXT_WORD_COUNT, parameters).scalar()
        if length is None:
            return
        yield length
        above = length


def uncount_tags(connection: Connection, access: Access, seq: int) -> set[str]:
    """Subtract a thought's tags from the counts; return their keys.

    A tag of this thought alone is deleted, as it may name what must be forgotten.
    """
    row = connection.execute(select(thoughts.c.tags).where(thoughts.c.seq == seq)).one()
    keys = {tag_key(tag) for tag in json.loads(row.tags)}
    match = (tags.c.knowledge_space_id == access.space, tags.c.tag_key.in_(keys))
    connection.execute(update(tags).where(*match).values(thoughts=tags.c.thoughts - 1))
    connection.execute(delete(tags).where(*match, tags.c.thoughts <= 0))
    deleted = keys.difference(connection.execute(select(tags.c.tag_key).where(*match)).scalars())
    if deleted:
        _withdraw_offers(connection, access, deleted)
    return keys


def _withdraw_offers(connection: Connection, access: Access, deleted: Set[str]) -> None:
    """Remove deleted tags from what earlier counter-questions offered."""
    statement = select(query_log.c.seq, query_log.c.offered_tags).where(
        query_log.c.knowledge_space_id == access.space, query_log.c.offered_tags.is_not(None)
    )
    for row in connection.execute(statement).all():
        offered = json.loads(row.offered_tags)
        remaining = [tag for tag in offered if tag_key(tag) not in deleted]
        if len(remaining) < len(offered):
            connection.execute(
                update(query_log)
                .where(query_log.c.seq == row.seq)
                .values(offered_tags=json.dumps(remaining) if remaining else None)
            )
