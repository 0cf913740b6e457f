from __future__ import annotations

import numpy as np
import pytest

from wellworn.domain.sources.selection import MOST_WORDS, NEAR, is_close, is_of_other_codes
from wellworn.engines.retrieval import Question
from wellworn.kit.matches import Match

NO_PIECES = np.zeros((0, 128), np.float32)


def asking(*, rarity: tuple[float, ...] = (4.0, 6.0), full_name: float = 0.0) -> Question:
    """Return a question whose words are as rare as this."""
    known = dict(enumerate(rarity))
    return Question("q", known, NO_PIECES, np.zeros(0, np.float32), full_name=full_name)


def match(cosine: float = 0.0, keyword: float = 0.0, name: float = 0.0) -> Match:
    return Match(1, cosine, keyword, name)


def test_what_means_something_like_the_question_is_close():
    assert is_close(match(NEAR), asking())
    assert not is_close(match(NEAR - 0.01), asking())


def test_what_has_most_of_the_words_by_their_rarity_is_close():
    assert is_close(match(keyword=10.0 * MOST_WORDS), asking())
    assert not is_close(match(keyword=9.9 * MOST_WORDS), asking())


def test_what_is_called_as_asked_needs_to_mean_less_like_it():
    assert is_close(match(NEAR - 0.1, name=3.0), asking(full_name=3.0))
    assert not is_close(match(NEAR - 0.1, name=0.3), asking(full_name=3.0))
    assert not is_close(match(NEAR - 0.1, name=3.0), asking(full_name=0.0))


def test_a_question_without_words_is_close_to_nothing_by_words():
    assert not is_close(match(keyword=1.0), asking(rarity=()))


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("port of srv-99?", "srv-01 has port 9100", True),
        ("port of SRV01?", "srv-01 has port 9100", False),
        ("port of srv\u00ad\u201101?", "srv-01 has port 9100", False),
        ("port of srv-01 and srv-99?", "srv-01 has port 9100", False),
        ("port of the server?", "srv-01 has port 9100", False),
        ("what happened in 2019?", "the label printer", False),
    ],
)
def test_a_code_that_nothing_has_tells_that_nothing_is_meant(
    question: str, text: str, is_other: bool
):
    assert is_of_other_codes(question, ["another", text]) is is_other
