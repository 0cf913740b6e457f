"""Word pieces, counted word by word, are as many as the tokenizer makes of the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.embedding import EmbeddingSettings, MiniLM, windows
from wellworn.engines.embedding.windows import PieceCounter

ENGINE = MiniLM(EmbeddingSettings())
BORDERS = " \t\n\r\v\f\0\x1c\x85\xa0\u200b\u2028\u3000\ufffd\ud800\u0301\u0130.,_-#'\u2019\u4e2d"
texts = st.text(st.one_of(st.sampled_from(BORDERS), st.characters()))
words = st.lists(st.one_of(texts, st.sampled_from(["[SEP]", "##ing", "Running", "a" * 120]))).map(
    "".join
)


def read_whole(counted: list[str]) -> list[int]:
    engine = ENGINE._load()
    return [sum(word.pieces for word in engine.words(text)) for text in counted]


@given(st.lists(words, max_size=4))
@pytest.mark.slow
def test_pieces_are_counted_as_the_tokenizer_makes_them(counted):
    assert ENGINE.lengths(counted) == read_whole(counted)


@pytest.mark.slow
def test_every_character_counts_as_it_does_in_a_whole_text():
    characters = [chr(code) for code in range(0x3000)]
    counted = [f"a{each}b {each} A{each}" for each in characters]
    assert ENGINE.lengths(counted) == read_whole(counted)


def test_a_word_is_read_once():
    read: list[str] = []

    def count(unknown: list[str]) -> list[int]:
        read.extend(unknown)
        return [len(word) for word in unknown]

    counter = PieceCounter(count)
    assert counter.lengths(["Read me,", "read you"]) == [7, 7]
    assert counter.lengths(["me, me"]) == [5]
    assert sorted(read) == [",", "me", "read", "you"]


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(windows, "_MOST_WORDS", 3)
    counter = PieceCounter(lambda unknown: [len(word) for word in unknown])
    for start in range(0, 50, 5):
        new = " ".join(f"w{number}" for number in range(start, start + 5))
        assert counter.lengths([new, "w0 " + "x" * 99]) == [len(new.replace(" ", "")), 101]
        assert len(counter._known) <= 3 + 6
