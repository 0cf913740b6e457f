"""Which products people speak of, by the names that they write."""

from __future__ import annotations

import pytest

from wellworn.domain.turns.listings import find_products


@pytest.mark.parametrize(
    ("text", "products"),
    [
        ("I recommend the Lenovo LOQ 15.", [("Lenovo LOQ 15", 1)]),
        ("My HP Victus 15 runs hot. The HP Victus 15's fan is loud.", [("HP Victus 15", 2)]),
        ("The Mag-Float is fine; buy Flipper Max.", [("Mag-Float", 1), ("Flipper Max", 1)]),
        ("I went to San Francisco with Anna Berg.", []),
        ("# The Flipper Max\n| The Flipper Max | $5 |", []),
        ("Page 1 of 3", []),
    ],
)
def test_names_where_things_stand_that_are_used_or_bought_are_products(text, products):
    assert [tuple(each) for each in find_products(text)] == products
