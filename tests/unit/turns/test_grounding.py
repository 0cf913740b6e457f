"""What of an answer stands in its sources."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.domain.turns.grounding import list_unknown
from wellworn.kit.neutralising import neutralise


@pytest.mark.parametrize(
    ("text", "source", "unknown"),
    [
        ("1,127 points", "u/a 1,127 points, 1 answer", []),
        ("1,127 points", "u/a 127 points, 1 answer", ["1,127"]),
        ("127 points", "u/a 1,127 points, 1 answer", ["127"]),
        ("it costs 1,299.00 today", "price: 1,299.00", []),
        ("ports 80,443", "ports 80,443", []),
    ],
)
def test_a_number_with_a_comma_is_one_number(text, source, unknown):
    assert list_unknown(text, source) == unknown


def test_a_name_goes_on_behind_a_point():
    assert list_unknown("It runs Ubuntu-22.04", "Ubuntu-22.04") == []
    assert list_unknown("It runs Debian-22.04", "Ubuntu-22.04") == ["Debian-22.04"]


_PIECES = st.sampled_from([*"aZ7_-./:@[]()#*`,“ \n", "[1]", "https://", "10.0.0.1", "\u200b"])


@given(st.lists(_PIECES, max_size=14).map("".join))
@example("site/docs/_docs/router.md")
@example("Z_10.0.0.1")
@example("Galaxy Z10.0.0.1")
@example("docs/Galaxy PXE/Source/README.md#machine-registry")
@example("servers[0].ip and docker.io/nginx:latest")
def test_what_is_taken_over_as_it_stands_stands_in_its_source(text):
    assert list_unknown(text, text) == []
    assert list_unknown(f"- Near (“{neutralise(text)}”), 2", neutralise(f"Near {text} 2")) == []
