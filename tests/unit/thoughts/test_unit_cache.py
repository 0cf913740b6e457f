"""Units kept in memory: found again, bounded, and gone when they are told to be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.unit_cache import UnitCache
from wellworn.engines.retrieval import Unit


def unit(seq: int, size: int = 100) -> Unit:
    return Unit(seq, "turn", place=("a", seq), codes=bytes(size), counts=b"12345")


def test_what_was_kept_is_found_in_its_space_alone():
    recent = UnitCache()
    recent.put("one", [unit(1), unit(2)])
    assert recent.find("one", [2, 3]) == {2: unit(2)}
    assert recent.find("other", [1, 2]) == {}


def test_a_thought_without_features_is_looked_up_again():
    recent = UnitCache()
    recent.put("one", [Unit(1, "turn", place=("a", 1))])
    assert recent.find("one", [1]) == {}


def test_what_is_forgotten_is_gone_and_nothing_else():
    recent = UnitCache(limit_bytes=16_000)  # more than half of it, so in both halves
    recent.put("one", [unit(seq) for seq in range(15)])
    recent.discard([1, 11, 99])
    for seq in range(15):
        assert (seq in recent.find("one", [seq])) == (seq not in {1, 11})


def test_what_is_asked_for_stays_while_others_come_and_go():
    recent = UnitCache(limit_bytes=20_000)
    recent.put("one", [unit(0)])
    for seq in range(1, 500):
        recent.put("one", [unit(seq)])
        assert recent.find("one", [0]) == {0: unit(0)}
    assert recent.find("one", [250]) == {}
    assert recent.find("one", [499]) == {499: unit(499)}


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3_000)), max_size=120))
def test_no_more_is_kept_than_there_is_room_for(arriving):
    recent = UnitCache(limit_bytes=20_000)
    for seq, size in arriving:
        recent.put("one", [unit(seq, size)])
        kept = recent.find("one", range(41)).values()
        assert sum(len(one.codes) + len(one.counts) for one in kept) <= 20_000
