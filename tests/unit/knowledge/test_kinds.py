"""Kinds as they are written of one thing and of many."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.kinds import list_numbers


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("router", "routers"),
        ("switch", "switches"),
        ("cache", "caches"),
        ("proxy", "proxies"),
        ("access point", "access points"),
        ("nas", "nas"),
    ],
)
def test_a_kind_is_the_same_of_one_thing_and_of_many(one, many):
    assert many in list_numbers(one)
    assert one in list_numbers(many)


@pytest.mark.parametrize("kind", ["bus", "chassis", "compass"])
def test_a_word_that_only_ends_like_many_is_one(kind):
    assert kind[:-1] not in list_numbers(kind)
