"""A question made ready for ranking: its rare words, its pieces, the days and the name it asks for.

All of it is read from the question alone, but for how rare its words are in the space.
"""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.engines.retrieval.matching import Pieces, Spans, heaviest, piece_weights
from wellworn.engines.retrieval.moments import asks_when, named_days
from wellworn.engines.retrieval.names import asked_name, full_name_score
from wellworn.engines.retrieval.ranking import Question
from wellworn.engines.retrieval.terms import query_terms


def question(text: str, pieces: Pieces, spans: Spans, rarity: Mapping[int, float]) -> Question:
    """Return what is asked.

    Args:
        text: the words.
        pieces: `(n, 128)` vectors of its word pieces.
        spans: the characters of each.
        rarity: the idf, in the space, of `query_terms` and `query_name_terms` of the text.
    """
    kept, weights = heaviest(pieces, piece_weights(text, spans, rarity))
    return Question(
        text,
        rarity={term: rarity[term] for term in query_terms(text)},
        pieces=kept,
        weights=weights,
        days=named_days(text),
        asks_when=asks_when(text),
        is_look_up=bool(asked_name(text)),
        full_name=full_name_score(text, rarity),
    )
