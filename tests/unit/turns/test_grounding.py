"""What of an answer stands in its sources."""

from __future__ import annotations

import pytest

from wellworn.domain.turns.grounding import list_unknown


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
