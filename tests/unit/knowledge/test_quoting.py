"""Quotes as a reader sees them: short, without marks, and with no name that is not in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.entities import LONGEST_SUMMARY
from wellworn.domain.knowledge.quoting import render_quote
from wellworn.domain.sources import find_identifiers, normalize_identifier
from wellworn.kit.text import shorten

LONG = "very " * 29


def test_a_quote_is_shown_without_its_marks():
    assert render_quote("**cube** is\nthe [GPU](https://a.example) box") == "cube is the GPU box"


@pytest.mark.parametrize("name", ["10.44.55.66", "db-07.prod.internal", "https://a.example/long"])
def test_a_name_at_the_end_is_left_out_whole_rather_than_cut(name):
    assert shorten(f"{LONG}box at {name} and on", LONGEST_SUMMARY) == f"{LONG}box at\u2026"


def test_one_long_word_is_cut():
    assert len(shorten("x" * 500, LONGEST_SUMMARY)) == 160


def test_marks_left_out_make_no_name():
    assert render_quote("at 10.1.**1.1** and on") == "at 10.1.**1.1** and on"


@given(st.lists(st.sampled_from(["10.", "1", ".2.3", "**", "`", " ", "a.b.c", "[x](", ")", "\n"])))
def test_no_name_is_shown_that_the_quote_has_not(pieces):
    text = "".join(pieces)
    there = {normalize_identifier(one.value) for one in find_identifiers(text)}
    there |= {normalize_identifier(one.value) for one in find_identifiers(" ".join(text.split()))}
    assert {
        normalize_identifier(one.value) for one in find_identifiers(render_quote(text))
    } <= there
