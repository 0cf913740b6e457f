"""What counts as exact evidence, by the words of a question and of units alone."""

from __future__ import annotations

import pytest

from wellworn.engines.retrieval import find_exact_evidence, list_asked_words, pack_word_counts
from wellworn.engines.retrieval.text import hash_words

COMMON, RARE, UNKNOWN = 0.5, 3.0, 3.5


def find(words: list[str], *texts: str, common: str = "") -> list[bool]:
    known = {term for text in texts for term in hash_words(text)}
    asked = list_asked_words(words)
    rarity = {term: RARE if term in known else UNKNOWN for word in asked for term in word.terms}
    rarity |= {term: COMMON for term in hash_words(common) if term in rarity}
    counts = [pack_word_counts(hash_words(text)) for text in texts]
    return find_exact_evidence(asked, counts, rarity).tolist()


def test_all_words_are_evidence():
    assert find(["ram", "stuck"], "the ram is stuck", "the door is open") == [True, False]


def test_common_words_alone_are_none():
    assert find(["door", "ram"], "the door is open", "a ram", common="door") == [False, True]


def test_one_word_of_several_is_none():
    assert find(["chess", "tournament", "Lisbon"], "a chess board") == [False]


@pytest.mark.parametrize("identifier", ["E-204", "55D1", "srv-01.example.com", "v2.1", "TN-247"])
def test_an_identifier_is_evidence_whatever_else_is_asked(identifier: str):
    words = ["alarm", identifier, "packing", "line", "three"]
    assert find(words, f"{identifier}: Folie leer", "alarm") == [True, False]


def test_parts_of_an_identifier_are_none():
    assert find(["alarm", "line", "E-204"], "204 boxes for E") == [False]


def test_nothing_asked_or_known_is_no_evidence():
    assert find([], "a note") == [False]
    assert find(["ram"]) == []
