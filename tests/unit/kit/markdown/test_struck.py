"""What a text strikes out: found with its marks, and blanked in its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from wellworn.kit.markdown import CurrentText, blank_struck, find_struck


@pytest.mark.parametrize(
    ("text", "struck"),
    [
        ("The fee is ~~80~~ 65.", ["~~80~~"]),
        ("~~a~~ b ~~c d~~", ["~~a~~", "~~c d~~"]),
        ("10~~0~~5", ["~~0~~"]),
        ("~~a\nb~~", ["~~a\nb~~"]),
        ("~~a\n\nb~~", []),
        ("a ~~ b ~~ c", []),
        ("~~a", []),
        ("~a~ and ~~~b~~~", []),
        ("~~~\ncode\n~~~\n~~x~~", ["~~x~~"]),
        ("~~a ~~ b~~", ["~~a ~~ b~~"]),
        ("none", []),
    ],
)
def test_what_is_struck_is_found(text, struck):
    assert [text[start:end] for start, end in find_struck(text)] == struck


@given(st.text("ab~ \n", max_size=60))
def test_all_else_keeps_its_place(text):
    blanked = blank_struck(text)
    spans = list(find_struck(text))
    assert len(blanked) == len(text)
    assert blanked.count("\n") == text.count("\n")
    for at, character in enumerate(blanked):
        is_inside = any(start <= at < end for start, end in spans)
        assert character == (text[at] if not is_inside or text[at] == "\n" else " ")


@given(st.text("ab~ \n", max_size=60))
def test_each_character_that_is_left_is_found_in_the_whole_text(text):
    current = CurrentText(text)
    for at, character in enumerate(current.text):
        assert text[current.find_start(at)] == character
        assert current.find_end(at + 1) == current.find_start(at) + 1


def test_one_of_two_blanks_goes_with_what_stood_between_them():
    assert CurrentText("The fee is ~~80~~ 65, not 1~~0~~5.").text == "The fee is 65, not 15."


@pytest.mark.parametrize("hostile", ["~~a ", "~~", "~ ~~", "~~a\n", "~~a~~ "])
def test_it_takes_time_in_proportion_to_the_text(hostile):
    assert is_in_proportion(blank_struck, hostile.__mul__, 25_000)
