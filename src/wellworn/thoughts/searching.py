"""Finding thoughts, leaving no trace: candidates, fusion, confirmed use, and who they are.

Source: `docs/adr/0003-fusion.md`; thought tracing v0.2.0, sections 4.2 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.kit.clock import Clock
from wellworn.retrieval import (
    Ranked,
    best_passages,
    by_cosine,
    fused,
    query_terms,
    with_usefulness,
)
from wellworn.spaces import Access
from wellworn.storage.sql import Database
from wellworn.storage.vectors import Candidate, VectorIndex, Where, unit_of
from wellworn.thoughts.models import Found, Method, Search
from wellworn.thoughts.settings import ThoughtSettings
from wellworn.thoughts.store import units
from wellworn.thoughts.store.units import Card
from wellworn.thoughts.tags import tag_key

POOL = 50
"""Results that may be looked at behind those returned: for disambiguation, highways and use."""

_MOST_PASSAGES = 1600


@dataclass(frozen=True, slots=True)
class Hit:
    """A result before its words are read."""

    ranked: Ranked
    card: Card


class Searcher:
    """Searches one index and the database it was made from."""

    def __init__(
        self, database: Database, index: VectorIndex, clock: Clock, settings: ThoughtSettings
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._settings = settings

    def pool(self, access: Access, search: Search) -> list[Hit]:
        """Return up to 50 hits, best first, whatever `search.limit` says.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        wide = 1
        while True:
            ranked, is_all = self._ranked(access, search, wide)
            with self._database.read() as transaction:
                cards = units.cards(
                    transaction,
                    access,
                    [one.id for one in ranked],
                    with_held=search.include_unverified,
                )
            known = [one for one in ranked if one.id in cards][:POOL]
            # What is held must not crowd out all others either.
            if is_all or len(known) in {POOL, len(ranked)}:
                break
            wide *= 4
        if search.method is Method.HYBRID:
            now = self._clock.now()
            evidence = {seq: card.trail.evidence_at(now) for seq, card in cards.items()}
            known = with_usefulness(known, evidence, self._settings.usefulness_weight, within=POOL)
        return [Hit(one, cards[one.id]) for one in known]

    def _ranked(self, access: Access, search: Search, wide: int) -> tuple[list[Ranked], bool]:
        """Return `wide` times as many results as a pool holds, and whether there are no more."""
        keys = frozenset(tag_key(tag) for tag in search.filter_tags)
        where = Where(
            access.space,
            any_tags=frozenset() if search.match_all_tags else keys,
            all_tags=keys if search.match_all_tags else frozenset(),
            not_contributor=search.agent_id if search.exclude_self else "",
        )
        hybrid = search.method is Method.HYBRID
        terms = query_terms(search.text) if hybrid else {}
        limit = min(self._settings.candidates * wide, _MOST_PASSAGES)
        while True:
            candidates = self._index.candidates(search.vector, terms, where, limit=limit)
            matches = best_passages(map(_steady, candidates), unit_of)
            # Passages of a few long thoughts can crowd out all others.
            if len(matches) >= POOL * wide or len(candidates) < limit or limit >= _MOST_PASSAGES:
                break
            limit *= 4
        ranked = fused(matches) if hybrid else by_cosine(matches)
        near = [one for one in ranked if _is_near_enough(one, search)][: POOL * wide]
        return near, len(candidates) < limit or limit >= _MOST_PASSAGES

    def read(self, hits: Sequence[Hit]) -> list[Found]:
        """Return hits with words and trail as they are now; what was erased is left out."""
        if not hits:
            return []
        with self._database.read() as transaction:
            contents = units.contents(transaction, [hit.card.seq for hit in hits])
        now = self._clock.now()
        return [
            _found(hit, contents[hit.card.seq], now) for hit in hits if hit.card.seq in contents
        ]


def _steady(one: Candidate) -> Candidate:
    """Round the keyword score to four decimals.

    The engine adds in single precision, in an order that depends on what else it holds, points of
    other spaces among it: the digits after these would tell that there is something.
    """
    return one._replace(keyword=round(one.keyword, 4))


def _is_near_enough(one: Ranked, search: Search) -> bool:
    if search.min_score is not None:
        return one.cosine >= search.min_score
    # The specified search has a least score of 0; an exact word is found whatever its vector says.
    return one.cosine >= 0.0 or one.keyword > 0.0


def _found(hit: Hit, content: str, now: float) -> Found:
    ranked, card = hit.ranked, hit.card
    return Found(
        seq=card.seq,
        thought_id=card.thought_id,
        content=content,
        contributor_id=card.contributor_id,
        contributor_name=card.contributor_name,
        score=ranked.cosine,
        keyword=ranked.keyword,
        rank_score=ranked.rank_score,
        parts=ranked.parts,
        tags=card.tags,
        pheromone_weight=card.trail.weight_at(now),
        access_count=card.trail.access_count,
        unique_users=card.trail.unique_users,
        created_at=card.created_at,
        owner=card.owner,
        held=card.held,
    )
