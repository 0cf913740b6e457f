"""Sparse keyword vectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.words import weigh_document_terms
from wellworn.engines.retrieval.text import (
    hash_word,
    hash_words,
    split_words,
    weigh_query_terms,
)
from wellworn.engines.retrieval.weights import SATURATION

SHAPES = st.sampled_from(["note", "section", "code", "turn", "message", "long_message"])


def weight(text: str, word: str, shape: str = "note") -> float:
    (term,) = weigh_query_terms(word)
    return weigh_document_terms(text, shape).get(term, 0.0)


def test_term_numbers_never_change():
    assert weigh_query_terms("pheromone highway") == {3240486188: 1.0, 3687783028: 1.0}


def test_a_question_counts_a_word_once():
    assert weigh_query_terms("logs logs logs") == weigh_query_terms("log")


def test_a_repeated_word_weighs_more_but_levels_off():
    once, twice, often = (
        weight("cache " * times + "disk " * (40 - times), "cache") for times in (1, 2, 20)
    )
    assert once < twice < often
    assert twice - once > (often - twice) / 18


def test_the_same_word_weighs_less_in_a_longer_text():
    assert weight("cache disk", "cache") > weight("cache" + " disk" * 200, "cache")


def test_length_is_charged_less_to_turns_than_to_sections_and_most_to_long_messages():
    short, long = "cache disk", "cache" + " disk" * 200
    lost = {
        shape: weight(long, "cache", shape) / weight(short, "cache", shape)
        for shape in ("turn", "section", "long_message")
    }
    assert lost["turn"] > lost["section"] > lost["long_message"]


def test_text_without_words_has_no_terms():
    assert weigh_document_terms("?!", "turn") == {}
    assert weigh_query_terms("") == {}


@given(st.text(), SHAPES)
def test_terms_fit_the_index(text: str, shape: str):
    terms = weigh_document_terms(text, shape)
    assert all(0 <= term < 2**32 for term in terms)
    assert all(0 < value < 1 + SATURATION[shape].k1 for value in terms.values())


@given(st.text(min_size=1))
def test_a_text_shares_all_its_terms_with_itself_as_a_question(text: str):
    terms, asked = weigh_document_terms(text, "note").keys(), weigh_query_terms(text).keys()
    assert terms - weigh_query_terms(" ".join(text)).keys() <= asked <= terms


@pytest.mark.parametrize("word", ["ERR_CONN_4711", "Caroline", "東京", "東"])
def test_what_is_asked_is_found_in_what_was_said(word: str):
    assert (
        weigh_document_terms(f"once there was {word}, they say", "turn").keys()
        >= weigh_query_terms(word).keys()
    )


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Die Sicherungen laufen auf dem alten Server.", "Wo läuft die Sicherung?"),
        ("Las copias se guardan en los servidores nuevos.", "¿Qué se guarda en el servidor nuevo?"),
        ("Les canaux du port sont ouverts en hiver.", "Quel est le canal du port ?"),
        ("De sleutels liggen bij de buren.", "Waar ligt de sleutel van de buur?"),
        (
            "I backup vengono eseguiti nei giorni feriali.",
            "Quando viene eseguito il giorno feriale?",
        ),
    ],
)
def test_a_text_is_found_by_other_forms_of_its_words_in_its_own_language(said: str, asked: str):
    shared = weigh_document_terms(said, "note").keys() & weigh_query_terms(asked).keys()
    assert len(shared) > len(set(split_words(said)) & set(split_words(asked)))


@pytest.mark.parametrize(
    "text", ["The die was cast in Rome.", "deploy to prod", "ERR_CONN_4711", "10.0.0.7", ""]
)
def test_english_and_bare_names_have_no_stems_of_other_languages(text: str):
    assert hash_words(text) == [hash_word(word) for word in split_words(text)]


@given(st.text())
def test_stems_of_a_language_are_added_to_what_every_text_is_found_by(text: str):
    usual = [hash_word(word) for word in split_words(text)]
    assert hash_words(text)[: len(usual)] == usual
