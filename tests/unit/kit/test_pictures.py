"""Files as texts: a picture in base64, and lines as every editor ends them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.errors import InvalidInput
from wellworn.kit.pictures import decode_file, encode_file


@given(st.binary(max_size=100))
def test_a_picture_comes_back_as_it_was(raw):
    assert decode_file("a/screenshot.png", encode_file("a/screenshot.png", raw)) == raw


def test_lines_end_alike_whatever_editor_wrote_them():
    assert encode_file("context.md", b"# A\r\nb\rc\n") == "# A\nb\nc\n"


def test_a_picture_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="base64"):
        decode_file("screenshot.png", "not base64!")
