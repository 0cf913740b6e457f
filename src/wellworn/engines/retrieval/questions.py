"""Prepare a question for ranking: its rare words, its pieces, the days and the name it asks for.

All of it is read from the question alone, but for how rare its words are in the space.
"""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.engines.retrieval.matching import Pieces, Spans, select_pieces, weigh_pieces
from wellworn.engines.retrieval.ranking import Question
from wellworn.engines.retrieval.text.moments import asks_when, find_days
from wellworn.engines.retrieval.text.names import find_asked_name, score_full_name
from wellworn.engines.retrieval.text.terms import hash_spellings, hash_words
from wellworn.engines.retrieval.text.vocabulary import list_compounds


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
        rarity=_list_rarity(text, rarity),
        pieces=selected,
        weights=weights,
        days=find_days(text),
        asks_when=asks_when(text),
        is_look_up=bool(find_asked_name(text)),
        full_name=score_full_name(text, rarity),
    )


def _list_rarity(text: str, rarity: Mapping[int, float]) -> dict[int, float]:
    """Return how rare the words asked for are; each in the spelling that is the most frequent."""
    asked = {term: rarity[term] for term in hash_words(text)}
    for compound in () if text.isascii() else list_compounds(text):
        if spellings := [rarity[term] for term in hash_spellings(compound) if term in rarity]:
            known = asked.keys() & hash_words(compound)
            asked |= {term: min(asked[term], *spellings) for term in known}
    return asked
