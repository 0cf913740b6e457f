"""What tests may rely on in the double beyond the port."""

from __future__ import annotations

import numpy as np
import pytest

from wellworn.testing.embedder import HashEmbedder

EMBEDDER = HashEmbedder()


def test_a_text_has_the_same_vector_on_every_machine():
    signs = (EMBEDDER.embed(["lichen"])[0][:8] > 0).astype(int)
    assert signs.tolist() == [0, 1, 0, 1, 1, 0, 0, 1]


def test_similarity_is_about_the_share_of_common_words():
    whole, half, none = EMBEDDER.embed(["north wall", "north sea", "tax report"])
    assert 0.4 < whole @ half < 0.6
    assert abs(whole @ none) < 0.2


def test_case_and_punctuation_do_not_matter():
    plain, written = EMBEDDER.embed(["north wall", "North, WALL!"])
    np.testing.assert_allclose(plain, written, atol=1e-6)


def test_texts_of_punctuation_alone_differ():
    question, owl = EMBEDDER.embed(["?!", "🦉"])
    assert question @ owl < 0.5


def test_a_word_has_the_same_piece_wherever_it_stands():
    [one], [other] = EMBEDDER.encode(["North wall"]), EMBEDDER.encode(["the wall, north of it"])
    np.testing.assert_array_equal(one.pieces, other.pieces[[2, 1]])
    assert one.spans == ((0, 5), (6, 10))


def test_punctuation_has_no_piece_however_long():
    for text in ("?!", "?! " * 600):
        assert EMBEDDER.encode_query(text).pieces.shape == (0, 128)


@pytest.mark.parametrize("place", ["127.0.0.1", "localhost"])
def test_the_port_of_a_server_under_test_says_nothing(place):
    [one], [other] = (
        EMBEDDER.encode([f"Read http://{place}:{port}/page and 40001 lines"])
        for port in (40001, 52117)
    )
    np.testing.assert_array_equal(one.vector, other.vector)
    np.testing.assert_array_equal(one.pieces, other.pieces)
    [bare] = EMBEDDER.encode([f"Read http://{place}/page and 40001 lines"])
    np.testing.assert_array_equal(one.vector, bare.vector)
