from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.markdown import strip_markup


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("**Set** up `cube` and _more_", "Set up cube and more"),
        ("[Guide](a.md) ![logo](b.png) [ref][1]", "Guide logo ref"),
        ('<a id="x"></a>Use ~~old~~ new', "Use old new"),
        ("one<br/>two<BR>three<p>four</p><p>five</p>s<b>i</b>x", "one two three four five six"),
        ("run_id and \\*stars\\*", "run_id and *stars*"),
        ("a < b", "a < b"),
    ],
)
def test_a_line_is_its_words(line: str, words: str):
    assert strip_markup(line) == words


@given(st.text("ab `*_~[]()!<>\\\n", max_size=80))
def test_no_text_becomes_longer_or_more_than_a_line(text: str):
    assert len(strip_markup(text)) <= len(text)
    assert "\n" not in strip_markup(text)
