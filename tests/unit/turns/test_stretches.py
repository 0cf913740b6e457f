"""Which stretches of a text may be quoted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.stretches import (
    drop_open_fence,
    find_introduced_end,
    list_stretches,
)

CODE = "```sh\nmake restore\n\nmake check\n```"
MOST = 60
LINES = st.sampled_from(
    ["A word.", "- an item", "  of two lines", "| a | row |", "", "```", "It is so. It was not."]
)


def list_texts(text: str, most: int = MOST) -> list[str]:
    return [text[start:end] for start, end in list_stretches(text, most)]


def test_code_is_whole_and_stands_with_the_line_above_it():
    assert list_texts(f"Then run this:\n\n{CODE}\n\n{'And so on. ' * 9}")[0].endswith(CODE)


def test_an_item_is_whole_and_the_next_one_begins_anew():
    text = "- port: 80, which is the default\n  unless told otherwise\n- host: cube, the only one"
    assert list_texts(text) == [*text.split("\n- host")[:1], "- host: cube, the only one"]


def test_a_stretch_ends_within_a_part_only_where_no_part_ends():
    text = "A short paragraph.\n\n" + "It rains often here. " * 20
    assert list_texts(text)[0] == "A short paragraph."
    assert list_texts(text)[1] == "It rains often here. It rains often here."


@given(st.lists(LINES, max_size=12).map("\n".join), st.integers(10, 80))
def test_all_that_is_said_is_in_a_stretch_and_none_is_part_of_another(text, most):
    places = list_stretches(text, most)
    covered = {place for start, end in places for place in range(start, end)}
    assert all(place in covered for place, sign in enumerate(text) if sign.strip())
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(places))
    assert all(end - start <= most or "\n\n" not in text[start:end] for start, end in places)


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("Run this:\n\n```sh", "Run this:"),
        ("make check\n```", "make check"),
        ("~~~\nmake check", "make check"),
        (CODE, CODE),
    ],
)
def test_no_fence_is_left_that_encloses_nothing(quote, shown):
    assert drop_open_fence(quote) == shown


@pytest.mark.parametrize(
    ("quote", "rest", "expected"),
    [
        ("Set it so.", f"\n\n{CODE}\n\nAnd then?", f"\n\n{CODE}"),
        ("Set these:", "\n\n- port\n  of it\n- host\n\nAnd then?", "\n\n- port\n  of it\n- host"),
        ("Set these.", "\n\n- port\n- host", ""),
        ("Set it so:", "\n\nAnd then?", ""),
        ("Set it so:", f"\n\n```\n{'x' * 90}\n```", ""),
    ],
    ids=["code", "list", "no colon", "prose", "long"],
)
def test_what_a_quote_introduces_is_quoted_with_it(quote, rest, expected):
    end = find_introduced_end(quote + rest, len(quote), MOST)
    assert (quote + rest)[len(quote) : end] == expected
