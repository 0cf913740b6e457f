"""The whole ledger of a space out in order and in again: what export and import are made of.

Rows leave in the order they were written and are stored in the order they come, so an export of an
import equals the export it came from. What is known is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Draft, Mark
from wellworn.domain.thoughts.store.arriving import Arriving, parts
from wellworn.domain.thoughts.store.leaving import LEAVING, Fields
from wellworn.domain.thoughts.store.ledger import trail_columns
from wellworn.domain.thoughts.store.tagging import count_tags
from wellworn.domain.thoughts.store.units import content_key
from wellworn.domain.thoughts.tables import aliases, thought_sources, thoughts, trails
from wellworn.domain.thoughts.trail import fresh
from wellworn.engines.storage.sql import insert_new
from wellworn.kit.text import fingerprint


class Archive:
    """One space's ledger within a transaction of the caller."""

    def __init__(self, transaction: Connection, access: Access) -> None:
        self._connection = transaction
        self._access = access
        self._ledger = Arriving(transaction, access)

    def rows(self, kind: str) -> Iterator[Fields]:
        """Yield every row of a kind in canonical order; memory stays bounded."""
        return LEAVING[kind](self._connection, self._access)

    def seqs(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the seq of each id that names a thought of the space, erased ones included."""
        return self._ledger.seqs(ids)

    def key(self, draft: Draft) -> str:
        """Return what two drafts have in common that say the same."""
        return content_key(draft)

    def holders(self, drafts: Iterable[Draft]) -> dict[str, str]:
        """Return, for the content key of each draft that says nothing new, the id that has it."""
        found: dict[str, str] = {}
        for part in parts({content_key(draft) for draft in drafts}):
            statement = select(thoughts.c.content_key, thoughts.c.id).where(
                thoughts.c.knowledge_space_id == self._access.space,
                thoughts.c.content_key.in_(part),
            )
            found |= {row.content_key: row.id for row in self._connection.execute(statement)}
        return found

    def add(
        self,
        drafts: Sequence[Draft],
        erased: Mapping[str, float],
        marks: Mapping[str, Mark],
        *,
        now: float,
    ) -> dict[str, int]:
        """Insert thoughts nobody knows, with id and time, in this order; return their seqs.

        Sources must be here or among the drafts. `erased` gives the time of those without words.
        """
        if not drafts:
            return {}
        space = self._access.space
        rows = [
            {
                **_thought_row(draft, space, erased),
                **asdict(marks[str(draft.thought_id)]),
                "stored_at": now,
            }
            for draft in drafts
        ]
        self._connection.execute(insert(thoughts), rows)
        seqs = self.seqs(str(row["id"]) for row in rows)
        worn = [
            {
                "thought_seq": seqs[str(row["id"])],
                "knowledge_space_id": space,
                **trail_columns(fresh(float(row["created_at"]))),
            }
            for row in rows
        ]
        self._connection.execute(insert(trails), worn)
        count_tags(self._connection, self._access, [tag for draft in drafts for tag in draft.tags])
        self._link(drafts, seqs)
        return seqs

    def _link(self, drafts: Sequence[Draft], seqs: Mapping[str, int]) -> None:
        named = {source for draft in drafts for source in draft.source_ids}
        known = {**self.seqs(named - seqs.keys()), **seqs}
        links = [
            {"thought_seq": seqs[str(draft.thought_id)], "source_seq": source, "place": place}
            for draft in drafts
            for place, source in enumerate(dict.fromkeys(known[one] for one in draft.source_ids))
        ]
        if links:
            self._connection.execute(insert(thought_sources), links)

    def rename(self, holders: Mapping[str, str]) -> None:
        """Remember, for each id that was passed over, whose thought says the same."""
        seqs = self.seqs(holders.values())
        rows = [
            {"knowledge_space_id": self._access.space, "id": other, "thought_seq": seqs[holder]}
            for other, holder in holders.items()
        ]
        insert_new(self._connection, aliases, rows)

    def take(self, kind: str, rows: Sequence[Fields]) -> int:
        """Store those rows of a ledger kind that are new; return how many were."""
        return self._ledger.take(kind, rows)


def _thought_row(draft: Draft, space: str, erased: Mapping[str, float]) -> Fields:
    erased_at = erased.get(str(draft.thought_id))
    gone = fingerprint("erased", str(draft.thought_id))
    return {
        "id": draft.thought_id,
        "knowledge_space_id": space,
        "kind": draft.kind,
        "content": draft.content,
        "content_key": content_key(draft) if erased_at is None else gone,
        "contributor_id": draft.contributor_id,
        "contributor_name": draft.contributor_name,
        "thought_type": draft.thought_type,
        "context_metadata": draft.context_metadata,
        "tags": json.dumps(draft.tags, ensure_ascii=False),
        "session": draft.session,
        "position": draft.position,
        "created_at": draft.created_at,
        "erased_at": erased_at,
    }
