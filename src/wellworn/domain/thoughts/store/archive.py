"""Imports the ledger of a space.

Rows are exported in the order they were written and imported in the order they come, so exporting
an import gives the same export. What is known already is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.models import ThoughtStatus
from wellworn.domain.thoughts.store.exports import LedgerRow
from wellworn.domain.thoughts.store.imports import LedgerImport
from wellworn.domain.thoughts.store.ledger import trail_to_row
from wellworn.domain.thoughts.store.rows import Speaker, draft_to_row
from wellworn.domain.thoughts.store.tagging import count_tags
from wellworn.domain.thoughts.tables import aliases, thought_sources, thoughts, trails
from wellworn.domain.thoughts.trail import create
from wellworn.engines.storage.sql import insert_new, select_in
from wellworn.kit.text import fingerprint

_MARK_COLUMNS = [field.name for field in fields(ThoughtStatus)]


class Holder(NamedTuple):
    """A thought that has a content key, and who speaks in it."""

    id: str
    speaker: Speaker


class Archive:
    """One space's ledger within the caller's transaction."""

    def __init__(self, transaction: Connection, access: Access) -> None:
        self._connection = transaction
        self._access = access
        self._ledger = LedgerImport(transaction, access)

    def find_seqs(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the seq of each id that names a thought of the space, erased ones included."""
        return self._ledger.find_seqs(ids)

    def find_keys(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the content key by id, for those ids that name a thought with words."""
        statement = select(thoughts.c.id, thoughts.c.content_key).where(
            thoughts.c.knowledge_space_id == self._access.space, thoughts.c.erased_at.is_(None)
        )
        rows = select_in(self._connection, statement, thoughts.c.id, ids)
        return {row.id: row.content_key for row in rows}

    def find_duplicates(self, keys: Iterable[str]) -> dict[str, Holder]:
        """Return whose the stored thoughts are by content key, for those keys that are known."""
        statement = select(
            thoughts.c.content_key, thoughts.c.id, thoughts.c.contributor_id, thoughts.c.owner
        ).where(thoughts.c.knowledge_space_id == self._access.space)
        rows = select_in(self._connection, statement, thoughts.c.content_key, keys)
        return {row[0]: Holder(row[1], (row[2], row[3])) for row in rows}

    def insert_thoughts(
        self,
        drafts: Sequence[ThoughtDraft],
        keys: Mapping[str, str],
        erased: Mapping[str, float],
        marks: Mapping[str, ThoughtStatus],
        *,
        now: float,
    ) -> dict[str, int]:
        """Insert new thoughts, which bring id and time, in this order; return their seqs.

        Sources must exist or be among the drafts. `keys` gives the content key by id, `erased` the
        time of the erasure.
        """
        if not drafts:
            return {}
        space = self._access.space
        rows = [
            {
                **_to_thought_row(draft, space, keys, erased),
                **_to_mark_columns(marks[str(draft.thought_id)]),
                "stored_at": now,
            }
            for draft in drafts
        ]
        self._connection.execute(insert(thoughts), rows)
        seqs = self.find_seqs(str(row["id"]) for row in rows)
        new_trails = [
            {
                "thought_seq": seqs[str(row["id"])],
                "knowledge_space_id": space,
                **trail_to_row(create(float(row["created_at"]))),
            }
            for row in rows
        ]
        self._connection.execute(insert(trails), new_trails)
        count_tags(self._connection, self._access, [tag for draft in drafts for tag in draft.tags])
        self._link(drafts, seqs)
        return seqs

    def _link(self, drafts: Sequence[ThoughtDraft], seqs: Mapping[str, int]) -> None:
        source_ids = {source for draft in drafts for source in draft.source_ids}
        source_seqs = {**self.find_seqs(source_ids - seqs.keys()), **seqs}
        links = [
            {"thought_seq": seqs[str(draft.thought_id)], "source_seq": source, "place": place}
            for draft in drafts
            for place, source in enumerate(
                dict.fromkeys(source_seqs[source] for source in draft.source_ids)
            )
        ]
        if links:
            self._connection.execute(insert(thought_sources), links)

    def add_aliases(self, aliases_of: Mapping[str, str]) -> None:
        """Map each skipped id to the thought with the same content."""
        seqs = self.find_seqs(aliases_of.values())
        rows = [
            {"knowledge_space_id": self._access.space, "id": alias, "thought_seq": seqs[known]}
            for alias, known in aliases_of.items()
        ]
        insert_new(self._connection, aliases, rows)

    def insert_new(self, kind: str, rows: Sequence[LedgerRow]) -> int:
        """Insert the new rows of a ledger kind; return how many were new."""
        return self._ledger.insert_new(kind, rows)


def _to_mark_columns(mark: ThoughtStatus) -> LedgerRow:
    # Without `asdict`, which copies every value and took a tenth of an import.
    return {name: getattr(mark, name) for name in _MARK_COLUMNS}


def _to_thought_row(
    draft: ThoughtDraft, space: str, keys: Mapping[str, str], erased: Mapping[str, float]
) -> LedgerRow:
    thought_id = str(draft.thought_id)
    erased_at = erased.get(thought_id)
    key = keys[thought_id] if erased_at is None else fingerprint("erased", thought_id)
    return {**draft_to_row(draft, space, key), "erased_at": erased_at}
