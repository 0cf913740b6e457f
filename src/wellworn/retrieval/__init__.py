"""Pure ranking: words, fusion of scores, use in the order. No clock, no chance, no I/O.

Everything that decides an order of results is here, so that one place can be measured and one
place can explain a result: the parts of a score always sum to it.
"""

from __future__ import annotations

from wellworn.retrieval.fusion import Ranked, best_passages, by_cosine, fused
from wellworn.retrieval.terms import document_terms, query_terms
from wellworn.retrieval.usefulness import Evidence, exposure_discount, with_usefulness
from wellworn.retrieval.views import indexed_text

__all__ = [
    "Evidence",
    "Ranked",
    "best_passages",
    "by_cosine",
    "document_terms",
    "exposure_discount",
    "fused",
    "indexed_text",
    "query_terms",
    "with_usefulness",
]
