"""Rows of tags: how many thoughts carry each, and which of them a prompt names."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from itertools import chain
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import query_log, tags, thoughts
from wellworn.domain.thoughts.tags import count_words, list_runs, split_words, tag_key, words_key
from wellworn.engines.retrieval.text import split_words as split_stems
from wellworn.engines.retrieval.topics import split_keywords
from wellworn.engines.storage.sql import (
    Asked,
    add_up,
    compare_with_list,
    fetch,
    fetch_together,
    split_into_batches,
)

_WORDS_SOUGHT_ANYWHERE: Final = 5
_MOST_WORDS: Final = 500
"""Words of a prompt in which longer names are sought; scripts without blanks have names of dozens,
each character a word, and each length makes as many runs as a prompt has words."""

_IN_SPACE = tags.c.knowledge_space_id == bindparam("space")
# One after the other in their index, as there are few of them and many tags.
_first = select(func.min(tags.c.word_count).label("words")).where(_IN_SPACE, tags.c.word_count > 0)
_counts = _first.cte("anon_word_counts", recursive=True)
_next = select(func.min(tags.c.word_count)).where(_IN_SPACE, tags.c.word_count > _counts.c.words)
_counts = _counts.union_all(
    select(_next.correlate(_counts).scalar_subquery()).where(_counts.c.words.is_not(None))
)
_WORD_COUNTS = select(_counts.c.words).where(
    _counts.c.words.is_not(None), _counts.c.words <= bindparam("most")
)
_NAMED = select(tags.c.tag_key, tags.c.tag).where(
    _IN_SPACE,
    tags.c.word_count == bindparam("length"),
    compare_with_list(tags.c.words_key, "keys"),
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
    parameters = {"space": access.space, "most": len(words)}
    asked: list[Asked] = [
        (_NAMED, {"space": access.space, "length": length, "keys": keys})
        for (length,) in fetch(connection, _WORD_COUNTS, parameters)
        for keys in split_into_batches(
            list_runs(words if length <= _WORDS_SOUGHT_ANYWHERE else words[:_MOST_WORDS], length)
        )
    ]
    spellings = dict(chain.from_iterable(fetch_together(connection, *asked) if asked else ()))
    return [spellings[key] for key in sorted(spellings)]


def find_tags_about(connection: Connection, access: Access, stems: Set[str]) -> list[str]:
    """Return the space's tags that have a word of each of the stems, ordered by key."""
    alike = [tags.c.words_key.contains(stem[:-1] or stem, autoescape=True) for stem in stems]
    statement = select(tags.c.tag, tags.c.words_key).where(
        tags.c.knowledge_space_id == access.space, *alike
    )
    rows = connection.execute(statement.order_by(tags.c.tag_key)).all()
    return [row.tag for row in rows if stems <= set(split_stems(row.words_key))]


def uncount_tags(connection: Connection, access: Access, seq: int) -> set[str]:
    """Subtract a thought's tags from the counts; return their keys.

    A tag of this thought alone is deleted, as it may name what must be forgotten.
    """
    columns = select(thoughts.c.tags, thoughts.c.content)
    row = connection.execute(columns.where(thoughts.c.seq == seq)).one()
    keys = {tag_key(tag) for tag in json.loads(row.tags)}
    match = (tags.c.knowledge_space_id == access.space, tags.c.tag_key.in_(keys))
    connection.execute(update(tags).where(*match).values(thoughts=tags.c.thoughts - 1))
    connection.execute(delete(tags).where(*match, tags.c.thoughts <= 0))
    # Where few thoughts were tagged, their words were offered.
    words = {tag_key(written) for _, written in split_keywords(row.content)}
    _withdraw_offers(connection, access, keys | words)
    return keys


def _withdraw_offers(connection: Connection, access: Access, keys: Set[str]) -> None:
    """Remove those names that are no tags of the space from what counter-questions offered."""
    statement = select(query_log.c.seq, query_log.c.offered_tags).where(
        query_log.c.knowledge_space_id == access.space, query_log.c.offered_tags.is_not(None)
    )
    match = (tags.c.knowledge_space_id == access.space, tags.c.tag_key.in_(keys))
    left = set(connection.execute(select(tags.c.tag_key).where(*match)).scalars())
    for row in connection.execute(statement).all():
        offered = {tag: tag_key(tag) for tag in json.loads(row.offered_tags)}
        remaining = [tag for tag, key in offered.items() if key not in keys or key in left]
        if len(remaining) < len(offered):
            connection.execute(
                update(query_log)
                .where(query_log.c.seq == row.seq)
                .values(offered_tags=json.dumps(remaining) if remaining else None)
            )
