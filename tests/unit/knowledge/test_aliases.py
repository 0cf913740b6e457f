"""Aliases: learned by use, taught, and never guessed from looks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.aliases import Alias, update_alias

PLACES = st.sampled_from(["a.md", "b.md#x", "c.md"])


def update(alias: Alias | None, place: str, now: float) -> Alias:
    return update_alias(alias, Alias("cube", place, 0.7, 1, now))


def test_the_first_resolution_is_kept_as_it_is():
    assert update(None, "a.md#cube", 5.0) == Alias("cube", "a.md#cube", 0.7, 1, 5.0)


def test_each_confirmation_makes_it_surer_up_to_a_limit():
    alias = update(None, "a.md", 1.0)
    alias = update(alias, "a.md", 2.0)
    assert alias == Alias("cube", "a.md", 0.75, 2, 2.0)
    for moment in range(20):
        alias = update(alias, "a.md", float(moment))
    assert (alias.confidence, alias.usage_count) == (0.99, 22)


def test_a_different_resolution_makes_it_less_sure_and_at_last_replaces_it():
    alias = Alias("cube", "a.md", 0.75, 2, 2.0)
    alias = update(alias, "b.md", 3.0)
    assert alias == Alias("cube", "a.md", 0.6, 2, 2.0)
    alias = update(alias, "b.md", 4.0)
    assert alias == Alias("cube", "b.md", 0.7, 1, 4.0)


def test_exactly_a_half_is_kept():
    assert update(Alias("cube", "a.md", 0.65, 1, 1.0), "b.md", 2.0).confidence == 0.5


def test_what_is_taught_is_its_last_teachers_and_stays_so_when_it_is_found_again():
    ann, ben = (
        Alias("cube", "a.md", 0.7, 1, 1.0, is_taught=True, taught_by=name)
        for name in ("ann", "ben")
    )
    assert update_alias(ann, ben).taught_by == "ben"
    again = update_alias(ann, replace(ben, is_taught=False))
    assert (again.is_taught, again.taught_by) == (True, "ann")


@given(st.lists(PLACES, min_size=1, max_size=40))
def test_confidence_stays_in_its_bounds_and_the_place_is_one_that_was_resolved(places):
    alias = None
    for moment, place in enumerate(places):
        alias = update(alias, place, float(moment))
        assert 0.5 <= alias.confidence <= 0.99
        assert alias.citation in places[: moment + 1]
    assert alias is not None
    if len(set(places)) == 1:
        assert alias.usage_count == len(places)
