"""Rank search results: fuse scores, weigh reasons and apply confirmed use. Pure: no clock, no I/O.

The parts of a score sum to it, so every result explains its place. Beside ranking, `text` reads
words and names, `topics` clusters units, `co_use` predicts what is needed next, `learning` fits the
weights to feedback, `interleaving` tries them, `trajectories` follows sessions, and `gatherings`
finds where several met.
"""

from __future__ import annotations

from wellworn.engines.retrieval.evidence import (
    find_exact_evidence,
    find_units_holding,
    list_asked_words,
)
from wellworn.engines.retrieval.fusion import (
    RankedResult,
    merge_passages,
    rank_by_cosine,
    select_candidates,
)
from wellworn.engines.retrieval.interleaving import Team
from wellworn.engines.retrieval.matching import pack_pieces
from wellworn.engines.retrieval.questions import build_question
from wellworn.engines.retrieval.ranking import Question, Unit, rank
from wellworn.engines.retrieval.surroundings import pack_word_counts
from wellworn.engines.retrieval.usefulness import UseEvidence, apply_usefulness, discount_exposure
from wellworn.engines.retrieval.weights import MATCHED_SHAPES, POLICY_VERSION, Shape, Weights
