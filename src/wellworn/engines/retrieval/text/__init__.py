"""What ranking reads from text: words, names, dates and the shape of a unit."""

from __future__ import annotations

from wellworn.engines.retrieval.text.moments import count_time_words
from wellworn.engines.retrieval.text.names import (
    Names,
    extract_names,
    is_called,
    is_same_name,
    weigh_name_terms,
    weigh_query_names,
)
from wellworn.engines.retrieval.text.shapes import detect_shape
from wellworn.engines.retrieval.text.terms import weigh_document_terms, weigh_query_terms
from wellworn.engines.retrieval.text.views import split_indexed_text
from wellworn.engines.retrieval.text.vocabulary import STOP_WORDS

__all__ = [
    "STOP_WORDS",
    "Names",
    "count_time_words",
    "detect_shape",
    "extract_names",
    "is_called",
    "is_same_name",
    "split_indexed_text",
    "weigh_document_terms",
    "weigh_name_terms",
    "weigh_query_names",
    "weigh_query_terms",
]
