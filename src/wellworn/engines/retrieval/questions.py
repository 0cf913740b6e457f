"""Prepare a question for ranking: its rare words, its pieces, the days and the name it asks for.

All of it is read from the question alone, but for how rare its words are in the space.
"""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.engines.retrieval.matching import Pieces, Spans, select_pieces, weigh_pieces
from wellworn.engines.retrieval.ranking import Question
from wellworn.engines.retrieval.text.moments import asks_when, find_days
from wellworn.engines.retrieval.text.names import find_asked_name, score_full_name
from wellworn.engines.retrieval.text.terms import weigh_query_terms


def build_question(
    text: str, pieces: Pieces, spans: Spans, rarity: Mapping[int, float]
) -> Question:
    """Build the question that units are ranked for.

    Args:
        text: the words.
        pieces: `(n, 128)` vectors of its word pieces.
        spans: the characters of each.
        rarity: the idf, in the space, of `weigh_query_terms` and `weigh_query_names`.
    """
    selected, weights = select_pieces(pieces, weigh_pieces(text, spans, rarity))
    return Question(
        text,
        rarity={term: rarity[term] for term in weigh_query_terms(text)},
        pieces=selected,
        weights=weights,
        days=find_days(text),
        asks_when=asks_when(text),
        is_look_up=bool(find_asked_name(text)),
        full_name=score_full_name(text, rarity),
    )
