"""Scores in columns are the rows they were made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.matches import Match, Matches

SCORES = st.floats(-1, 1)
ROWS = st.lists(
    st.builds(Match, st.integers(1, 2**63 - 1), SCORES, SCORES, SCORES, st.booleans()),
    max_size=20,
    unique_by=lambda row: row.id,
)


@given(ROWS)
def test_columns_give_the_rows_back(rows):
    matches = Matches.of(rows)
    assert [*matches] == rows
    assert matches == rows
    assert len(matches) == len(rows)
    assert matches[: len(rows) // 2] == rows[: len(rows) // 2]


@given(ROWS, st.lists(st.integers(1, 2**63 - 1), max_size=5), st.randoms(use_true_random=False))
def test_an_id_is_found_in_its_row_whatever_their_order(rows, others, random):
    ids = random.sample([row.id for row in rows] + others, len(rows) + len(others))
    places = {row.id: place for place, row in enumerate(rows)}
    assert Matches.of(rows).locate(ids).tolist() == [places.get(number, -1) for number in ids]


@given(ROWS, st.data())
def test_parts_that_are_joined_again_are_the_whole(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    matches = Matches.of(rows)
    is_first = matches.locate([row.id for row in rows]) < cut
    assert [*matches.select(is_first)] == rows[:cut]
    assert [*matches.select(is_first).join(matches.select(~is_first))] == rows
