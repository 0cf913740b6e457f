"""Calls that last long: each caller has a share, and who waits for a slot gets the next."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from wellworn.engines.slots import MOST_OF_A_CALLER, CallerSlots
from wellworn.errors import Overloaded, RateLimited


def fill(slots, *callers):
    return [slots.take(*callers) for _ in range(MOST_OF_A_CALLER)]


def test_who_waits_has_a_slot_as_soon_as_a_thread_gives_one_back():
    slots = CallerSlots("turns")

    async def wait_for_one() -> None:
        first, second, *_ = fill(slots, "ada")
        waiting = asyncio.create_task(slots.take_soon("ada", within_s=600))
        other = asyncio.create_task(slots.take_soon("ada", within_s=600))
        await asyncio.sleep(0)
        assert not waiting.done()
        await asyncio.to_thread(slots.give_back, first)
        await asyncio.wait({waiting, other}, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done() != other.done()
        await asyncio.to_thread(slots.give_back, second)
        await asyncio.gather(waiting, other)
        with pytest.raises(RateLimited):
            slots.take("ada")

    asyncio.run(wait_for_one())


def test_who_has_waited_long_enough_or_is_gone_takes_no_slot():
    slots = CallerSlots("turns")

    async def give_up() -> None:
        held = fill(slots, "ada")
        with pytest.raises(RateLimited, match="at most 4 turns at once"):
            await slots.take_soon("ada", within_s=0)
        waiting = asyncio.create_task(slots.take_soon("ada", within_s=600))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        for slot in held[:2]:
            slots.give_back(slot)

    asyncio.run(give_up())
    with slots.hold("ada"), slots.hold("ada"), pytest.raises(RateLimited):
        slots.take("ada")
    fill(slots, "bo")


def test_a_long_call_counts_as_several_of_its_caller_and_as_one_of_all():
    slots = CallerSlots("turns")
    with slots.hold("ada"), pytest.raises(RateLimited, match="this one counts as 4"):
        slots.take("ada", weight=9)
    longest = [slots.take(name, weight=9) for name in "abcdefgh"]
    with pytest.raises(RateLimited, match="at most 4 turns at once; read"):
        slots.take("a")
    for slot in longest:
        slots.give_back(slot)

    async def wait_for_one() -> None:
        first, second = slots.take("ada", weight=2), slots.take("ada")
        waiting = asyncio.create_task(slots.take_soon("ada", weight=3, within_s=600))
        await asyncio.sleep(0)
        await asyncio.to_thread(slots.give_back, second)
        assert not waiting.done()
        await asyncio.to_thread(slots.give_back, first)
        assert (await waiting).weight == 3

    asyncio.run(wait_for_one())


def test_callers_together_have_a_share_too():
    slots = CallerSlots("waits", most=2, most_of_a_caller=2)
    with slots.hold("ada"), slots.hold("bo"), pytest.raises(RateLimited):
        slots.take("kim")
    slots.take("kim")


def test_who_has_most_gives_up_what_they_hold_for_longest():
    slots = CallerSlots("turns")
    held = {name: fill(slots, "root", name) for name in ("ada", "bo", "kim", "lou")}
    eve = slots.take("root", "eve")
    assert [slot.is_given_up for slot in held["ada"]] == [True, False, False, False]
    with pytest.raises(Overloaded, match="you had most turns under way"):
        held["ada"][0].check()
    eve.check()
    with pytest.raises(RateLimited):
        slots.take("root", "ada")  # a slot that was given up counts for its caller
    for _ in range(2):
        slots.take("root", "eve")
    assert [any(slot.is_given_up for slot in each) for each in held.values()] == [True] * 3 + [
        False
    ]
    with pytest.raises(RateLimited):
        slots.take("root", "eve")


def test_whom_somebody_invited_make_room_for_another_and_bring_few_more_calls():
    slots = CallerSlots("turns")
    invented = [slots.take("root", "mallory", f"{number}") for number in range(16)]
    slots.take("root", "eve").check()
    assert [slot.is_given_up for slot in invented] == [True] + [False] * 15
    for slot in invented[1:5]:
        slots.give_back(slot)
    more = fill(slots, "root", "mallory", "16")
    for number in range(20):
        with suppress(RateLimited):
            more.append(slots.take("root", "mallory", f"new-{number}"))
    assert sum(slot.is_given_up for slot in invented + more) == MOST_OF_A_CALLER
    slots.take("root", "another").check()


def test_an_address_makes_room_for_a_member():
    slots = CallerSlots("exports")
    for number in range(4):
        fill(slots, f"address/{number}")
    slots.take("member/root", "member/ada").check()
    slots.take("address/4").check()
