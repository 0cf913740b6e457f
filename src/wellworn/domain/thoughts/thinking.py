"""Keeping thoughts: checked, embedded, stored and indexed as one.

The row is inserted, the index takes the points, then the transaction commits: a failure at any step
leaves nothing half-written that a search could show.

Source: thought tracing v0.2.0, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import pheromone, tracing
from wellworn.domain.thoughts.index import Passages, Wording, labels, prepared
from wellworn.domain.thoughts.models import Affirmed, Draft, Stored, ThoughtType, Use
from wellworn.domain.thoughts.store import features, rows
from wellworn.domain.thoughts.tags import cleaned
from wellworn.engines.embedding import Embedder
from wellworn.engines.safety import redacted, suspicious
from wellworn.engines.storage.sql import Transaction, undo_with
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.errors import InvalidInput, MissingSources, ThoughtNotFound
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id
from wellworn.kit.text import is_storable

LONGEST_CONTENT = 10_000
LONGEST_CONTEXT = 2_000


def is_held(access: Access, draft: Draft) -> bool:
    """Tell whether a thought goes into quarantine.

    It does when it reads like a command to whoever retrieves it, unless it comes through the open
    door or from an admin of the space.
    """
    if access.owner is None or access.role.allows(Role.ADMIN):
        return False
    texts = (draft.content, draft.context_metadata, draft.contributor_name, *draft.tags)
    return bool(suspicious("\n".join(text for text in texts if text)))


def checked(draft: Draft) -> Draft:
    """Return the draft without secrets, with its tags cleaned.

    Raises:
        InvalidInput: a field is empty, too long, or not storable.
        MissingSources: a refinement or consolidation names no source.
    """
    draft = _without_secrets(draft)
    if not draft.content.strip():
        message = "content is required and must be a non-empty string"
        raise InvalidInput(message)
    if len(draft.content) > LONGEST_CONTENT:
        message = f"content must be at most {LONGEST_CONTENT} characters"
        raise InvalidInput(message)
    if len(draft.context_metadata or "") > LONGEST_CONTEXT:
        message = f"context_metadata must be at most {LONGEST_CONTEXT} characters"
        raise InvalidInput(message)
    texts = (draft.content, draft.contributor_id, draft.contributor_name, draft.context_metadata)
    if not all(is_storable(text) for text in (*texts, *draft.tags) if text):
        message = "text must not contain NUL or unpaired surrogate characters"
        raise InvalidInput(message)
    if draft.thought_type is not ThoughtType.ORIGINAL and not draft.source_ids:
        message = f"source_ids must not be empty for thought_type {draft.thought_type}"
        raise MissingSources(message)
    return replace(draft, tags=tuple(cleaned(draft.tags)))


def _without_secrets(draft: Draft) -> Draft:
    context = draft.context_metadata
    return replace(
        draft,
        content=redacted(draft.content).text,
        contributor_id=redacted(draft.contributor_id).text,
        contributor_name=redacted(draft.contributor_name).text,
        context_metadata=context and redacted(context).text,
        tags=tuple(redacted(tag).text for tag in draft.tags),
    )


class Thinker:
    """Stores thoughts in a transaction of its caller and in the index."""

    def __init__(self, index: VectorIndex, embedder: Embedder, clock: Clock) -> None:
        self._index = index
        self._embedder = embedder
        self._clock = clock

    def prepare(self, drafts: Sequence[Draft]) -> list[Passages]:
        """Embed drafts; done before the transaction, because it takes the longest.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        now = self._clock.now()
        return prepared(
            self._embedder,
            [
                Wording(
                    draft.kind,
                    draft.content,
                    draft.contributor_name,
                    now if draft.created_at is None else draft.created_at,
                    draft.tags,
                )
                for draft in drafts
            ],
        )

    def keep(
        self, transaction: Transaction, access: Access, draft: Draft, passages: Passages
    ) -> tuple[int, Stored | Affirmed]:
        """Store a checked draft, or affirm the thought that says the same already.

        Raises:
            ThoughtNotFound: a source is not there.
            IndexUnavailable: the vector index refused the points.
        """
        now = self._clock.now()
        sources = self._sources(transaction, access, draft)
        key = rows.content_key(draft)
        known = rows.find_by_content(transaction, access, key)
        if known is not None:
            return known, self._affirm(transaction, access, known, draft, now)
        thought_id = draft.thought_id or new_id()
        held = is_held(access, draft)
        seq = rows.insert_thought(
            transaction, access, draft, thought_id=thought_id, key=key, held=held, now=now
        )
        rows.link_sources(transaction, seq, sources)
        for source in sources:
            tracing.note_use(
                transaction,
                source,
                agent_id=access.counted(draft.contributor_id),
                kind=Use.BUILT_UPON,
                session_id=draft.session,
                now=now,
            )
        self.place(transaction, access, [(seq, draft, passages)])
        return seq, Stored(thought_id, pheromone.INITIAL, held)

    def place(
        self,
        transaction: Transaction,
        access: Access,
        stored: Sequence[tuple[int, Draft, Passages]],
    ) -> None:
        """Keep features of thoughts and index their points; if the transaction fails both go again.

        A point left without a thought would pass to the next thought of that number.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        features.save_features(transaction, {seq: passages.features for seq, _, passages in stored})
        points = [
            point
            for seq, draft, passages in stored
            for point in passages.points(
                seq, labels(access.space, draft.contributor_id, draft.tags)
            )
        ]
        ids = [point.id for point in points]
        undo_with(transaction, lambda: self._index.delete(ids))
        self._index.upsert(points)

    def _affirm(
        self, transaction: Transaction, access: Access, seq: int, draft: Draft, now: float
    ) -> Affirmed:
        counted = access.counted(draft.contributor_id)
        standing = rows.load_authorships(transaction, [seq])[seq]
        if standing.held and standing.author != counted:
            rows.release(transaction, seq)
        rows.affirm(
            transaction,
            access,
            seq,
            agent_id=draft.contributor_id,
            agent_name=draft.contributor_name,
            now=now,
        )
        tracing.note_use(
            transaction,
            seq,
            agent_id=counted,
            kind=Use.AFFIRMED,
            session_id=draft.session,
            now=now,
        )
        card = rows.load_summaries(transaction, access, [seq], with_held=True)[seq]
        return Affirmed(card.thought_id, card.trail.weight_at(now))

    def _sources(self, transaction: Transaction, access: Access, draft: Draft) -> list[int]:
        wanted = list(dict.fromkeys(draft.source_ids))
        found = rows.find_seqs(transaction, access, wanted)
        if len(found) < len(wanted):
            message = "a source_id names no thought"
            raise ThoughtNotFound(message)
        return [found[thought_id] for thought_id in wanted]
