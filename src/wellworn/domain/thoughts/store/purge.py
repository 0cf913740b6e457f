"""Deletes all thoughts of a space, when it is deleted or moved into its sealed form."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Select, delete, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    aliases,
    bridges,
    co_use_verdicts,
    consolidation_sources,
    consolidations,
    decisions,
    erasures,
    features,
    feedback,
    learned_policies,
    query_log,
    replacements,
    sessions,
    sightings,
    sleeps,
    tags,
    thought_ends,
    thought_sources,
    thoughts,
    topic_changes,
    topic_trees,
    topics,
    trail_agents,
    trails,
    uses,
)

_OF_A_THOUGHT = (
    accesses,
    uses,
    affirmations,
    thought_ends,
    sightings,
    feedback,
    erasures,
    trail_agents,
    trails,
    features,
    thought_sources,
    replacements,
    aliases,
    consolidation_sources,
)
_OF_A_SPACE = (
    *(tags, decisions, query_log, sessions, topics, topic_changes, topic_trees, co_use_verdicts),
    *(consolidations, sleeps, learned_policies, bridges),
    thoughts,
)


def list_seqs(connection: Connection, access: Access) -> list[int]:
    """Return the seqs of all thoughts of the space, erased ones included."""
    return list(connection.execute(_select_seqs(access)).scalars())


def purge(connection: Connection, access: Access) -> None:
    """Delete every row of the space, referring rows first."""
    delete_traces(connection, _select_seqs(access))
    for table in _OF_A_SPACE:
        connection.execute(delete(table).where(table.c.knowledge_space_id == access.space))


def delete_traces(connection: Connection, seqs: Sequence[int] | Select[int]) -> None:
    """Delete all rows that refer to thoughts, given by their seqs or by a statement of them."""
    connection.execute(delete(replacements).where(replacements.c.replaced_seq.in_(seqs)))
    for table in _OF_A_THOUGHT:
        connection.execute(delete(table).where(table.c.thought_seq.in_(seqs)))


def _select_seqs(access: Access) -> Select[int]:
    return select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == access.space)
