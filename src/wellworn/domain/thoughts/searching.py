"""Finding thoughts, leaving no trace: candidates, fusion, confirmed use, and who they are.

Source: `docs/adr/0003-fusion.md`; thought tracing v0.2.0, sections 4.2 and 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Found, Method, Search
from wellworn.domain.thoughts.recent import UNITS, RecentUnits
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.store import features, rows
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.tags import tag_key
from wellworn.engines.retrieval import (
    POLICY_VERSION,
    Match,
    Question,
    RankedResult,
    Shape,
    Unit,
    Weights,
    apply_usefulness,
    build_question,
    merge_passages,
    rank,
    rank_by_cosine,
    select_candidates,
)
from wellworn.engines.retrieval.learning import SHIPPED_POLICY, Policy, is_control
from wellworn.engines.retrieval.text import is_called, weigh_query_names, weigh_query_terms
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import Candidate, VectorIndex, Where, point_id, unit_of
from wellworn.kit.clock import Clock

POOL = 50
"""Results that may be looked at behind those returned: for disambiguation, highways and use."""

_MOST_PASSAGES = 1600
_SEEDS = 32
"""Candidates whose neighbours are looked at."""
_WARMED_AT_ONCE = 100


class _Ordered(NamedTuple):
    """Results in their order, whether there are no more, and whether some were left out as held."""

    ranked: list[RankedResult]
    is_all: bool
    hides: bool


class _Ask:
    """One search of one index: asked for candidates, for what stands beside them, and of words."""

    def __init__(self, index: VectorIndex, search: Search, where: Where) -> None:
        self._index = index
        self._search = search
        self._where = where
        is_hybrid = search.method is Method.HYBRID
        self.terms = weigh_query_terms(search.text) if is_hybrid else {}
        self.names = weigh_query_names(search.text) if is_hybrid else {}

    def candidates(self, where: Where, limit: int) -> list[Candidate]:
        found = self._index.candidates(
            self._search.vector, self.terms, where, limit=limit, names=self.names
        )
        return [one.steady() for one in found]

    def matches(self, units: Sequence[int]) -> list[Match]:
        """Return the scores of units of one passage, of those that the filter lets through."""
        if not units:
            return []
        where = replace(self._where, among=frozenset(point_id(unit, 0) for unit in units))
        return merge_passages(self.candidates(where, len(units)), unit_of)

    def is_near_enough(self, one: Match) -> bool:
        if self._search.min_score is not None:
            return one.cosine >= self._search.min_score
        # The specified search has a least score of 0; an exact word and a name that is asked for
        # are found whatever their vectors say.
        return one.cosine >= 0.0 or one.keyword > 0.0 or self._is_called(one)

    @cached_property
    def question(self) -> Question:
        search = self._search
        rarity = self._index.rarity({*self.terms, *self.names}, self._where.space)
        return build_question(search.text, search.pieces, search.spans, rarity)

    def _is_called(self, one: Match) -> bool:
        return one.name > 0.0 and is_called(one.name, self.question.full_name)


@dataclass(frozen=True, slots=True)
class Hit:
    """A result before its words are read."""

    ranked: RankedResult
    card: ThoughtSummary
    policy_version: int = POLICY_VERSION


class Searcher:
    """Searches one index and the database it was made from."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        clock: Clock,
        settings: ThoughtSettings,
        *,
        made_by: int,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._settings = settings
        self._made_by = made_by
        self._recent = RecentUnits()
        self._warmed_to: int | None = None
        self._policies: dict[str, Policy] = {}

    def pool(self, access: Access, search: Search) -> list[Hit]:
        """Return up to 50 hits, best first, whatever `search.limit` says.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        policy, wide = self._policy(access, search), 1
        while True:
            found = self._ranked(access, search, wide, policy.weights)
            with self._database.read() as transaction:
                cards = rows.load_summaries(
                    transaction,
                    access,
                    [one.id for one in found.ranked],
                    with_held=search.include_unverified,
                )
            known = [one for one in found.ranked if one.id in cards][:POOL]
            hides = found.hides or len(known) < len(found.ranked)
            # What is held must not crowd out all others either.
            if found.is_all or len(known) == POOL or not hides:
                break
            wide *= 4
        if search.method is Method.HYBRID:
            now = self._clock.now()
            evidence = {seq: card.trail.evidence_at(now) for seq, card in cards.items()}
            known = apply_usefulness(known, evidence, self._settings.usefulness_weight, within=POOL)
        return [Hit(one, cards[one.id], policy.version) for one in known]

    def follow(self, space: str, policy: Policy) -> None:
        """Rank by these weights in a space from now on."""
        self._policies[space] = policy

    def asked_again(self, access: Access, search: Search) -> list[RankedResult]:
        """Return the first 50 by the shipped weights, unmoved by use.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        return self._ranked(access, search, 1, SHIPPED_POLICY.weights).ranked

    def _policy(self, access: Access, search: Search) -> Policy:
        if search.method is not Method.HYBRID or is_control(search.text):
            return SHIPPED_POLICY
        return self._policies.get(access.space, SHIPPED_POLICY)

    def _ranked(
        self, access: Access, search: Search, wide: int, weights: Mapping[Shape, Weights]
    ) -> _Ordered:
        """Return `wide` times as many results as a pool holds."""
        keys = frozenset(tag_key(tag) for tag in search.filter_tags)
        where = Where(
            access.space,
            any_tags=frozenset() if search.match_all_tags else keys,
            all_tags=keys if search.match_all_tags else frozenset(),
            not_contributor=search.agent_id if search.exclude_self else "",
        )
        ask = _Ask(self._index, search, where)
        limit = min(self._settings.candidates * wide, _MOST_PASSAGES)
        while True:
            candidates = ask.candidates(where, limit)
            matches = merge_passages(candidates, unit_of)
            # Passages of a few long thoughts can crowd out all others.
            if len(matches) >= POOL * wide or len(candidates) < limit or limit >= _MOST_PASSAGES:
                break
            limit *= 4
        matches = [one for one in matches if ask.is_near_enough(one)]
        if search.method is Method.HYBRID:
            near, hides = self._by_reasons(
                access, search, ask, matches, most=POOL * wide, weights=weights
            )
        else:
            near, hides = rank_by_cosine(matches)[: POOL * wide], False
        is_all = len(candidates) < limit or limit >= _MOST_PASSAGES
        return _Ordered(near, is_all=is_all and len(near) < POOL * wide, hides=hides)

    def _by_reasons(
        self,
        access: Access,
        search: Search,
        ask: _Ask,
        matches: Sequence[Match],
        *,
        most: int,
        weights: Mapping[Shape, Weights],
    ) -> tuple[list[RankedResult], bool]:
        """Rank candidates with the neighbours of the best; tell whether any is held back."""
        known: dict[int, Match | None] = {one.id: one for one in matches}
        with self._database.read() as transaction:
            beside = features.find_neighbours(transaction, select_candidates(matches, _SEEDS))
            # A single point tells the scores of a thought of one passage.
            alone = [seq for seq in beside if beside[seq] == 1 and seq not in known]
            # "Yes, last June" has nothing of the question but what stands beside it.
            found = [one for one in ask.matches(alone) if one.cosine >= (search.min_score or -1.0)]
            known = {**dict.fromkeys(beside), **known, **{one.id: one for one in found}}
            units = self._units(
                transaction, access, sorted(known), with_held=search.include_unverified
            )
        units = [unit.with_match(known[unit.id]) for unit in units]
        shown = {unit.id for unit in units}
        hides = any(one.id not in shown for one in matches)
        return rank(ask.question, units, most=most, weights=weights), hides

    def _units(
        self, transaction: Transaction, access: Access, seqs: Sequence[int], *, with_held: bool
    ) -> list[Unit]:
        """Return what ranking needs of these thoughts, in their order."""
        recent = self._recent.known(access.space, seqs)
        unread = [seq for seq in seqs if seq not in recent]
        read = features.load_units(
            transaction, access, unread, maker=self._made_by, with_held=with_held
        )
        if not with_held:
            self._recent.keep(access.space, read)
        units = recent | {unit.id: unit for unit in read}
        return [units[seq] for seq in seqs if seq in units]

    def warm(self) -> None:
        """Read into memory what came since the last call; at first some seconds for 100,000.

        For the background: a search that has to read all it ranks takes 3 ms longer.

        Raises:
            StorageUnavailable: the database failed.
        """
        while True:
            with self._database.read() as transaction:
                if self._warmed_to is None:
                    self._warmed_to = max(0, features.find_newest(transaction) - UNITS)
                page = features.load_next_units(
                    transaction, self._warmed_to, maker=self._made_by, most=_WARMED_AT_ONCE
                )
            for space, unit in page:
                self._recent.keep(space, [unit])
            if not page:
                return
            self._warmed_to = page[-1][1].id

    def forget(self, seqs: Iterable[int]) -> None:
        """Drop what is kept in memory of thoughts that are gone."""
        self._recent.forget(seqs)

    def read(self, hits: Sequence[Hit]) -> list[Found]:
        """Return hits with words and trail as they are now; what was erased is left out."""
        if not hits:
            return []
        with self._database.read() as transaction:
            contents = rows.load_contents(transaction, [hit.card.seq for hit in hits])
        now = self._clock.now()
        return [
            _found(hit, contents[hit.card.seq], now) for hit in hits if hit.card.seq in contents
        ]


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
        policy_version=hit.policy_version,
    )
