"""Calls run, wait and are refused within bounds, and whoever waits gets a turn."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.slots import Slots, SlotSettings
from wellworn.errors import Overloaded


@given(
    at_once=st.integers(1, 4),
    most_waiting=st.integers(0, 6),
    share=st.integers(1, 6),
    steps=st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["ask", "end"]))),
)
def test_bounds_hold_and_every_slot_comes_back(at_once, most_waiting, share, steps):
    settings = SlotSettings(at_once=at_once, most_waiting=most_waiting, most_of_a_caller=share)

    async def live() -> None:
        slots = Slots(settings)
        calls: list[tuple[str, asyncio.Task]] = []
        for caller, step in steps:
            if step == "ask":
                calls.append((caller, asyncio.create_task(slots.take(caller))))
            elif calls:
                end(calls.pop(0)[1])
            for _ in range(3):
                await asyncio.sleep(0)
            assert slots.running <= at_once
            assert slots.waiting <= most_waiting
            assert slots.waiting == 0 or slots.running == at_once
            held = Counter(caller for caller, call in calls if not was_refused(call))
            assert max(held.values(), default=0) <= share
        waiting = {call for _, call in calls}
        while waiting:
            ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for call in ended:
                end(call)
        assert (slots.running, slots.waiting) == (0, 0)

    asyncio.run(live())


def was_refused(call):
    return call.done() and call.exception() is not None


def end(call):
    """End a call that runs, giving back twice what is given back once; leave one that waits."""
    if not call.done():
        call.cancel()
    elif call.exception() is None:
        call.result().give_back()
        call.result().give_back()


def test_a_single_call_stands_behind_one_of_a_crowd_only():
    async def live() -> list[str]:
        slots, began = Slots(SlotSettings(at_once=1)), []

        async def call(caller: str) -> None:
            slot = await slots.take(caller)
            began.append(caller)
            slot.give_back()

        first = await slots.take("crowd")
        calls = [asyncio.create_task(call(caller)) for caller in ["crowd"] * 20 + ["single"]]
        await asyncio.sleep(0)
        first.give_back()
        await asyncio.gather(*calls)
        return began

    assert asyncio.run(live()).index("single") <= 1


def test_who_has_its_share_is_refused_while_others_get_in():
    async def live() -> None:
        slots = Slots(SlotSettings(at_once=4, most_of_a_caller=2))
        for _ in range(2):
            await slots.take("a")
        with pytest.raises(Overloaded):
            await slots.take("a")
        await slots.take("b")

    asyncio.run(live())


def test_a_call_given_up_in_the_moment_of_its_turn_costs_nobody_a_slot():
    async def live() -> None:
        slots = Slots(SlotSettings(at_once=1))
        first = await slots.take("a")
        given_up = asyncio.create_task(slots.take("b"))
        patient = asyncio.create_task(slots.take("c"))
        await asyncio.sleep(0)
        given_up.cancel()
        first.give_back()
        (await patient).give_back()
        granted = await slots.take("a")
        late = asyncio.create_task(slots.take("b"))
        await asyncio.sleep(0)
        granted.give_back()
        late.cancel()
        await asyncio.wait([given_up, late])
        assert (slots.running, slots.waiting) == (0, 0)

    asyncio.run(live())
