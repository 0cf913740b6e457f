"""Reads text for ranking: words, names, dates and the shape of a unit."""

from __future__ import annotations

from wellworn.engines.retrieval.text.languages import (
    detect_language,
    is_function_word,
    list_function_words,
    speaks_of_self,
)
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
from wellworn.engines.retrieval.text.terms import (
    hash_spellings,
    hash_word,
    hash_words,
    weigh_document_terms,
    weigh_query_terms,
)
from wellworn.engines.retrieval.text.views import split_indexed_text
from wellworn.engines.retrieval.text.vocabulary import (
    STOP_WORDS,
    is_unspaced,
    list_compounds,
    load_stemmer,
    split_words,
)
