"""Pieces of a question against pieces of a text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval import pack_pieces
from wellworn.engines.retrieval.matching import match_pieces, select_pieces, weigh_pieces
from wellworn.engines.retrieval.text import weigh_query_terms

SEEDS = st.integers(0, 2**32 - 1)
ODD_TEXTS = {
    "empty": "",
    "blanks": " \n\t ",
    "emoji": "🦉🦉 👩‍🚀",
    "CJK": "東京都の天気は？",
    "regex characters": r"(a|b)*[^c]+$ \d{3,} .*?",
    "controls": "a\x01b\x02 \x7f\u2028",
    "marks alone": "\u0301\u0302",
    "lone surrogate": "\ud83d broken",
    "10,000 characters": "lichen grows " * 770,
    "10,000 letters": "a" * 10_000,
}


def spans_of(text: str) -> list[tuple[int, int]]:
    """Cut a text as the tokenizer does: words, and every sign alone."""
    return [match.span() for match in re.finditer(r"[^\W_]+|[^\w\s]|_", text)]


def vectors(count: int, seed: int = 7) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, 128)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def codes_of(pieces: np.ndarray) -> bytes:
    return pack_pieces("a" * len(pieces), pieces, [(at, at + 1) for at in range(len(pieces))])


def slow_matches(codes: list[bytes], pieces: np.ndarray) -> np.ndarray:
    """What `match_pieces` says it returns, one number after the other."""
    found = np.full((len(codes), len(pieces)), -1.0)
    for row, code in enumerate(codes):
        for column, piece in enumerate(pieces):
            for start in range(0, len(code), 16):
                bits = "".join(f"{byte:08b}" for byte in code[start : start + 16])
                signs = [1 if bit == "1" else -1 for bit in bits]
                cosine = sum(s * float(x) for s, x in zip(signs, piece, strict=True)) / 128**0.5
                found[row, column] = max(found[row, column], cosine)
    return found


def weight_of(word: str, text: str, rarity: dict[str, float]) -> float:
    """Return what a piece of `text` that is written `word` counts, given the idf of words."""
    spans = spans_of(text)
    known = dict.fromkeys(weigh_query_terms(text), 1.0)
    known |= {term: idf for said, idf in rarity.items() for term in weigh_query_terms(said)}
    weights = weigh_pieces(text, spans, known)
    (at,) = [at for at, (start, end) in enumerate(spans) if text[start:end] == word]
    return float(weights[at])


# ---------------------------------------------------------------- codes


@given(SEEDS, st.integers(0, 9))
def test_a_code_is_the_sign_of_each_number_in_sixteen_bytes_a_piece(seed: int, count: int):
    pieces = vectors(count, seed)
    code = codes_of(pieces)
    assert len(code) == 16 * count
    bits = "".join(f"{byte:08b}" for byte in code)
    assert bits == "".join("1" if number > 0 else "0" for number in pieces.flatten())


def test_signs_of_punctuation_have_no_code():
    text = "Well, lichen!"
    pieces = vectors(4)
    code = pack_pieces(text, pieces, spans_of(text))
    assert code == codes_of(pieces[[0, 2]])


@given(st.text())
def test_a_text_has_a_code_for_each_piece_that_has_a_letter_or_digit(text: str):
    spans = spans_of(text)
    code = pack_pieces(text, vectors(len(spans)), spans)
    telling = [text[start:end] for start, end in spans if any(map(str.isalnum, text[start:end]))]
    assert len(code) == 16 * len(telling)


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_an_odd_text_is_packed_weighed_and_matched(text: str):
    spans = spans_of(text)
    pieces = vectors(len(spans))
    code = pack_pieces(text, pieces, spans)
    kept, weights = select_pieces(
        pieces, weigh_pieces(text, spans, dict.fromkeys(weigh_query_terms(text), 2.0))
    )
    assert len(code) % 16 == 0
    assert len(kept) == len(weights) <= 48
    assert float(weights.sum()) == pytest.approx(1.0 if spans else 0.0, abs=1e-5)
    found = match_pieces([code, b""], kept)
    assert found.shape == (2, len(kept))
    assert np.isfinite(found).all()


# ---------------------------------------------------------------- matches


@given(SEEDS, st.lists(st.integers(0, 4), max_size=5), st.integers(0, 4))
def test_matches_are_those_of_a_slow_and_clear_reference(seed: int, sizes: list[int], asked: int):
    codes = [codes_of(vectors(size, seed + at)) for at, size in enumerate(sizes)]
    pieces = vectors(asked, seed ^ 1)
    np.testing.assert_allclose(
        match_pieces(codes, pieces), slow_matches(codes, pieces).reshape(len(codes), asked),
        atol=1e-5,
    )  # fmt: skip


@given(SEEDS, st.lists(st.integers(0, 4), min_size=1, max_size=8), st.randoms())
def test_what_a_text_matches_does_not_depend_on_the_others(seed: int, sizes: list[int], random):
    codes = [codes_of(vectors(size, seed + at)) for at, size in enumerate(sizes)]
    pieces = vectors(5, seed ^ 1)
    order = random.sample(range(len(codes)), len(codes))
    together = match_pieces(codes, pieces)
    np.testing.assert_array_equal(
        match_pieces([codes[at] for at in order], pieces)[:], together[order]
    )
    for at, code in enumerate(codes):
        np.testing.assert_array_equal(match_pieces([code], pieces)[0], together[at])


@given(SEEDS, st.integers(0, 4), st.integers(0, 4))
def test_more_words_never_match_less(seed: int, few: int, more: int):
    code, longer = codes_of(vectors(few, seed)), codes_of(vectors(more, seed + 1))
    found = match_pieces([code, code + longer], vectors(6, seed ^ 1))
    assert (found[1] >= found[0]).all()


def test_a_text_without_codes_matches_nothing():
    assert (match_pieces([b"", b""], vectors(3)) == -1).all()
    assert match_pieces([], vectors(3)).shape == (0, 3)
    assert match_pieces([codes_of(vectors(2))], vectors(0)).shape == (1, 0)


def test_a_piece_matches_itself_best():
    pieces = vectors(40)
    found = match_pieces([codes_of(pieces[[at]]) for at in range(40)], pieces)
    assert (found.argmax(axis=0) == np.arange(40)).all()
    assert (found.diagonal() > 0.7).all()


# ---------------------------------------------------------------- weights


@given(st.text(max_size=60), st.floats(0.1, 12))
def test_weights_sum_to_one_where_there_is_anything_to_weigh(text: str, idf: float):
    spans = spans_of(text)
    weights = weigh_pieces(text, spans, dict.fromkeys(weigh_query_terms(text), idf))
    assert weights.shape == (len(spans),)
    assert (weights > 0).all()
    assert float(weights.sum()) == pytest.approx(1.0 if spans else 0.0, abs=1e-5)


@given(st.floats(0.3, 12), st.floats(0.3, 12))
def test_the_rarer_of_two_words_counts_as_much_more_as_it_is_rarer(one: float, other: float):
    text, rarity = "lichen wall", {"lichen": one, "wall": other}
    ratio = weight_of("lichen", text, rarity) / weight_of("wall", text, rarity)
    assert ratio == pytest.approx(one / other, rel=1e-4)


def test_function_words_count_a_little_and_punctuation_hardly():
    text, rarity = "where is the lichen?", {"lichen": 5.0}
    rare, function, sign = (weight_of(word, text, rarity) for word in ("lichen", "the", "?"))
    assert rare > 10 * function > 10 * sign > 0


def test_forms_of_a_word_count_as_the_word():
    text, rarity = "Deploying walls", {"deploy": 6.0, "wall": 2.0}
    assert weight_of("Deploying", text, rarity) == pytest.approx(0.75)


def test_the_pieces_of_a_word_count_what_the_word_counts():
    text, spans = "unwearyingly old", [(0, 2), (2, 7), (7, 12), (13, 16)]
    rarity = {
        **dict.fromkeys(weigh_query_terms("unwearyingly"), 6.0),
        **dict.fromkeys(weigh_query_terms("old"), 2.0),
    }
    weights = weigh_pieces(text, spans, rarity)
    assert weights.tolist() == pytest.approx([0.3, 0.3, 0.3, 0.1])


def test_an_identifier_counts_as_the_words_it_is_made_of():
    text, rarity = "ERR_CONN old", {"ERR_CONN": 9.0, "err": 4.0, "conn": 7.0, "old": 2.0}
    assert weight_of("ERR", text, rarity) == pytest.approx(2 * weight_of("old", text, rarity))
    assert weight_of("CONN", text, rarity) == pytest.approx(3.5 * weight_of("old", text, rarity))


def test_pieces_that_stand_for_one_character_belong_to_one_word():
    """Hangul is read by letters, all of which stand for the one character of their syllable."""
    text = "한국어 old"
    spans = [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (2, 3), (2, 3), (4, 7)]
    rarity = {
        **dict.fromkeys(weigh_query_terms("한국어"), 6.0),
        **dict.fromkeys(weigh_query_terms("old"), 2.0),
    }
    weights = weigh_pieces(text, spans, rarity)
    assert weights[:-1].tolist() == pytest.approx([float(weights[0])] * 7)
    assert weights[0] == pytest.approx(3 * weights[-1])


def test_words_of_a_script_without_blanks_are_weighed():
    text = "東京都 old"
    spans = [(0, 1), (1, 2), (2, 3), (4, 7)]
    weights = weigh_pieces(text, spans, dict.fromkeys(weigh_query_terms(text), 3.0))
    assert weights.tolist() == pytest.approx([0.25] * 4)


# ---------------------------------------------------------------- long questions


@given(SEEDS, st.integers(0, 120))
def test_of_a_long_question_the_forty_eight_that_count_most_are_kept_in_order(
    seed: int, count: int
):
    pieces = vectors(count, seed)
    drawn = np.random.default_rng(seed).uniform(0.1, 9, count).astype(np.float32)
    weights = drawn / drawn.sum() if count else drawn
    kept, counting = select_pieces(pieces, weights)
    chosen = sorted(sorted(range(count), key=lambda at: (-weights[at], at))[:48])
    np.testing.assert_array_equal(kept, pieces[chosen])
    assert float(counting.sum()) == pytest.approx(1.0 if count else 0.0, abs=1e-5)
    if count:
        np.testing.assert_allclose(counting, weights[chosen] / weights[chosen].sum(), rtol=1e-5)


def test_of_equal_pieces_the_first_are_kept():
    pieces = vectors(60)
    kept, weights = select_pieces(pieces, np.full(60, 1 / 60, np.float32))
    np.testing.assert_array_equal(kept, pieces[:48])
    assert weights.tolist() == pytest.approx([1 / 48] * 48)
