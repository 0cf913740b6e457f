from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.front_matter import LONGEST, front_matter_end

LINES = st.lists(
    st.sampled_from(
        ["---", "+++", "...", "title: A", "weight = 3", "[params]", "# note", "", "words"]
    ),
    max_size=12,
).map("\n".join)


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: A\n---\n",
        "---\r\ntitle: A\r\n...\r\n",
        "---  \n# a comment\n\n'quoted key': 1\n- item\n---\n",
        '+++\ntitle = "A"\n# a comment\n+++\n',
        "+++\n[[menu.main]]\nweight = 3\n+++\n",
    ],
    ids=["yaml", "yaml-other-marks", "yaml-with-comment", "toml", "toml-table"],
)
def test_front_matter_ends_after_its_second_mark(front: str):
    assert front_matter_end(f"{front}\nWords.\n") == len(front)
    assert front_matter_end(front.rstrip("\r\n")) == len(front.rstrip("\r\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Words.\n---\ntitle: A\n---\n",
        "---\nSome words between two rules.\n---\nMore.\n",
        "---\n---\nWords.\n",
        "---\ntitle: A\nnever closed\n",
        '+++\ntitle = "A"\n---\nWords.\n',
        "---\n" + "title: A\n" * LONGEST + "---\n",
    ],
    ids=["empty", "later", "a-rule", "no-field", "open", "other-mark", "too-long"],
)
def test_what_only_begins_like_front_matter_is_none(text: str):
    assert front_matter_end(text) == 0


@given(LINES)
def test_it_ends_behind_a_line_that_is_a_mark_or_is_not_there(text: str):
    end = front_matter_end(text)
    assert 0 <= end <= len(text)
    if end:
        first, *_, last = text[:end].splitlines()
        assert first in {"---", "+++"}
        assert last in {"---", "+++", "..."}
