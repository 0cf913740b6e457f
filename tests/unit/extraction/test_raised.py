"""Raised, lowered and struck words beside a value: the value must not become another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction.numbering import format_mark, format_number
from wellworn.engines.extraction.raised import format_lowered, format_raised, format_struck


@pytest.mark.parametrize(
    ("before", "raised", "after", "written"),
    [
        ("3×10", "6", " W", "^6"),
        ("10", "-3", " m", "^-3"),
        ("10", "\u22123", "", "^\u22123"),
        ("40 m", "2", ".", "^2"),
        ("2", "10", " = 1024", "^10"),
        ("= 1024", "2", "", "^2"),
        ("1024", "2", " = x", "^2"),
        ("(a + b)", "2", "", "^2"),
        ("x", "n", "", "^n"),
        ("x", "n + 1", "", "^(n + 1)"),
        ("plot 12", "3", " is", "^3"),
        ("10", "6", "5", "^6 "),
        ("The lease ends in 2031", "4", " for", "[^4]"),
        ("The lease ends in 2031", "4,5", "", "[^4,5]"),
        ("The lease ends in 2031", "a", "", "[^a]"),
        ("ends in 2031 ", "4", "", "[^4]"),
        ("the pump.", "4", "", "[^4]"),
        ("the pump", "12", "", "[^12]"),
        ("in 2031", "[4]", "", "[4]"),
        ("in 2031", "*", "", "*"),
        ("", "4", " Only plot 12.", "[^4]"),
        ("", "14", "C is old", "14"),
        ("the 1", "st", " pump", "st"),
        ("Acme", "TM", "", "^TM"),
    ],
)
def test_a_raised_mark_is_written_apart_from_what_it_hangs_on(before, raised, after, written):
    assert format_raised(raised, before, after=after) == written


@pytest.mark.parametrize(
    ("before", "lowered", "after", "written"),
    [
        ("CO", "2", "", "2"),
        ("C", "6", "H", "6"),
        ("V", "max", " is", "_max"),
        ("log", "2", "8", "_2 "),
        ("10", "2", "", "_2"),
        ("", "2", "", "2"),
    ],
)
def test_a_lowered_mark_is_written_as_people_write_it(before, lowered, after, written):
    assert format_lowered(lowered, before, after=after) == written


@given(st.text(), st.text(), st.text())
def test_no_two_numbers_become_one(before, raised, after):
    written = f"{before[-1:]}{format_raised(raised, before, after=after)}{after[:1]}"
    if before[-1:].isdecimal() and raised.strip()[:1].isdecimal():
        assert not written[1:2].isdecimal()


@pytest.mark.parametrize(
    ("text", "written"),
    [(" 80 ", " ~~80~~ "), ("a\nb", "~~a~~\n~~b~~"), ("  ", "  "), ("a ~~b~~", "~~a b~~")],
)
def test_struck_words_stand_between_their_marks(text, written):
    assert format_struck(text) == written


@pytest.mark.parametrize(
    ("number", "shape", "written"),
    [
        (3, "", "3"),
        (3, "lowerLetter", "c"),
        (28, "upperLetter", "AB"),
        (0, "lowerLetter", "0"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (4000, "lowerRoman", "4000"),
        (3, "decimalZero", "03"),
    ],
)
def test_a_number_is_written_in_its_shape(number, shape, written):
    assert format_number(number, shape) == written


@pytest.mark.parametrize(
    ("label", "mark"), [("3.", "3."), ("3)", "3)"), ("c.", "- c."), ("1.2.", "- 1.2.")]
)
def test_a_label_that_markdown_does_not_know_stands_behind_a_dash(label, mark):
    assert format_mark(label) == mark
