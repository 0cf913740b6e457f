"""The words that name a group of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.text.terms import hash_words
from wellworn.engines.retrieval.topics import extract_keywords


def rarity(common=()):
    """Return an idf of 0.01 for some words and of 5 for all others."""
    often = {number for word in common for number in hash_words(word)}
    return lambda terms: {term: 0.01 if term in often else 5.0 for term in terms}


def test_words_that_many_of_the_texts_have_and_the_space_seldom_come_first():
    texts = ["The lamp burns whale oil", "Whale oil is dear", "A lamp wants oil", "Oil again"]
    assert extract_keywords(texts, rarity()) == ("oil", "lamp", "Whale")
    assert extract_keywords(texts, rarity(["oil"]))[0] != "oil"


def test_a_word_is_written_as_it_is_written_most_often():
    texts = ["Kubernetes upgrade", "kubernetes", "Kubernetes upgraded", "upgrades"]
    assert extract_keywords(texts, rarity()) == ("Kubernetes", "upgrade")


def test_a_word_of_one_text_names_a_group_only_where_no_word_is_of_two():
    assert extract_keywords(["oil lamp", "oil rope"], rarity()) == ("oil",)
    assert set(extract_keywords(["salt", "rope"], rarity())) == {"salt", "rope"}


@pytest.mark.parametrize("text", ["", "the of and", "12 345", "...", "docs/guide/install.md", "x"])
def test_what_names_nothing_is_no_name(text):
    assert extract_keywords([text, text], rarity()) == ()


def test_a_word_is_not_said_twice_as_a_part_of_another():
    assert extract_keywords(["batch_size batch", "batch_size batch"], rarity()) in {
        ("batch",),
        ("batch_size",),
    }


@given(st.lists(st.text(max_size=40), max_size=8), st.randoms(use_true_random=False))
def test_at_most_three_words_in_whatever_order_the_texts_come(texts, random):
    found = extract_keywords(texts, rarity())
    assert len(found) <= 3
    assert found == extract_keywords(random.sample(texts, len(texts)), rarity())
