"""Finds what of other members' thoughts a new one contradicts, in the transaction that embeds it.

Nothing is inferred to replace anything: words alone cannot tell a change from two things of a kind.
What two members say differently of one matter is only shown with the other beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import tracing
from wellworn.domain.thoughts.models import ThoughtKind, UseKind
from wellworn.domain.thoughts.store import rows, sayings
from wellworn.domain.thoughts.store.replacements import FOUND_BY, add_missing, find_contradictions
from wellworn.domain.thoughts.truth import (
    LEAST_CONTESTED,
    ReplacementLink,
    ReplacementOrigin,
)
from wellworn.domain.thoughts.truth.relations import Relation, RelationKind, relate
from wellworn.domain.thoughts.truth.statements import Statement
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval import merge_passages
from wellworn.engines.retrieval.text import hash_word, speaks_of_self
from wellworn.engines.storage.sql import Transaction
from wellworn.engines.storage.vectors import VectorIndex, Where, unit_of

MOST_NEIGHBOURS: Final = 8
LEAST_COSINE: Final = 0.35
_UNWRITTEN: Final = 10
"""Thoughts that every space is taken to hold beside its own, none of which has a word of them.

The words that two of the first three thoughts share are no less rare for that.
"""
LONGEST: Final = 2_000
"""Characters; a longer thought holds too many statements to be compared as one."""


class Neighbour(NamedTuple):
    """A thought near a new one."""

    thought: rows.IndexableThought
    cosine: float


class Comparison(NamedTuple):
    """What a new thought contradicts or is contradicted by, and what of others it says again."""

    contradictions: Sequence[ReplacementLink] = ()
    again: Sequence[int] = ()


class RivalFinder:
    """Compares thoughts with their neighbours that others said."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index

    def store_links(
        self, transaction: Transaction, access: Access, seq: int, vector: FloatArray | None
    ) -> None:
        """Store what an indexed thought contradicts, and that it says again what others said."""
        if vector is None:
            return
        new = next(iter(rows.load_indexable(transaction, [seq])), None)
        if new is None or not is_comparable(new):
            return
        compared = self.find(transaction, access, new, vector)
        add_missing(transaction, compared.contradictions, made_by=FOUND_BY)
        now = new.heard_at
        for older in compared.again:
            # Links are found anew after a rollback.
            if sayings.has_affirmed(transaction, older, new.contributor_id, at=now):
                continue
            sayings.affirm(
                transaction,
                older,
                agent_id=new.contributor_id,
                agent_name=new.contributor_name,
                owner=new.owner,
                now=now,
            )
            tracing.record_use(
                transaction, older, agent_id=new.user, kind=UseKind.AFFIRMED, now=now
            )

    def find(
        self,
        transaction: Transaction,
        access: Access,
        new: rows.IndexableThought,
        vector: FloatArray,
    ) -> Comparison:
        """Return what a note contradicts, if a member said it, and what it only says again.

        Turns of conversations are left alone: what one contradicts is told by the next.
        """
        neighbours = [
            near
            for near in self.find_neighbours(transaction, access, new.seq, vector)
            if is_comparable(near.thought)
        ]
        statements = {
            near.thought.seq: Statement(near.thought.content, near.thought.created_at)
            for near in neighbours
        }
        rarity = self.weigh_words(access, list(statements.values()))
        links: list[ReplacementLink] = []
        again: list[int] = []
        own: list[int] = []
        for near in neighbours:
            older, newer = sorted((near.thought, new), key=_get_time_heard)
            # Of what was said at one time, such as notes that came undated, neither is newer.
            is_later = _get_time_heard(older) < _get_time_heard(newer)
            if not is_later or are_of_two_speakers(older, newer):
                continue
            before, after = statements[older.seq], statements[newer.seq]
            relation = relate(before, after, near.cosine, rarity.__getitem__)
            if newer is new and older.user == newer.user:
                own += [older.seq] * relation.is_sure
            elif newer is new and relation.kind is RelationKind.SAME:
                again.append(older.seq)
            elif (
                newer.owner not in {None, older.owner}
                and relation.kind is RelationKind.UPDATES
                and relation.confidence >= LEAST_CONTESTED
                and not before.tells_the_same_as(after)
            ):
                links.append(_contradict(newer, older, relation))
        known = {link[:2] for link in links}
        # What a member says in other words is as contested as what they said before.
        repeated = [
            link._replace(newer=new.seq, since=new.heard_at)
            for link in find_contradictions(transaction, own)
            if (new.seq, link.older) not in known
        ]
        return Comparison([*links, *repeated], again)

    def find_neighbours(
        self, transaction: Transaction, access: Access, seq: int, vector: FloatArray
    ) -> list[Neighbour]:
        """Return the thoughts nearest to one, itself among them."""
        candidates = self._index.candidates(
            vector, {}, Where(access.space), limit=MOST_NEIGHBOURS + 1
        )
        cosines = {match.id: match.cosine for match in merge_passages(candidates, unit_of)}
        near = [
            other for other, cosine in cosines.items() if cosine >= LEAST_COSINE or other == seq
        ]
        return [
            Neighbour(thought, cosines[thought.seq])
            for thought in rows.load_indexable(transaction, near)
        ]

    def weigh_words(self, access: Access, statements: Sequence[Statement]) -> dict[str, float]:
        """Return how rare each word is in the space, 0 to 1."""
        terms = {word: hash_word(word) for statement in statements for word in statement.words}
        rarity = self._index.rarity(terms.values(), access.space)
        # What the unwritten add to the logarithm of one over a word's frequency, for every word.
        added = math.log1p(_UNWRITTEN / (self._index.count(access.space) + 1))
        most = max(rarity.values(), default=1.0) + added
        return {word: (rarity[term] + added) / most for word, term in terms.items()}


def _contradict(
    newer: rows.IndexableThought, older: rows.IndexableThought, relation: Relation
) -> ReplacementLink:
    origin, confidence = ReplacementOrigin.INFERRED, round(relation.confidence, 3)
    return ReplacementLink(
        newer.seq, older.seq, origin, relation.reason, confidence, newer.heard_at
    )


def _get_time_heard(thought: rows.IndexableThought) -> tuple[float, ...]:
    """Return when others could hear it, which nobody can move back; of one import, when told."""
    return thought.heard_at, thought.created_at


def are_of_two_speakers(thought: rows.IndexableThought, other: rows.IndexableThought) -> bool:
    """Tell whether two say each something of themselves, so that both may be true."""
    return thought.speaker != other.speaker and all(
        speaks_of_self(each.content) for each in (thought, other)
    )


def is_comparable(thought: rows.IndexableThought) -> bool:
    """Tell whether a thought is a note short enough to be one statement."""
    return thought.kind is ThoughtKind.THOUGHT and len(thought.content) <= LONGEST
