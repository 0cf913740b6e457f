"""A question made ready for ranking."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval import Question, build_question
from wellworn.engines.retrieval.text import weigh_query_names, weigh_query_terms
from wellworn.engines.retrieval.text.moments import NamedDay

ODD = {
    "nothing": "",
    "one character": "x",
    "one sign": "?",
    "only stop words": "what was it that you did",
    "emoji": "🦉🦉",
    "CJK": "東京都の天気",
    "code": "for (int i = 0; i < n; i++) { a[i] = f(i); }",
    "regex characters": r"(a|b)*[^c]+$ \d{3,}",
    "controls": "a\x01b\x02",
    "a day that does not exist": "What happened on 30 February?",
    "10,000 characters": "where does lichen grow on the wall " * 286,
    "10,000 letters": "a" * 10_000,
    "10,000 signs": "?!" * 5_000,
}


def asked(text: str, idf: float = 4.0, **known: float) -> Question:
    spans = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    pieces = np.full((len(spans), 128), 128**-0.5, np.float32)
    rarity = dict.fromkeys(weigh_query_terms(text) | weigh_query_names(text), idf)
    rarity |= {term: value for word, value in known.items() for term in weigh_query_terms(word)}
    return build_question(text, pieces, spans, rarity)


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_odd_question_is_still_one(text: str):
    found = asked(text)
    assert found.text == text
    assert len(found.pieces) == len(found.weights) <= 48
    assert float(found.weights.sum()) == pytest.approx(1.0 if len(found.weights) else 0.0, abs=1e-5)
    assert found.rarity.keys() == weigh_query_terms(text).keys()
    assert found.days == []


@given(st.text(max_size=100))
def test_any_text_can_be_asked(text: str):
    found = asked(text)
    assert len(found.pieces) == len(found.weights)
    assert np.isfinite(found.weights).all()
    assert (found.full_name > 0) == bool(weigh_query_names(text))


def test_a_question_of_stop_words_alone_weighs_them_alike_and_has_no_rare_words():
    found = asked("what was it that you did")
    assert found.rarity == {}
    assert found.weights.tolist() == pytest.approx([1 / 6] * 6)
    assert (found.is_look_up, found.full_name) == (False, 0.0)


def test_rarity_is_of_words_alone_and_that_of_names_stays_out():
    text = "ERR_CONN_4711"
    assert weigh_query_names(text)
    assert asked(text).rarity == dict.fromkeys(weigh_query_terms(text), 4.0)


def test_a_rare_word_weighs_more_than_a_common_one():
    found = asked("lichen wall", lichen=6.0, wall=2.0)
    assert found.weights.tolist() == pytest.approx([0.75, 0.25])


def test_a_long_question_keeps_its_rare_words():
    text = "the wall " * 100 + "lichen"
    found = asked(text, lichen=6.0, wall=2.0)
    assert len(found.weights) == 48
    assert found.weights[-1] == max(found.weights)


def test_days_and_asking_for_one_are_read():
    found = asked("When did she move, on 8 May 2023?")
    assert found.asks_when
    assert found.days == [NamedDay(2023, 5, 8)]


@pytest.mark.parametrize("text", ["vector index", "What is the vector index?", "explain Setup"])
def test_a_name_alone_is_looked_up(text: str):
    found = asked(text)
    assert found.is_look_up
    assert found.full_name > 0


def test_a_sentence_is_no_look_up_and_its_identifiers_are_mentioned():
    text = "we saw in the log of the second server that ERR_CONN_4711 came again and again at night"
    found = asked(text)
    assert not found.is_look_up
    assert found.full_name > 0
    assert asked(text.replace("ERR_CONN_4711", "it")).full_name == 0.0


def test_without_pieces_token_level_matching_is_off():
    found = build_question("lichen", np.empty((0, 128), np.float32), [], dict.fromkeys(
        weigh_query_terms("lichen") | weigh_query_names("lichen"), 1.0))  # fmt: skip
    assert found.pieces.shape == (0, 128)
    assert found.weights.shape == (0,)
