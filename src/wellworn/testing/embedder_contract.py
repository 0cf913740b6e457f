"""Checks what every embedder must do, the double and each real model; each takes one.

    @pytest.mark.parametrize("check", EMBEDDER_CONTRACT)
    def test_it_keeps_the_contract(check, my_embedder):
        check(my_embedder)

`SYMMETRIC_CONTRACT` and `PIECES_CONTRACT` hold for those that promise more.

Source: the port in wellworn.engines.embedding.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from wellworn.engines.embedding import MOST_QUERY_WINDOWS, PIECE_DIMENSIONS, Embedder

TOLERANCE = 1e-5  # two float32 sums of the same numbers, in another order

SHORT = "The weather is lovely today."
SENTENCE = "Lichen grows on the north side of the old wall, and nobody asks it why. "
LONG = SENTENCE * 60
TEXTS = [SHORT, LONG, "", " \n\t", "a", "日本語の文です。", "🦉" * 30, "\x01\x02", "?!", SENTENCE]


def embedding_nothing_gives_an_empty_matrix(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimensions)
    assert vectors.dtype == np.float32


def every_text_gets_a_finite_unit_vector(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=TOLERANCE)


def every_query_gets_a_finite_unit_vector(embedder: Embedder) -> None:
    for text in TEXTS:
        vector = embedder.encode_query(text).vector
        assert vector.shape == (embedder.dimensions,)
        assert vector.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=TOLERANCE)


def a_vector_does_not_depend_on_its_batch(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=TOLERANCE)


def vectors_come_in_the_order_of_their_texts(embedder: Embedder) -> None:
    forwards, backwards = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    np.testing.assert_allclose(forwards, backwards[::-1], atol=TOLERANCE)


def texts_that_share_words_are_nearer_than_others(embedder: Embedder) -> None:
    query, near, far = embedder.embed(
        ["where does lichen grow on the wall", SENTENCE, "quarterly tax report for the board"]
    )
    assert query @ near > query @ far + 0.1


def a_short_query_is_embedded_like_a_text(embedder: Embedder) -> None:
    for text in (SHORT, "", SENTENCE):
        np.testing.assert_allclose(
            embedder.encode_query(text).vector, embedder.embed([text])[0], atol=TOLERANCE
        )


def a_long_query_loses_nothing_of_its_end(embedder: Embedder) -> None:
    ending = "quarterly tax report for the board " * 40
    plain, query = embedder.embed([LONG + ending])[0], embedder.encode_query(LONG + ending).vector
    np.testing.assert_allclose(plain, embedder.embed([LONG])[0], atol=TOLERANCE)
    target = embedder.embed([ending])[0]
    assert query @ target > plain @ target + 0.1


def a_long_query_is_the_normalised_mean_of_its_windows(embedder: Embedder) -> None:
    spans = embedder.windows(LONG)
    mean = embedder.embed([LONG[start:end] for start, end in spans]).mean(axis=0)
    expected = mean / np.linalg.norm(mean)
    np.testing.assert_allclose(embedder.encode_query(LONG).vector, expected, atol=TOLERANCE)


def a_text_is_encoded_as_it_is_embedded(embedder: Embedder) -> None:
    vectors = np.stack([encoded.vector for encoded in embedder.encode(TEXTS)])
    np.testing.assert_allclose(vectors, embedder.embed(TEXTS), atol=TOLERANCE)
    assert embedder.encode([]) == []


def every_piece_has_a_unit_vector_and_its_place_in_the_text(embedder: Embedder) -> None:
    for text in [*TEXTS, LONG * 3]:
        for encoded in (*embedder.encode([text]), embedder.encode_query(text)):
            assert encoded.pieces.shape == (len(encoded.spans), PIECE_DIMENSIONS)
            assert encoded.pieces.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(encoded.pieces, axis=1), 1, atol=TOLERANCE)
            assert all(0 <= start <= end <= len(text) for start, end in encoded.spans)
            assert [*encoded.spans] == sorted(encoded.spans)


def a_word_is_nearer_to_itself_than_to_others(embedder: Embedder) -> None:
    [first] = embedder.encode(["lichen grows beside the quarterly report"])
    [other] = embedder.encode(["they call it lichen"])
    nearest = int((first.pieces @ other.pieces[-1]).argmax())
    assert first.spans[nearest].start < len("lichen")


def a_long_query_keeps_the_pieces_of_its_end(embedder: Embedder) -> None:
    query = embedder.encode_query(LONG + "the end is obsidian")
    words = [(LONG + "the end is obsidian")[start:end] for start, end in query.spans]
    assert len(words) > len(embedder.encode([LONG])[0].spans)
    assert query.spans[-1].end == len(LONG + "the end is obsidian")
    assert words.count("wall") == LONG.count("wall")


def of_the_longest_query_its_ends_and_its_question_are_read(embedder: Embedder) -> None:
    text = LONG * 6 + "Who brought the obsidian? " + LONG * 6
    query = embedder.encode_query(text)
    longest = max(embedder.lengths([text[start:end] for start, end in embedder.windows(text)]))
    assert len(query.spans) <= MOST_QUERY_WINDOWS * longest
    assert query.spans[0].start == 0
    assert text[query.spans[-1].end :].strip(". ") == ""
    asked = text.index("obsidian")
    assert any(start <= asked < end for start, end in query.spans)


def windows_cover_every_text_in_order(embedder: Embedder) -> None:
    for text in [*TEXTS, LONG * 3, "日本語の文です。" * 200]:
        assert_covering(text, embedder)


def a_short_text_is_one_window(embedder: Embedder) -> None:
    for text in ("", SHORT, SENTENCE):
        assert embedder.windows(text) == [(0, len(text))]


def lengths_say_what_fits_a_window(embedder: Embedder) -> None:
    assert embedder.lengths([]) == []
    lengths = embedder.lengths(TEXTS)
    assert len(lengths) == len(TEXTS)
    most = max(length for text, length in zip(TEXTS, lengths, strict=True) if text != LONG)
    for text, length in zip(TEXTS, lengths, strict=True):
        assert (len(embedder.windows(text)) > 1) == (length > most), text
    assert embedder.lengths([SENTENCE * 2]) == [2 * embedder.lengths([SENTENCE])[0]]


def long_windows_overlap(embedder: Embedder) -> None:
    spans = embedder.windows(LONG)
    assert len(spans) > 1
    for before, after in pairwise(spans):
        assert after.start < before.end


def threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(embedder.embed, [TEXTS] * 4):
            np.testing.assert_allclose(vectors, expected, atol=TOLERANCE)


def assert_covering(text: str, embedder: Embedder) -> None:
    """Check that the windows begin at the start, leave no gap, move on and reach the end."""
    spans = embedder.windows(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for before, after in pairwise(spans):
        assert before.start < after.start <= before.end < after.end


EMBEDDER_CONTRACT: tuple[Callable[[Embedder], None], ...] = (
    embedding_nothing_gives_an_empty_matrix,
    every_text_gets_a_finite_unit_vector,
    every_query_gets_a_finite_unit_vector,
    a_vector_does_not_depend_on_its_batch,
    vectors_come_in_the_order_of_their_texts,
    texts_that_share_words_are_nearer_than_others,
    a_long_query_loses_nothing_of_its_end,
    a_text_is_encoded_as_it_is_embedded,
    every_piece_has_a_unit_vector_and_its_place_in_the_text,
    windows_cover_every_text_in_order,
    lengths_say_what_fits_a_window,
    a_short_text_is_one_window,
    long_windows_overlap,
    threads_may_share_it,
)

SYMMETRIC_CONTRACT: tuple[Callable[[Embedder], None], ...] = (
    a_short_query_is_embedded_like_a_text,
    a_long_query_is_the_normalised_mean_of_its_windows,
)
"""For an embedder that makes the same vector of a question and of a text."""

PIECES_CONTRACT: tuple[Callable[[Embedder], None], ...] = (
    a_word_is_nearer_to_itself_than_to_others,
    a_long_query_keeps_the_pieces_of_its_end,
    of_the_longest_query_its_ends_and_its_question_are_read,
)
"""For an embedder that gives the vectors of word pieces."""
