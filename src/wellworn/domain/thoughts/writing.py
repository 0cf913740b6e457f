"""Stores thoughts: validates, indexes and inserts them.

The row is inserted and the points are indexed before the transaction commits, so a failure leaves
nothing half-written that a search could show.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from wellworn.domain.inspection import Inspector
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import pheromone, tracing
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.features import (
    IndexInput,
    PreparedThought,
    build_labels,
    prepare_opening,
    prepare_words,
)
from wellworn.domain.thoughts.models import Affirmed, Stored, ThoughtType, UseKind
from wellworn.domain.thoughts.store import features, rows, sayings, sightings
from wellworn.domain.thoughts.store.replacements import (
    add_missing,
    find_last_words,
    insert_replacements,
)
from wellworn.domain.thoughts.store.rows import IndexableThought
from wellworn.domain.thoughts.truth import ReplacementLink, ReplacementOrigin, require_after
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.embedding import Embedder
from wellworn.engines.retrieval.text import speaks_of_self
from wellworn.engines.storage.sql import Rows, Transaction, undo_with
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.errors import EmbeddingFailed, Forbidden, ThoughtNotFound
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id
from wellworn.kit.likelihood import limit_reason

STATED = "stated when it was stored"
"""The reason of a replacement that nobody had to infer."""
REFINED = "refines it"
CORRECTED = "corrects the answer that showed it"
CORRECTED_BY = "wellworn: the conversation"
"""The maker of such links; unlike those of neighbours, they are not found again."""
_CORRECTING_CONFIDENCE = 0.9
_A_MOMENT_S = 0.001
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_log = logging.getLogger(__name__)


def date_after(last: float | None, now: float) -> float:
    """Return the time, or what is just after the last one where a clock ran back since."""
    return now if last is None or last <= now else last + _A_MOMENT_S


def _has_more_numbers(text: str, correction: str) -> bool:
    """Tell whether a text has numbers in whose place a correction puts none."""
    old, new = (set(_NUMBER.findall(each)) for each in (text, correction))
    return len(old - new) > len(new - old)


class DraftAhead(NamedTuple):
    """What storing a draft waits for, where it was read together with something else."""

    seq: int | None = None
    """The number of the thought; None where its row tells it at once."""
    said: Rows | None = None
    """Who said the same; None where it has to be read."""


class ThoughtWriter:
    """Stores thoughts in the caller's transaction and in the index."""

    def __init__(
        self, index: VectorIndex, embedder: Embedder, clock: Clock, inspector: Inspector
    ) -> None:
        self.inspector = inspector
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._versions = FeatureVersions.of(embedder)

    def prepare(
        self, access: Access, draft: ThoughtDraft, *, is_encoder_away: bool = False
    ) -> PreparedThought:
        """Inspect a draft and embed its first passage, before the transaction: both take long.

        While the encoder fails, or is known to, the thought is prepared to be found by its words.

        Raises:
            InvalidInput: it is to end before it begins.
        """
        require_after(draft.expires_at, self._clock.now(), "now")
        held = draft.is_quarantined(access, self.inspector)
        prepared = self._embed_opening(draft, is_encoder_away=is_encoder_away)
        return replace(prepared, is_held=held)

    def _embed_opening(self, draft: ThoughtDraft, *, is_encoder_away: bool) -> PreparedThought:
        if not is_encoder_away:
            try:
                return prepare_opening(self._embedder, self._to_input(draft))
            except EmbeddingFailed as error:
                _log.warning("a thought is found by its words alone for now: %s", error.message)
        return self.prepare_words(draft)

    def prepare_words(self, draft: ThoughtDraft) -> PreparedThought:
        """Prepare a draft to be found by its words until it is embedded in the background."""
        return prepare_words(self._to_input(draft), self._versions.words)

    def _to_input(self, draft: ThoughtDraft) -> IndexInput:
        created_at = self._clock.now() if draft.created_at is None else draft.created_at
        return IndexInput(draft.kind, draft.content, draft.contributor_name, created_at, draft.tags)

    def store(
        self,
        transaction: Transaction,
        access: Access,
        draft: ThoughtDraft,
        passages: PreparedThought,
        ahead: DraftAhead | None = None,
    ) -> tuple[int, Stored | Affirmed]:
        """Store a valid draft, or affirm the thought with the same content.

        What was read `ahead` of it is of this draft.

        Raises:
            ThoughtNotFound: a source does not exist.
            Forbidden: it would end what another member said.
            IndexUnavailable: the vector index refused the points.
        """
        now = self._clock.now()
        sources = self._find_living(transaction, access, draft.source_ids, "source_ids")
        replaced = self._find_living(transaction, access, draft.replaces, "replaces")
        stated = [(older, ReplacementOrigin.STATED, STATED) for older in replaced]
        ahead = ahead or DraftAhead()
        key, known_seq = sayings.find_said(transaction, access, draft, ahead.said)
        if known_seq is not None:
            affirmed = self._affirm(transaction, access, known_seq, draft, now)
            self._link(transaction, access, known_seq, draft, stated)
            self._link_corrected(transaction, access, known_seq, draft)
            self._require_own_end(transaction, access, known_seq, draft)
            self._give_end(transaction, access, known_seq, draft, now)
            return known_seq, affirmed
        thought_id = draft.thought_id or new_id()
        held = passages.is_held
        seq = rows.insert_thought(
            transaction,
            access,
            draft,
            thought_id=thought_id,
            key=key,
            held=held,
            now=now,
            seq=ahead.seq,
        )
        rows.link_sources(transaction, seq, sources)
        # The one who says it saw it first.
        sightings.save(transaction, [seq], access.resolve_user(draft.contributor_id), now=now)
        self._give_end(transaction, access, seq, draft, now)
        for source in sources:
            tracing.record_use(
                transaction,
                source,
                agent_id=access.resolve_user(draft.contributor_id),
                kind=UseKind.BUILT_UPON,
                session_id=draft.session,
                now=now,
            )
        refined = sources if draft.thought_type is ThoughtType.REFINEMENT else []
        links = [(source, ReplacementOrigin.REFINED, REFINED) for source in refined]
        self._link(transaction, access, seq, draft, [*links, *stated])
        self.index(transaction, access, [(seq, draft, passages)])
        if not held:
            self._link_corrected(transaction, access, seq, draft)
        return seq, Stored(thought_id, pheromone.INITIAL, held)

    def pass_on(
        self, transaction: Transaction, access: Access, thought: IndexableThought, *, held: bool
    ) -> None:
        """Keep what a member erased of their own for the others who said the same words.

        The first of them is who said it from then on, and the others say it again.
        """
        others = sayings.list_other_sayers(transaction, thought.seq, than=access.owner)
        for owner, contributor_id, contributor_name, said_at in others:
            draft = ThoughtDraft(
                thought.content, contributor_id, contributor_name, created_at=said_at
            )
            prepared = replace(self.prepare_words(draft), is_held=held)
            self.store(transaction, access.of_member(owner), draft, prepared)

    def _require_own_end(
        self, transaction: Transaction, access: Access, seq: int, draft: ThoughtDraft
    ) -> None:
        """Refuse to end what another member said by saying it again.

        Raises:
            Forbidden: it has an end, and the caller neither said it first nor is an admin.
        """
        if draft.expires_at is None or access.owner is None or access.is_admin_member:
            return
        if rows.load_authorships(transaction, [seq])[seq].owner != access.owner:
            raise Forbidden(
                "another member said this before, and gives it an end, or an admin of the space;"
                " say it without expires_at, or in words of your own"
            )

    def _give_end(
        self, transaction: Transaction, access: Access, seq: int, draft: ThoughtDraft, now: float
    ) -> None:
        if draft.expires_at is not None:
            agent_id = draft.contributor_id
            sayings.give_end(
                transaction, access, seq, agent_id=agent_id, expires_at=draft.expires_at, now=now
            )

    def _link(
        self,
        transaction: Transaction,
        access: Access,
        seq: int,
        draft: ThoughtDraft,
        links: Sequence[tuple[int, ReplacementOrigin, str]],
    ) -> None:
        """Store what a thought replaces or refines, with how and why; never the thought itself.

        A clock that ran back makes none of it earlier than what the replaced last replaced.
        """
        since = self._clock.now() if draft.created_at is None else draft.created_at
        last = find_last_words(transaction, {older for older, _, _ in links}) if links else {}
        insert_replacements(
            transaction,
            [
                ReplacementLink(
                    seq,
                    older,
                    origin,
                    reason,
                    1.0,
                    date_after(last.get(older), since),
                    is_by_admin=access.is_admin_member,
                )
                for older, origin, reason in links
                if older != seq
            ],
            made_by=access.resolve_user(draft.contributor_id),
        )

    def _link_corrected(
        self, transaction: Transaction, access: Access, seq: int, draft: ThoughtDraft
    ) -> None:
        """Store that a thought corrects what an answer showed, a likely replacement of its part."""
        seqs = rows.find_seqs(transaction, access, draft.corrects) if draft.corrects else {}
        shown = rows.load_indexable(transaction, sorted(set(seqs.values()) - {seq}))
        speaker = (draft.contributor_id, access.owner)
        links = [
            ReplacementLink(
                seq,
                older.seq,
                ReplacementOrigin.INFERRED,
                limit_reason(CORRECTED)
                if _has_more_numbers(older.content, draft.content)
                else CORRECTED,
                _CORRECTING_CONFIDENCE,
                self._clock.now(),
            )
            for older in shown
            # What one says of oneself corrects nothing that another says of themselves.
            if older.speaker == speaker
            or not (speaks_of_self(older.content) and speaks_of_self(draft.content))
        ]
        add_missing(transaction, links, made_by=CORRECTED_BY)

    def index(
        self,
        transaction: Transaction,
        access: Access,
        stored: Sequence[tuple[int, ThoughtDraft, PreparedThought]],
    ) -> None:
        """Save features of thoughts and index their points, undone if the transaction fails.

        A point left behind would pass for the next thought of that seq.

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
        sayings.affirm(
            transaction,
            seq,
            agent_id=draft.contributor_id,
            agent_name=draft.contributor_name,
            owner=access.owner,
            now=now,
        )
        sightings.save(transaction, [seq], counted, now=now)
        tracing.record_use(
            transaction,
            seq,
            agent_id=counted,
            kind=UseKind.AFFIRMED,
            session_id=draft.session,
            now=now,
        )
        thought = rows.load_summaries(transaction, access, [seq], with_held=True)[seq]
        return Affirmed(thought.thought_id, thought.trail.weight_at(now), thought.held)

    def _find_living(
        self, transaction: Transaction, access: Access, thought_ids: Sequence[str], field: str
    ) -> list[int]:
        """Return the seqs of thoughts that a draft names, without repetition.

        Raises:
            ThoughtNotFound: one does not exist, or is erased.
        """
        distinct = list(dict.fromkeys(thought_ids))
        seqs = rows.find_seqs(transaction, access, distinct)
        living = rows.filter_living(transaction, list(seqs.values()))
        if any(seqs.get(thought_id) not in living for thought_id in distinct):
            message = f"{field} names no thought of this space, or one that is erased"
            raise ThoughtNotFound(message)
        return [seqs[thought_id] for thought_id in distinct]
