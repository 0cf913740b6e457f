"""Searches thoughts without leaving a trace: candidates, fusion, confirmed use, contents.

Source: `docs/adr/0003-fusion.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.convergence import count_independent
from wellworn.domain.thoughts.decisions import Fate, Judged
from wellworn.domain.thoughts.disputes import RivalPair, judge_pairs
from wellworn.domain.thoughts.features import build_filter
from wellworn.domain.thoughts.folding import fold_alike
from wellworn.domain.thoughts.following import CacheWarmer, SearcherState
from wellworn.domain.thoughts.index_query import IndexQuery
from wellworn.domain.thoughts.models import FoundThought, RetrievalMethod, SearchQuery
from wellworn.domain.thoughts.preferring import prefer_named, prefer_own
from wellworn.domain.thoughts.results import DescribedStanding, RankedThought, build_result
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.spreading import spread_members
from wellworn.domain.thoughts.store import confirming, features, rows, sightings
from wellworn.domain.thoughts.store.replacements import ask_links, load_standings
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.truth import (
    Dated,
    Standings,
    TimeScope,
    apply_truth,
    find_stood_for,
)
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.retrieval import (
    RankedResult,
    Shape,
    Unit,
    Weights,
    apply_usefulness,
    find_exact_evidence,
    find_units_holding,
    list_asked_words,
    merge_passages,
    rank,
    rank_by_cosine,
    select_candidates,
)
from wellworn.engines.retrieval.learning import SHIPPED_POLICY, Policy, is_control, rank_again
from wellworn.engines.retrieval.text import (
    speaks_of_self,
)
from wellworn.engines.storage.sql import Database, Rows, Transaction, fetch_together
from wellworn.engines.storage.vectors import VectorIndex, point_id, unit_of, units_of
from wellworn.kit.clock import Clock
from wellworn.kit.matches import Matches

POOL = 50
"""Results that a search ranks: more than it returns, for disambiguation, highways and use."""

_MOST_PASSAGES = 1600
_SEEDS = 32
"""Candidates whose neighbours are ranked, too."""


class _Ranking(NamedTuple):
    """Ranked results; `is_all`: there are no more; `hides`: some are left out, as `held`."""

    ranked: list[RankedResult]
    is_all: bool
    hides: bool
    held: Sequence[Judged] = ()


class FoundPool(NamedTuple):
    """The results of a search, best first, and what of its candidates is none of them, and why."""

    hits: list[RankedThought]
    left_out: tuple[Judged, ...] = ()


class ThoughtSearcher:
    """Searches one index and the database it was made from."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        clock: Clock,
        settings: ThoughtSettings,
        *,
        versions: FeatureVersions,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._settings = settings
        self._versions = versions
        self.state = SearcherState()
        self.warmer = CacheWarmer(database, self.state, versions)

    def rank(self, access: Access, search: SearchQuery) -> list[RankedThought]:
        """Return up to 50 results, best first, whatever `search.limit` says.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        return self.find(access, search).hits

    def find(self, access: Access, search: SearchQuery, policy: Policy | None = None) -> FoundPool:
        """Return what `rank` does, and what was left out; by other weights if they are given."""
        policy, wide = policy or self._get_policy(access, search), 1
        while True:
            ranking = self._rank(access, search, wide, policy.weights)
            with self._database.read() as transaction:
                seqs = [unit.id for unit in ranking.ranked]
                # Of many, few are within the limits, and only their links are read then.
                asked = ask_links(seqs) if wide == 1 else ()
                stored, *links = fetch_together(transaction, rows.ask_summaries(seqs), *asked)
            with_held = search.include_unverified
            summaries = rows.build_summaries(stored, access, with_held=with_held)
            visible = [
                unit
                for unit in ranking.ranked
                if unit.id in summaries and summaries[unit.id].is_within(search.scope)
            ][:POOL]
            hides = ranking.hides or len(visible) < len(ranking.ranked)
            # Held thoughts, and those of others than who is asked for, must not crowd out the rest.
            if ranking.is_all or len(visible) == POOL or not hides:
                break
            wide *= 4
        trial, again = self._get_trial(access, search), None
        if search.method is RetrievalMethod.HYBRID:
            now = self._clock.now()
            evidence = {seq: thought.trail.evidence_at(now) for seq, thought in summaries.items()}
            apply = partial(
                apply_usefulness,
                evidence=evidence,
                weight=self._settings.usefulness_weight,
                within=POOL,
            )
            if trial is not None:
                again = apply(rank_again(visible, policy, trial))
            visible = apply(visible)
        shown = {unit.id for unit in visible}
        foreign = [
            _judge(unit, Fate.OUT_OF_SCOPE)
            for unit in ranking.ranked[:POOL]
            if unit.id in summaries and unit.id not in shown
        ]
        version = (trial or policy).version
        found = self._apply_truth(
            access, search, visible, summaries, links, version=version, again=again
        )
        return found._replace(left_out=(*found.left_out, *foreign, *ranking.held))

    def _apply_truth(
        self,
        access: Access,
        search: SearchQuery,
        results: Sequence[RankedResult],
        summaries: dict[int, ThoughtSummary],
        links: Sequence[Rows],
        *,
        version: int,
        again: Sequence[RankedResult] | None,
    ) -> FoundPool:
        """Order results by what is true in the scope, together with what replaces them.

        `links` are the rows of what `ask_links` asks of them, if they were read. Where results are
        given `again`, in another order, each is told its place in that.
        """
        scope = search.scope
        at = scope.moment(self._clock.now())
        with self._database.read() as transaction:
            standings = load_standings(
                transaction,
                [result.id for result in results],
                at=at,
                is_present=scope.is_present,
                whole=scope.history,
                links=links,
            )
            companions = standings.list_companions(history=scope.history)
            companions -= {result.id for result in results}
            if missing := companions - summaries.keys():
                summaries |= rows.load_summaries(
                    transaction, access, sorted(missing), with_held=search.include_unverified
                )
        matched = self._score_companions(access, search, companions & summaries.keys())
        results = [*results, *_put_below(matched, results)]
        dated = {
            seq: Dated(
                thought.created_at,
                (thought.contributor_id, thought.contributor_name, thought.owner or ""),
                is_note=thought.is_note,
                opening=thought.opening,
            )
            for seq, thought in summaries.items()
        }

        def order(results: Sequence[RankedResult], tried: Mapping[int, int]) -> list[RankedThought]:
            stood_for = find_stood_for(results, standings, scope)
            ranked = [
                RankedThought(
                    result,
                    summaries[result.id],
                    version,
                    standings.find(result.id),
                    tuple(stood_for.get(result.id, ())),
                    tried.get(result.id),
                )
                for result in apply_truth(results, standings, dated, scope)
            ]
            if search.method is not RetrievalMethod.HYBRID:
                return ranked
            ranked = prefer_named(ranked, search.text)
            if speaks_of_self(search.text):
                ranked = prefer_own(ranked, (search.agent_id, access.owner))
            return spread_members(ranked)

        tried: dict[int, int] = {}
        if again is not None:
            others = order([*again, *_put_below(matched, again)], tried)
            tried = {hit.summary.seq: place for place, hit in enumerate(others)}
        hits = order(results, tried)
        left_out = _find_dropped(results, hits, standings, scope)
        return FoundPool(hits, left_out)

    def _score_companions(
        self, access: Access, search: SearchQuery, seqs: Set[int]
    ) -> list[RankedResult]:
        """Return what replaces results and fits, but was not found, without a score."""
        if not seqs:
            return []
        ask = IndexQuery(self._index, search, build_filter(access.space, search))
        return [
            RankedResult(match.id, match.cosine, match.keyword, {})
            for match in ask.find_matches(sorted(seqs))
        ]

    def find_vector(self, access: Access, seq: int) -> NDArray[np.float32] | None:
        """Return what a thought that was just found means, as it is kept.

        None for one of several passages or not embedded yet, and for what was said in a
        conversation, which is kept with its speaker's name before it.
        """
        unit = self.state.units.find(access.space, {seq}).get(seq)
        if unit is None or unit.place is not None:
            return None
        is_one = self._index.find_vector(point_id(seq, 1)) is None
        return self._index.find_vector(point_id(seq, 0)) if is_one else None

    def measure(
        self, access: Access, vector: NDArray[np.float32], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of thoughts to a vector; those of several passages are left out."""
        search = SearchQuery(vector, "", "", method=RetrievalMethod.VECTOR)
        ask = IndexQuery(self._index, search, build_filter(access.space, search))
        return {match.id: match.cosine for match in ask.find_matches(seqs)}

    def judge_rivals(
        self, access: Access, pairs: Sequence[RivalPair]
    ) -> Mapping[int, DescribedStanding]:
        """Return what is known of thoughts that answer one question, each beside the others."""
        with self._database.read() as transaction:
            return judge_pairs(transaction, access, pairs, at=self._clock.now())

    def find_exact(
        self, access: Access, hits: Sequence[RankedThought], words: Sequence[str]
    ) -> Set[int]:
        """Return the seqs of those results that hold the rare ones of some words."""
        asked = list_asked_words(words)
        if not asked or not hits:
            return frozenset()
        rarity = self._index.rarity({term for word in asked for term in word.terms}, access.space)
        seqs = {hit.summary.seq for hit in hits}
        with self._database.read() as transaction:
            units = self._load_units(transaction, access, seqs, with_held=True)
        is_exact = find_exact_evidence(asked, [unit.counts for unit in units.values()], rarity)
        return {seq for seq, holds in zip(units, is_exact, strict=True) if holds}

    def find_holding(self, access: Access, text: str) -> set[int]:
        """Return the seqs of thoughts that hold every telling word of a text, also held ones."""

        def find(term: int) -> NDArray[np.int64]:
            return units_of(self._index.ids(access.space, term))

        return {*find_units_holding(text, find).tolist()}

    def has(self, access: Access, thought_id: str) -> bool:
        """Tell whether the space has a thought, erased or not."""
        with self._database.read() as transaction:
            return thought_id in rows.find_seqs(transaction, access, [thought_id])

    def is_erased(self, access: Access, thought_id: str) -> bool:
        """Tell whether the space has a thought, and has its words no longer."""
        with self._database.read() as transaction:
            seqs = rows.find_seqs(transaction, access, [thought_id]).values()
            return any(rows.find_erasure_time(transaction, seq) is not None for seq in seqs)

    def find_ids(self, access: Access, beginning: str, *, limit: int) -> list[str]:
        """Return the ids that begin so, those of the space that a project shares among them."""
        with self._database.read() as transaction:
            return rows.find_ids(transaction, access, beginning, limit=limit)

    def rank_by_shipped_weights(self, access: Access, search: SearchQuery) -> list[RankedResult]:
        """Return the first 50 results by the shipped weights, regardless of use.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        return self._rank(access, search, 1, SHIPPED_POLICY.weights).ranked

    def _get_policy(self, access: Access, search: SearchQuery) -> Policy:
        if search.method is not RetrievalMethod.HYBRID or is_control(search.text):
            return SHIPPED_POLICY
        return self.state.policies.get(access.space, SHIPPED_POLICY)

    def _get_trial(self, access: Access, search: SearchQuery) -> Policy | None:
        """Return the weights that are tried beside those in use for what is asked of the present.

        What was true before stands together, and nothing is to come between it.
        """
        trial, scope = self.state.trials.get(access.space), search.scope
        is_tried = search.call_id and search.method is RetrievalMethod.HYBRID
        if trial is None or not is_tried or scope.is_narrow or not scope.is_open:
            return None
        return None if is_control(search.text) else trial

    def _rank(
        self, access: Access, search: SearchQuery, wide: int, weights: Mapping[Shape, Weights]
    ) -> _Ranking:
        """Return up to `wide` times 50 results."""
        where = build_filter(access.space, search)
        ask = IndexQuery(self._index, search, where)
        limit = min(self._settings.candidates * wide, _MOST_PASSAGES)
        while True:
            candidates = ask.find_candidates(where, limit)
            matches = merge_passages(candidates, unit_of)
            # Passages of a few long thoughts can crowd out all others.
            if len(matches) >= POOL * wide or len(candidates) < limit or limit >= _MOST_PASSAGES:
                break
            limit *= 4
        matches = ask.select_near(matches)
        is_all = len(candidates) < limit or limit >= _MOST_PASSAGES
        if search.method is not RetrievalMethod.HYBRID:
            near = rank_by_cosine(matches)[: POOL * wide]
            return _Ranking(near, is_all=is_all and len(near) < POOL * wide, hides=False)
        ranking = self._rank_with_neighbours(
            access, search, ask, matches, most=POOL * wide, weights=weights
        )
        return ranking._replace(is_all=is_all and len(ranking.ranked) < POOL * wide)

    def _rank_with_neighbours(
        self,
        access: Access,
        search: SearchQuery,
        ask: IndexQuery,
        matches: Matches,
        *,
        most: int,
        weights: Mapping[Shape, Weights],
    ) -> _Ranking:
        """Rank candidates with the neighbours of the best, without matches that are held."""
        ids, with_held = set[int](matches.ids.tolist()), search.include_unverified
        with self._database.read() as transaction:
            units = self._load_units(transaction, access, ids, with_held=with_held)
            hides = len(units) < len(ids)
            # Few searches come across any.
            held = rows.find_held(transaction, access, ids - units.keys()) if hides else []
            # What is known to stand alone has no neighbours to be looked for.
            alone = {unit.id for unit in units.values() if unit.place is None}
            seeds = [seq for seq in select_candidates(matches, _SEEDS) if seq not in alone]
            neighbours = features.find_neighbours(transaction, seeds) if seeds else {}
            # A thought of one passage is scored by its single point.
            single = [seq for seq in neighbours if neighbours[seq] == 1 and seq not in ids]
            # "Yes, last June" shares nothing with the question but its neighbours do.
            beside = ask.find_matches(single)
            beside = beside.select(beside.cosines >= (search.min_score or -1.0))
            others = neighbours.keys() - ids
            units |= self._load_units(transaction, access, others, with_held=with_held)
        ordered = [units[seq] for seq in sorted(units)]
        rows_of = matches.locate(held) if held else ()
        judged = [
            Judged(seq, Fate.HELD, float(matches.cosines[row]))
            for seq, row in zip(held, rows_of, strict=True)
        ]
        matches = matches.join(beside)
        ranked = rank(ask.question, ordered, matches, most=most, weights=weights)
        return _Ranking(ranked, is_all=False, hides=hides, held=judged)

    def _load_units(
        self, transaction: Transaction, access: Access, seqs: Set[int], *, with_held: bool
    ) -> dict[int, Unit]:
        """Return the ranking units of these thoughts."""
        recent = self.state.units.find(access.space, seqs)
        unread = sorted(seqs - recent.keys())
        read = features.load_units(
            transaction, access, unread, versions=self._versions.usable, with_held=with_held
        )
        if not with_held:
            self.state.units.put(access.space, read)
        return recent | {unit.id: unit for unit in read}

    def load_distinct(
        self, access: Access, hits: Sequence[RankedThought], limit: int
    ) -> list[FoundThought]:
        """Return the first results, with what says the same in the same words folded into them."""
        notes = {hit.summary.seq for hit in hits if hit.summary.is_note}
        pages = (self.load(access, hits[at : at + limit]) for at in range(0, len(hits), limit))
        found = fold_alike(pages, notes, limit)
        groups = {each.seq: (each.seq, *each.folded) for each in found if each.folded}
        if not groups:
            return found
        with self._database.read() as transaction:
            counts = dict(
                zip(groups, count_independent(transaction, [*groups.values()]), strict=True)
            )
        return [
            replace(each, rediscovered=counts[each.seq]) if each.folded else each for each in found
        ]

    def load(self, access: Access, hits: Sequence[RankedThought]) -> list[FoundThought]:
        """Return results with their current content and trail, without erased thoughts."""
        by_seq = {hit.summary.seq: hit for hit in hits}
        ends = {end for hit in hits for end in hit.standing.ends}
        now = self._clock.now()
        seqs = [*by_seq]
        with self._database.read() as transaction:
            stored, waiting, repeats = fetch_together(
                transaction,
                rows.ask_contents(seqs),
                confirming.ask_waiting(seqs, at=now),
                sightings.ask_repeats(seqs),
            )
            contents = dict(stored)
            linked = rows.load_summaries(transaction, access, sorted(ends)) if ends else {}
            unconfirmed = confirming.judge_unconfirmed(transaction, waiting)
            said_again = [sightings.Repeat(*row) for row in repeats]
            counts = count_independent(transaction, [(seq,) for seq in seqs], said_again)
        rediscovered = dict(zip(by_seq, counts, strict=True))
        return [
            build_result(
                hit,
                contents[seq],
                linked,
                now,
                unconfirmed_until=unconfirmed.get(seq),
                rediscovered=rediscovered[seq],
            )
            for seq, hit in by_seq.items()
            if seq in contents
        ]


def _judge(result: RankedResult, fate: Fate, by: int | None = None) -> Judged:
    return Judged(result.id, fate, result.cosine, result.rank_score, by)


def _put_below(
    companions: Iterable[RankedResult], results: Sequence[RankedResult]
) -> list[RankedResult]:
    """Return companions as low as the last of the results."""
    lowest = min((result.rank_score for result in results), default=0.0)
    return [companion.with_part("companion", lowest) for companion in companions]


def _find_dropped(
    results: Sequence[RankedResult],
    ordered: Sequence[RankedThought],
    standings: Standings,
    scope: TimeScope,
) -> tuple[Judged, ...]:
    """Return what of the results is not among those in the order of what is true, and why."""
    left = {hit.summary.seq for hit in ordered}
    dropped = [result for result in results if result.id not in left]
    judged: list[Judged] = []
    for result in dropped:
        standing = standings.find(result.id)
        newer = [link.newer for link in standing.replaced_by if link.is_stated]
        if scope.is_narrow and not (standing.is_retracted or newer):
            judged.append(_judge(result, Fate.OUT_OF_SCOPE))
        elif standing.is_retracted:
            judged.append(_judge(result, Fate.RETRACTED))
        else:
            by = next((seq for seq in newer if seq in left), newer[0] if newer else None)
            judged.append(_judge(result, Fate.REPLACED, by))
    return tuple(judged)
