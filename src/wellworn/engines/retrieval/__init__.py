"""Pure ranking: words, fusion of scores, use in the order. No clock, no chance, no I/O.

Everything that decides an order of results is here, so that one place can be measured and one
place can explain a result: the parts of a score always sum to it.
"""

from __future__ import annotations

from wellworn.engines.retrieval.asking import question
from wellworn.engines.retrieval.co_use import CoUse, Session, Step, co_uses, strengths
from wellworn.engines.retrieval.fusion import (
    Match,
    Ranked,
    best_passages,
    by_cosine,
    foremost,
    fused,
)
from wellworn.engines.retrieval.gate import SEEDS, SHUT, Verdict, judged
from wellworn.engines.retrieval.learning import (
    NOTHING_LEARNED,
    REASONS,
    SHIPPED,
    Labelled,
    Lesson,
    Policy,
    is_control,
    learned,
    policy_of,
)
from wellworn.engines.retrieval.matching import packed
from wellworn.engines.retrieval.moments import times_told
from wellworn.engines.retrieval.names import (
    Names,
    is_called,
    is_same_name,
    name_terms,
    names_of,
    query_name_terms,
)
from wellworn.engines.retrieval.ranking import Question, Unit, ranked
from wellworn.engines.retrieval.shapes import shape_of
from wellworn.engines.retrieval.surroundings import counted
from wellworn.engines.retrieval.telling import telling_words
from wellworn.engines.retrieval.terms import document_terms, query_terms
from wellworn.engines.retrieval.topics import Branch, Lens, middles, topics_of
from wellworn.engines.retrieval.usefulness import Evidence, exposure_discount, with_usefulness
from wellworn.engines.retrieval.views import indexed_text
from wellworn.engines.retrieval.vocabulary import STOP_WORDS
from wellworn.engines.retrieval.weights import (
    MATCHED_SHAPES,
    MOST_STEPS,
    POLICY_VERSION,
    Shape,
    Weights,
)

__all__ = [
    "MATCHED_SHAPES",
    "MOST_STEPS",
    "NOTHING_LEARNED",
    "POLICY_VERSION",
    "REASONS",
    "SEEDS",
    "SHIPPED",
    "SHUT",
    "STOP_WORDS",
    "Branch",
    "CoUse",
    "Evidence",
    "Labelled",
    "Lens",
    "Lesson",
    "Match",
    "Names",
    "Policy",
    "Question",
    "Ranked",
    "Session",
    "Shape",
    "Step",
    "Unit",
    "Verdict",
    "Weights",
    "best_passages",
    "by_cosine",
    "co_uses",
    "counted",
    "document_terms",
    "exposure_discount",
    "foremost",
    "fused",
    "indexed_text",
    "is_called",
    "is_control",
    "is_same_name",
    "judged",
    "learned",
    "middles",
    "name_terms",
    "names_of",
    "packed",
    "policy_of",
    "query_name_terms",
    "query_terms",
    "question",
    "ranked",
    "shape_of",
    "strengths",
    "telling_words",
    "times_told",
    "topics_of",
    "with_usefulness",
]
