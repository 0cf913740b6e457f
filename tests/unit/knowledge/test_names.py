"""Names are exact: spellings of one name are one, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.domain.knowledge.entities import name_key


@pytest.mark.parametrize(
    "spellings",
    [
        ("Home Assistant", "home-assistant", "HomeAssistant", "home_assistant", "HOME  ASSISTANT"),
        ("Café Bar", "cafe-bar"),
        ("node-1", "Node 1", "node1"),
        ("10.0.0.4",),
    ],
)
def test_spellings_of_one_name_have_one_key(spellings):
    assert len({name_key(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("mar", "mars"),
        ("atlas", "atlases"),
        ("node-1", "node-11"),
        ("node-1 1", "node-11"),
        ("wiki.js", "wikijs"),
        ("rack 10-0", "rack 100"),
        ("й", "ю"),
    ],
)
def test_different_names_have_different_keys(name, other):
    assert name_key(name) != name_key(other)


@given(st.integers(0, 999), st.integers(0, 999), st.sampled_from(" -_"))
def test_no_two_numbers_become_one(first, second, gap):
    assert name_key(f"vm{first}{gap}{second}") != name_key(f"vm{first}{second}")


@given(st.text(min_size=1, max_size=40))
@example("0:-")
def test_a_key_is_its_own_key(name):
    assert name_key(name_key(name)) == name_key(name)
