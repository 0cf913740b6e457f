"""One search as it is asked of the vector index: candidates, and the scores of certain thoughts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from wellworn.domain.thoughts.models import RetrievalMethod, SearchQuery
from wellworn.engines.retrieval import Question, build_question, merge_passages
from wellworn.engines.retrieval.text import is_called, weigh_query_names, weigh_query_terms
from wellworn.engines.storage.vectors import VectorIndex, Where, point_id, unit_of
from wellworn.kit.matches import Matches


class IndexQuery:
    """One search of one index."""

    def __init__(self, index: VectorIndex, search: SearchQuery, where: Where) -> None:
        self._index = index
        self._search = search
        self._where = where
        is_hybrid = search.method is RetrievalMethod.HYBRID
        self.terms = weigh_query_terms(search.text) if is_hybrid else {}
        self.names = weigh_query_names(search.text) if is_hybrid else {}

    def find_candidates(self, where: Where, limit: int) -> Matches:
        return self._index.candidates(
            self._search.vector, self.terms, where, limit=limit, names=self.names
        )

    def find_matches(self, units: Sequence[int]) -> Matches:
        """Return the scores of units of one passage that the filter lets through."""
        if not units:
            return Matches.of(())
        where = replace(self._where, among=frozenset(point_id(unit, 0) for unit in units))
        return merge_passages(self.find_candidates(where, len(units)), unit_of)

    def select_near(self, matches: Matches) -> Matches:
        """Return those that are near enough to be results."""
        if self._search.min_score is not None:
            return matches.select(matches.cosines >= self._search.min_score)
        # The specified search has a least score of 0; exact words and names match regardless.
        is_near = (matches.cosines >= 0.0) | (matches.keywords > 0.0)
        if matches.names.any() and not is_near.all():
            is_near |= is_called(matches.names, self.question.full_name)
        return matches.select(is_near)

    @cached_property
    def question(self) -> Question:
        search = self._search
        rarity = self._index.rarity({*self.terms, *self.names}, self._where.space)
        return build_question(search.text, search.pieces, search.spans, rarity)
