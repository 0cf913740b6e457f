"""Frames between parent and child: whole ones within their limit, or none."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction.frames import BrokenFrameError, read_frame, write_frame


def framed(content):
    sent = BytesIO()
    write_frame(sent, content)
    return sent.getvalue()


@given(st.lists(st.binary(max_size=20), max_size=4))
def test_frames_arrive_one_by_one_as_they_were_sent(contents):
    received = BytesIO(b"".join(map(framed, contents)))
    assert [read_frame(received, most_bytes=20) for _ in contents] == contents


def test_a_frame_over_the_limit_is_not_read():
    received = BytesIO(framed(b"0123456789"))
    with pytest.raises(BrokenFrameError):
        read_frame(received, most_bytes=9)
    assert received.read() == b"0123456789"


@given(st.binary(max_size=20), st.data())
def test_half_a_frame_is_none(content, data):
    whole = framed(content)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(BrokenFrameError):
        read_frame(BytesIO(whole[:cut]), most_bytes=20)
