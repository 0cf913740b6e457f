from __future__ import annotations

import gzip
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.fetch.answers import decompress_gzip, read_at_most


def _pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@given(
    st.lists(st.binary(max_size=2_000), max_size=4), st.lists(st.integers(0, 10_000), max_size=9)
)
def test_gzip_comes_out_as_it_went_in_however_it_is_cut(members, cuts):
    packed = b"".join(gzip.compress(member) for member in members)
    assert b"".join(decompress_gzip(_pieces(packed, cuts))) == b"".join(members)


@given(st.binary(min_size=1, max_size=2_000), st.integers(1, 10_000))
def test_gzip_cut_short_is_an_error(data, cut):
    packed = gzip.compress(data)
    with pytest.raises(zlib.error):
        list(decompress_gzip([packed[: cut % len(packed) or 1]]))


@given(st.lists(st.binary(max_size=50)), st.integers(0, 300))
def test_as_many_bytes_as_allowed_come_through_and_no_more(pieces, most):
    whole = b"".join(pieces)
    assert read_at_most(pieces, most) == (whole if len(whole) <= most else None)


def test_a_bomb_is_inflated_no_further_than_the_limit():
    drawn = 0

    def counted(pieces):
        nonlocal drawn
        for piece in pieces:
            drawn += len(piece)
            yield piece

    bomb = gzip.compress(bytes(50_000_000))
    assert read_at_most(counted(decompress_gzip([bomb])), 1_000_000) is None
    assert drawn < 2_000_000
