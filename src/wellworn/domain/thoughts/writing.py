"""Stores thoughts: validates, embeds, inserts and indexes them.

The row is inserted and the points are indexed before the transaction commits, so a failure leaves
nothing half-written that a search could show.

Source: thought tracing v0.2.0, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import pheromone, tracing
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.features import IndexInput, PreparedThought, build_labels, prepare
from wellworn.domain.thoughts.models import Affirmed, Stored, UseKind
from wellworn.domain.thoughts.store import features, rows
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Transaction, undo_with
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.errors import ThoughtNotFound
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id


class ThoughtWriter:
    """Stores thoughts in the caller's transaction and in the index."""

    def __init__(self, index: VectorIndex, embedder: Embedder, clock: Clock) -> None:
        self._index = index
        self._embedder = embedder
        self._clock = clock

    def prepare(self, drafts: Sequence[ThoughtDraft]) -> list[PreparedThought]:
        """Embed drafts, before the transaction, as this takes longest.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        now = self._clock.now()
        return prepare(
            self._embedder,
            [
                IndexInput(
                    draft.kind,
                    draft.content,
                    draft.contributor_name,
                    now if draft.created_at is None else draft.created_at,
                    draft.tags,
                )
                for draft in drafts
            ],
        )

    def store(
        self,
        transaction: Transaction,
        access: Access,
        draft: ThoughtDraft,
        passages: PreparedThought,
    ) -> tuple[int, Stored | Affirmed]:
        """Store a valid draft, or affirm the thought with the same content.

        Raises:
            ThoughtNotFound: a source does not exist.
            IndexUnavailable: the vector index refused the points.
        """
        now = self._clock.now()
        sources = self._find_sources(transaction, access, draft)
        key = rows.content_key(draft)
        known_seq = rows.find_by_content(transaction, access, key)
        if known_seq is not None:
            return known_seq, self._affirm(transaction, access, known_seq, draft, now)
        thought_id = draft.thought_id or new_id()
        held = draft.is_quarantined(access)
        seq = rows.insert_thought(
            transaction, access, draft, thought_id=thought_id, key=key, held=held, now=now
        )
        rows.link_sources(transaction, seq, sources)
        for source in sources:
            tracing.record_use(
                transaction,
                source,
                agent_id=access.resolve_user(draft.contributor_id),
                kind=UseKind.BUILT_UPON,
                session_id=draft.session,
                now=now,
            )
        self.index(transaction, access, [(seq, draft, passages)])
        return seq, Stored(thought_id, pheromone.INITIAL, held)

    def index(
        self,
        transaction: Transaction,
        access: Access,
        stored: Sequence[tuple[int, ThoughtDraft, PreparedThought]],
    ) -> None:
        """Save features of thoughts and index their points, undone if the transaction fails.

        A point left behind would be taken for the next thought of that seq.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        features.save_features(transaction, {seq: passages.features for seq, _, passages in stored})
        points = [
            point
            for seq, draft, passages in stored
            for point in passages.build_points(
                seq, build_labels(access.space, draft.contributor_id, draft.tags)
            )
        ]
        ids = [point.id for point in points]
        undo_with(transaction, lambda: self._index.delete(ids))
        self._index.upsert(points)

    def _affirm(
        self, transaction: Transaction, access: Access, seq: int, draft: ThoughtDraft, now: float
    ) -> Affirmed:
        counted = access.resolve_user(draft.contributor_id)
        authorship = rows.load_authorships(transaction, [seq])[seq]
        if authorship.held and authorship.author != counted:
            rows.release(transaction, seq)
        rows.affirm(
            transaction,
            access,
            seq,
            agent_id=draft.contributor_id,
            agent_name=draft.contributor_name,
            now=now,
        )
        tracing.record_use(
            transaction,
            seq,
            agent_id=counted,
            kind=UseKind.AFFIRMED,
            session_id=draft.session,
            now=now,
        )
        thought = rows.load_summaries(transaction, access, [seq], with_held=True)[seq]
        return Affirmed(thought.thought_id, thought.trail.weight_at(now))

    def _find_sources(
        self, transaction: Transaction, access: Access, draft: ThoughtDraft
    ) -> list[int]:
        source_ids = list(dict.fromkeys(draft.source_ids))
        seqs = rows.find_seqs(transaction, access, source_ids)
        if len(seqs) < len(source_ids):
            message = "a source_id names no thought"
            raise ThoughtNotFound(message)
        return [seqs[thought_id] for thought_id in source_ids]
