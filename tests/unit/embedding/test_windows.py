"""Where long texts are cut."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.embedding import (
    PIECE_DIMENSIONS,
    Encoded,
    Span,
    Word,
    cut_windows,
    join_windows,
    select_windows,
)


def words_of(text: str, pieces: int = 1) -> list[Word]:
    return [Word(*match.span(), pieces) for match in re.finditer(r"\w+|[^\w\s]", text)]


def cut(text: str, *, limit: int, overlap: int = 0) -> list[str]:
    spans = cut_windows(text, words_of(text), limit=limit, overlap=overlap)
    return [text[start:end] for start, end in spans]


def test_a_text_without_words_is_one_window():
    assert cut_windows("", [], limit=4, overlap=1) == [Span(0, 0)]
    assert cut_windows(" \n ", [], limit=4, overlap=1) == [Span(0, 3)]


def test_a_text_that_just_fits_is_not_cut():
    assert cut("one two three four", limit=4) == ["one two three four"]
    assert cut("one two three four five", limit=4) == ["one two three four ", "five"]


def test_neighbouring_windows_share_the_overlap():
    assert cut("a b c d e f", limit=4, overlap=2) == ["a b c d ", "c d e f"]


def test_a_window_ends_after_a_sentence_in_its_last_quarter():
    assert cut("a b c d e f. g h i j", limit=8)[0] == "a b c d e f. "


def test_a_full_width_stop_and_a_line_break_end_a_sentence():
    assert cut("a b c d e f。g h i j", limit=8)[0] == "a b c d e f。"
    assert cut("a b c d e f\ng h i j", limit=8)[0] == "a b c d e f\n"


def test_a_sentence_end_early_in_the_window_does_not_shorten_it():
    assert cut("a. b c d e f g h i j", limit=8)[0] == "a. b c d e f g "


def test_a_window_ends_at_white_space_rather_than_between_letter_and_mark():
    assert cut("a b c d e f g h i j-k-l-m", limit=12)[0] == "a b c d e f g h i "


def test_the_overlap_begins_after_white_space_where_it_can():
    text = "a b c d-e f g h"
    assert cut(text, limit=7, overlap=3)[1].startswith("f")


def test_a_number_with_a_point_is_not_taken_for_a_sentence_end():
    assert cut("a b c d e 3.14 f g h", limit=8)[0] == "a b c d e 3.14 "


@st.composite
def texts_with_costs(draw: st.DrawFn) -> tuple[str, list[Word]]:
    text = draw(st.text(alphabet="ab.。- \n", max_size=300))
    words = words_of(text)
    costs = draw(st.lists(st.integers(1, 9), min_size=len(words), max_size=len(words)))
    return text, [Word(word.start, word.end, cost) for word, cost in zip(words, costs, strict=True)]


@given(case=texts_with_costs(), limit=st.integers(10, 40), overlap=st.integers(0, 10))
def test_windows_fit_and_cover_and_move_on(case: tuple[str, list[Word]], limit: int, overlap: int):
    text, words = case
    spans = cut_windows(text, words, limit=limit, overlap=overlap)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for before, after in pairwise(spans):
        assert before.start < after.start <= before.end < after.end
        assert sum(w.pieces for w in words if after.start <= w.start < before.end) <= overlap
    for start, end in spans:
        assert sum(word.pieces for word in words if start <= word.start < end) <= limit


def test_the_overlap_gives_way_to_a_word_that_would_not_fit_beside_it():
    words = [Word(0, 1, 3), Word(2, 3, 3), Word(4, 5, 8)]
    assert cut_windows("a b c", words, limit=8, overlap=4) == [Span(0, 4), Span(4, 5)]


def test_a_word_beyond_the_limit_gets_a_window_of_its_own():
    text = "aa bb cc"
    words = [Word(0, 2, 9), Word(3, 5, 9), Word(6, 8, 1)]
    assert cut_windows(text, words, limit=4, overlap=2) == [Span(0, 3), Span(3, 6), Span(6, 8)]


# ---------------------------------------------------------------- joined


def encoded(text: str, window: Span, *, kept: int = 1_000) -> Encoded:
    """Encode a window so that each piece tells which window and which word of it it is from."""
    words = words_of(text[window.start : window.end])[:kept]
    pieces = np.zeros((len(words), PIECE_DIMENSIONS), np.float32)
    pieces[:, 0] = window.start
    pieces[:, 1] = [word.start for word in words]
    vector = np.zeros(4, np.float32)
    vector[window.start % 4] = 1
    return Encoded(vector, pieces, tuple(Span(word.start, word.end) for word in words))


@given(case=texts_with_costs(), limit=st.integers(10, 40), overlap=st.integers(0, 10))
def test_joined_windows_have_every_piece_of_the_text_once_and_in_its_place(
    case: tuple[str, list[Word]], limit: int, overlap: int
):
    text, words = case
    windows = cut_windows(text, words, limit=limit, overlap=overlap)
    one = join_windows([encoded(text, window) for window in windows], windows)
    assert [*one.spans] == [(word.start, word.end) for word in words]
    assert one.pieces.shape == (len(words), PIECE_DIMENSIONS)
    for span, piece in zip(one.spans, one.pieces, strict=True):
        assert span.start == piece[0] + piece[1]


def test_a_piece_that_two_windows_have_is_the_first_ones():
    text, windows = "a b c d", [Span(0, 6), Span(4, 7)]
    one = join_windows([encoded(text, window) for window in windows], windows)
    assert one.pieces[:, 0].tolist() == [0, 0, 0, 4]


def test_pieces_of_one_character_all_stay():
    part = Encoded(
        np.ones(1, np.float32), np.eye(3, PIECE_DIMENSIONS, dtype=np.float32), (Span(0, 1),) * 3
    )
    one = join_windows([part, part], [Span(0, 1), Span(1, 2)])
    assert one.spans == (*[Span(0, 1)] * 3, *[Span(1, 2)] * 3)
    assert one.pieces.shape == (6, PIECE_DIMENSIONS)


def test_windows_without_pieces_have_none_together():
    nothing = Encoded.of(np.array([0.6, 0.8]))
    one = join_windows([nothing, nothing], [Span(0, 2), Span(1, 3)])
    assert one.pieces.shape == (0, PIECE_DIMENSIONS)
    assert one.pieces.dtype == np.float32
    assert one.spans == ()


def test_the_joined_vector_is_the_normalised_mean():
    parts = [Encoded.of(np.array(row)) for row in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]
    one = join_windows(parts, [Span(0, 2), Span(1, 3)])
    assert one.vector.dtype == np.float32
    assert one.vector.tolist() == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])


@pytest.mark.parametrize(
    ("asking", "selected"),
    [
        ([], [0, 4, 8, 12, 16, 20]),
        ([7], [0, 4, 7, 8, 12, 20]),
        ([3, 9, 11], [0, 3, 4, 9, 11, 20]),
        (range(21), [0, 16, 17, 18, 19, 20]),
    ],
)
def test_of_many_windows_the_ends_those_that_ask_and_some_between_are_selected(asking, selected):
    text = "".join("Why? " if number in asking else "Hmm. " for number in range(21))
    windows = [Span(number * 5, number * 5 + 5) for number in range(21)]
    assert [windows.index(window) for window in select_windows(text, windows)] == selected
    assert select_windows(text, windows[:6]) == windows[:6]
