"""Which texts share an inference."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.embedding.windows import group_by_length


def test_texts_of_like_length_go_together():
    assert group_by_length([9, 2, 10, 3], limit_tokens=20) == [[1, 3], [0, 2]]


def test_padding_counts_towards_the_limit():
    assert group_by_length([1, 1, 10], limit_tokens=20) == [[0, 1], [2]]


def test_a_text_beyond_the_limit_goes_alone():
    assert group_by_length([50, 60], limit_tokens=20) == [[0], [1]]


@given(lengths=st.lists(st.integers(2, 256), max_size=60), limit=st.integers(1, 600))
def test_every_text_is_in_one_group_and_no_group_of_several_breaks_the_limit(
    lengths: list[int], limit: int
):
    groups = group_by_length(lengths, limit)
    assert sorted(chain.from_iterable(groups)) == list(range(len(lengths)))
    for group in groups:
        padded = len(group) * max(lengths[position] for position in group)
        assert len(group) == 1 or padded <= limit
