"""What of an answer stands in its sources."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from wellworn.domain.turns.grounding import SourceText, is_backed, list_unknown
from wellworn.kit.neutralising import neutralise


@pytest.mark.parametrize(
    ("text", "source", "unknown"),
    [
        ("1,127 points", "u/a 1,127 points, 1 answer", []),
        ("1,127 points", "u/a 127 points, 1 answer", ["1,127"]),
        ("127 points", "u/a 1,127 points, 1 answer", ["127"]),
        ("it costs 1,299.00 today", "price: 1,299.00", []),
        ("ports 80,443", "ports 80,443", []),
        ("7,7 m long", "7,7 m long", []),
        ("7,8 m long", "7,7 m long", ["7,8"]),
        ("rows 7,9", "row 7 and row 9", []),
        ("port 80", "the 8080 and the 80tcp", []),
        ("port 80", "the 8080 and the 180", ["80"]),
        ("10.0.0.1", "10.0.0.12, 110.0.0.1 and 10.0.0.1", []),
        ("10.0.0.1", "10.0.0.12, 110.0.0.1 and 10.0.0.1/8", ["10.0.0.1"]),
        ("a_b.c", "a_b.c.d and x_a_b.c", ["a_b.c"]),
        ("https://a.example/b", "see https://a.example/b.", []),
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
@example("rows 7,7")
@example("the _Z_ axis")
@example("Galaxy Z10.0.0.1")
@example("docs/Galaxy PXE/Source/README.md#machine-registry")
@example("servers[0].ip and docker.io/nginx:latest")
def test_what_is_taken_over_as_it_stands_stands_in_its_source(text):
    assert list_unknown(text, text) == []
    assert list_unknown(f"- Near (“{neutralise(text)}”), 2", neutralise(f"Near {text} 2")) == []


def test_many_claims_of_a_long_source_read_it_once():
    def make(claims):
        return claims, SourceText(" ".join(f"10.0.{at}.1 w{at}" for at in range(5 * claims)))

    def check(given):
        claims, source = given
        for at in range(claims):
            assert is_backed(f"It is 10.0.{at}.1 and w{at}", source)
            assert not is_backed(f"It is 10.0.{at}.2", source)
        assert len(list_unknown(" ".join(f"10.0.{at}.2" for at in range(claims)), source)) == claims

    assert is_in_proportion(check, make, 500)
