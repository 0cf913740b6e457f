"""What is indexed of a chunk: its vector of what it says, its words and names of all it has."""

from __future__ import annotations

import numpy as np

from wellworn.retrieval import query_terms
from wellworn.sources.index import prepared
from wellworn.testing.embedder import HashEmbedder

SAID = "Restart the exporter as the runbook tells."
LINKED = "Restart the [exporter](https://git.example/infra/exporter) as the runbook tells."


def made(text):
    return prepared(HashEmbedder(), [text])[0]


def test_where_a_link_leads_changes_neither_the_vector_nor_the_pieces_of_a_chunk():
    assert np.array_equal(made(LINKED).vector, made(SAID).vector)
    assert made(LINKED).codes == made(SAID).codes


def test_a_chunk_is_found_by_the_words_of_the_address_that_it_links_to():
    asked = set(query_terms("git.example"))
    assert asked <= set(made(LINKED).terms)
    assert not asked <= set(made(SAID).terms)
