"""Infers which of its neighbours a new thought updates, in the transaction that embeds it."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.replacements import (
    INFERRED_BY,
    add_missing,
    delete_inferred,
)
from wellworn.domain.thoughts.truth import (
    LEAST_CONFIDENCE,
    LEAST_CONTESTED,
    ReplacementLink,
    ReplacementOrigin,
)
from wellworn.domain.thoughts.truth.relations import RelationKind, relate
from wellworn.domain.thoughts.truth.statements import Statement
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval import merge_passages
from wellworn.engines.retrieval.text import hash_word
from wellworn.engines.storage.sql import Transaction
from wellworn.engines.storage.vectors import VectorIndex, Where, unit_of

MOST_NEIGHBOURS: Final = 8
LEAST_COSINE: Final = 0.35
_OF_ONE_FORM: Final = (RelationKind.UPDATES, RelationKind.ANOTHER)
MOST_UPDATED: Final = 4
"""By one member; a note that is like more of theirs is one of a series.

It updates what was said of the same thing, where that was said once.
"""
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


class InferredLinks(NamedTuple):
    """What a note is inferred to update; of a series nothing, nor does another of it."""

    links: Sequence[ReplacementLink] = ()
    series: Set[int] = frozenset()


class ReplacementFinder:
    """Compares thoughts with their neighbours."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index

    def store_links(
        self, transaction: Transaction, access: Access, seq: int, vector: FloatArray | None
    ) -> None:
        """Store what an indexed thought is inferred to update, beside what was stated.

        Where it shows that what is like it is a series, nothing of that replaces the other.
        """
        if vector is None:
            return
        inferred = self.find(transaction, access, seq, vector)
        add_missing(transaction, inferred.links, made_by=INFERRED_BY)
        delete_inferred(transaction, inferred.series)

    def find(
        self, transaction: Transaction, access: Access, seq: int, vector: FloatArray
    ) -> InferredLinks:
        """Return what a stored note is likely to update, or to be updated by.

        Turns of conversations are left alone: what one replaces is told by the next.
        """
        neighbours = self.find_neighbours(transaction, access, seq, vector)
        new = next((near.thought for near in neighbours if near.thought.seq == seq), None)
        if new is None or not is_comparable(new):
            return InferredLinks()
        statements = {
            near.thought.seq: Statement(near.thought.content, near.thought.created_at)
            for near in neighbours
        }
        rarity = self.weigh_words(access, list(statements.values()))
        links: list[ReplacementLink] = []
        of_one_form = 0
        series = {seq}
        for near in neighbours:
            is_own = near.thought.owner == new.owner
            said_at = _get_time_told if is_own else _get_time_heard
            # Of what was said at one time, such as notes that came undated, neither is newer.
            if said_at(near.thought) == said_at(new) or not is_comparable(near.thought):
                continue
            older, newer = sorted((near.thought, new), key=said_at)
            relation = relate(
                statements[older.seq], statements[newer.seq], near.cosine, rarity.__getitem__
            )
            least = LEAST_CONFIDENCE if is_own else LEAST_CONTESTED
            if relation.confidence < least or relation.kind not in _OF_ONE_FORM:
                continue
            of_one_form += is_own
            if relation.kind is RelationKind.UPDATES:
                series |= {near.thought.seq} if is_own else set()
                links.append(
                    ReplacementLink(
                        newer.seq,
                        older.seq,
                        ReplacementOrigin.INFERRED,
                        relation.reason,
                        round(relation.confidence, 3),
                        said_at(newer)[0],
                    )
                )
        # Others cannot keep a correction from counting by saying much that is like it.
        is_in_series = of_one_form > MOST_UPDATED and len(links) > 1
        return InferredLinks(series=series) if is_in_series else InferredLinks(links)

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


def _get_time_told(thought: rows.IndexableThought) -> tuple[float, ...]:
    return (thought.created_at,)


def _get_time_heard(thought: rows.IndexableThought) -> tuple[float, ...]:
    """Return when others could hear it, which nobody can move back; of one import, when told."""
    return thought.heard_at, thought.created_at


def is_comparable(thought: rows.IndexableThought) -> bool:
    """Tell whether a thought is a note short enough to be one statement."""
    return thought.kind is ThoughtKind.THOUGHT and len(thought.content) <= LONGEST
