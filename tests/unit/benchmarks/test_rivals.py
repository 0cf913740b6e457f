"""The rivals: plain searches that are right by hand, and processes that speak in lines."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.rivals.endpoint import answer
from benchmarks.rivals.environments import MEM0, RivalNotInstalled, python_of
from benchmarks.rivals.plain import BM25, Cosine, RankFusion
from benchmarks.rivals.process import Rival, RivalFailed
from benchmarks.rivals.texts import told
from hypothesis import given
from hypothesis import strategies as st

from wellworn.testing.embedder import HashEmbedder

TOY = "tests.unit.benchmarks.toy_rival"


@dataclass(frozen=True)
class Unit:
    id: str
    text: str
    speaker: str = ""
    time: str = ""
    extra: str = ""


class Directions:
    """An embedder whose vectors are known: a text names its direction in degrees."""

    name = "directions"
    dimensions = 2

    def embed(self, texts):
        angles = np.radians([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


class Fixed:
    def __init__(self, *ids):
        self.ids = ids

    def index(self, docs):
        pass

    def search(self, query, k, *, asked_at=""):
        return list(self.ids[:k])


def units(*texts):
    return [Unit(str(number), text) for number, text in enumerate(texts)]


def test_a_turn_is_told_with_when_who_and_what_was_shown():
    turn = Unit("a", "Look!", speaker="Ann", time="8 May", extra="a dog")
    assert told(turn) == "[8 May] Ann: Look! [image: a dog]"
    assert told(Unit("a", "Look!", speaker="Ann")) == "Ann: Look!"


def test_a_section_stands_under_its_heading_once():
    assert told(Unit("a", "How to install it.", extra="Setup")) == "Setup\nHow to install it."
    assert told(Unit("a", "Setup\nHow to.", extra="Setup")) == "Setup\nHow to."
    assert told(Unit("a", "How to.")) == "How to."


def test_a_rare_word_weighs_more_than_a_common_one_said_twice():
    plain = BM25()
    plain.index(units("fish fish", "fish swim", "fish eat", "cats swim"))
    assert plain.search("cats or fish", 10) == ["3", "0", "1", "2"]
    assert plain.search("zebra", 10) == []


def test_a_short_text_goes_before_a_long_one_that_says_the_same_word():
    plain = BM25()
    plain.index(units("cats sleep in very long warm gardens", "sleepy cats"))
    assert plain.search("cat", 10) == ["1", "0"]
    assert plain.search("cat", 1) == ["1"]


def test_words_of_equal_texts_keep_their_order():
    plain = BM25()
    plain.index(units("cats", "dogs", "cats"))
    assert plain.search("cats", 10) == ["0", "2"]


def test_directions_are_ordered_by_their_angle():
    plain = Cosine(Directions())
    plain.index(units("90", "10", "40", "10"))
    assert plain.search("0", 10) == ["1", "3", "2", "0"]
    assert plain.search("80", 2) == ["0", "2"]


def test_fusion_prefers_what_both_find_to_what_one_finds_first():
    fusion = RankFusion([Fixed("x", "p", "both"), Fixed("y", "q", "both")])
    assert fusion.search("any", 10) == ["both", "x", "y", "p", "q"]
    assert fusion.search("any", 2) == ["both", "x"]


@given(st.lists(st.text("ab ", min_size=1), max_size=12), st.text("ab "), st.integers(1, 5))
def test_plain_searches_repeat_no_id_keep_to_k_and_come_out_the_same_twice(texts, query, k):
    def found():
        every = [BM25(), Cosine(HashEmbedder())]
        every.append(RankFusion([BM25(), Cosine(HashEmbedder())]))
        for each in every:
            each.index(units(*texts))
        return [each.search(query, k) for each in every]

    once = found()
    assert once == found()
    for ids in once:
        assert len(set(ids)) == len(ids) <= k


def test_the_endpoint_embeds_one_text_or_many():
    embedder = HashEmbedder()
    one = answer(embedder, {"input": "cats", "model": "any"})["data"]
    many = answer(embedder, {"input": ["dogs", "cats"]})["data"]
    assert [row["index"] for row in many] == [0, 1]
    assert one[0]["embedding"] == many[1]["embedding"] != many[0]["embedding"]
    assert answer(embedder, {"input": []})["data"] == []


@pytest.fixture
def toy():
    rival = Rival(TOY, python=sys.executable)
    yield rival
    rival.close()


def test_a_process_answers_with_the_ids_of_the_positions_it_finds(toy):
    toy.index(units("cats eat", "dogs eat", "cats sleep"))
    assert toy.version == "toy"
    assert toy.search("cats", 10) == ["0", "2"]
    assert toy.search("eat", 1) == ["0"]


def test_what_a_process_repeats_is_said_once_and_what_it_prints_is_no_answer(toy):
    toy.index(units("cats cats", "cats"))
    assert toy.search("cats", 10) == ["0", "1"]


def test_indexing_again_forgets_what_was_there(toy):
    toy.index(units("cats"))
    toy.index([Unit("other", "dogs")])
    assert toy.search("cats", 10) == []
    assert toy.search("dogs", 10) == ["other"]


def test_a_process_that_ends_is_named_with_what_it_printed(toy):
    toy.index(units("cats"))
    with pytest.raises(RivalFailed, match="the toy breaks on purpose"):
        toy.search("break", 10)


def test_a_process_sees_none_of_the_users_settings(toy, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret")
    toy.index(units("SOME_API_KEY", "RIVAL_FOLDER"))
    assert toy.search("environment", 10) == ["1"]


def test_a_rival_without_an_environment_says_which_variable_is_missing(monkeypatch):
    monkeypatch.delenv("RIVAL_MEM0_PYTHON", raising=False)
    with pytest.raises(RivalNotInstalled, match="RIVAL_MEM0_PYTHON"):
        python_of(MEM0)
    monkeypatch.setenv("RIVAL_MEM0_PYTHON", "python")
    assert python_of(MEM0) == "python"
