"""What of a unit is indexed."""

from __future__ import annotations

import pytest

from wellworn.engines.retrieval.text import split_indexed_text


def test_the_vector_of_a_thought_is_of_its_content_alone():
    assert (
        split_indexed_text("thought", "Rotate keys.", speaker="ada", when="2026-02-23").vector
        == "Rotate keys."
    )


def test_a_thought_is_found_by_its_contributor():
    assert "ada" in split_indexed_text("thought", "Rotate keys.", speaker="ada").keyword


def test_a_turn_says_who_spoke_and_its_keywords_say_when():
    text = split_indexed_text("turn", "I moved.", speaker="Caroline", when="2023-05-08T13:56:00Z")
    assert text.vector == "Caroline: I moved."
    assert text.keyword == "Caroline, 8 May 2023: I moved."


@pytest.mark.parametrize("when", ["", "yesterday", "2023-13-40", "8 May 2023"])
def test_what_is_no_date_is_left_out(when: str):
    assert (
        split_indexed_text("turn", "I moved.", speaker="Caroline", when=when).keyword
        == "Caroline: I moved."
    )


def test_a_turn_of_nobody_is_its_content():
    assert split_indexed_text("turn", "I moved.") == ("I moved.", "I moved.")
