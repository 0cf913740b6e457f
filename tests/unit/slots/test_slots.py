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
    steps=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", "d", "a/b", "a/c"]), st.sampled_from(["ask", "end"])
        )
    ),
)
def test_bounds_hold_and_every_slot_comes_back(at_once, most_waiting, share, steps):
    settings = SlotSettings(at_once=at_once, most_waiting=most_waiting, most_of_a_caller=share)

    async def live() -> None:
        slots = Slots(settings)
        calls: list[tuple[str, asyncio.Task]] = []
        for caller, step in steps:
            if step == "ask":
                calls.append((caller, asyncio.create_task(slots.take(*caller.split("/")))))
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


async def crowd(slots, many, *above, calls=1):
    """Let somebody's guests wait with calls; return these."""
    made = [
        asyncio.create_task(slots.take(*above, f"guest {number}"))
        for number in range(many)
        for _ in range(calls)
    ]
    await asyncio.sleep(0)
    return made


async def finish(call):
    (await call).give_back()


async def count_refused(calls):
    for _ in range(3):
        await asyncio.sleep(0)
    return sum(map(was_refused, calls))


FULL = SlotSettings(at_once=1, most_waiting=6, most_of_a_caller=6)


def test_where_no_more_may_wait_who_has_most_makes_room_for_who_has_fewer():
    async def live() -> None:
        slots = Slots(FULL)
        await slots.take("busy")
        greedy = await crowd(slots, 2, calls=3)
        single = asyncio.create_task(slots.take("single"))
        assert await count_refused(greedy) == 1
        again = [asyncio.create_task(slots.take("single")) for _ in range(2)]
        assert await count_refused(greedy) == 2
        assert list(map(was_refused, again)) == [False, True]  # nobody would have more than it
        assert not single.done()
        assert slots.waiting == 6

    asyncio.run(live())


def test_whoever_invites_many_has_the_turns_and_the_places_of_one():
    async def live() -> list[str]:
        slots, began = Slots(FULL), []

        async def call(*callers: str) -> None:
            slot = await slots.take(*callers)
            began.append(callers[-1])
            slot.give_back()

        first = await slots.take("admin", "founder")
        guests = await crowd(slots, 6, "admin", "founder")
        others = [asyncio.create_task(call("admin", name)) for name in ("ada", "bob")]
        assert await count_refused(guests) == 2
        assert not any(other.done() for other in others)
        more = await crowd(slots, 3, "admin", "founder", "deep")
        assert await count_refused(more) == 3
        first.give_back()
        await asyncio.gather(*map(finish, guests[:4]), *others)
        assert (slots.running, slots.waiting) == (0, 0)
        return began

    assert sorted(asyncio.run(live())) == ["ada", "bob"]


def test_a_party_of_many_gives_way_to_another_party_at_each_turn():
    async def live() -> list[str]:
        slots, began = Slots(SlotSettings(at_once=1)), []

        async def call(*callers: str) -> None:
            slot = await slots.take(*callers)
            began.append(callers[0])
            slot.give_back()

        first = await slots.take("founder")
        calls = [
            asyncio.create_task(call(*callers))
            for callers in [("founder", str(number)) for number in range(8)] + [("ada",)] * 2
        ]
        await asyncio.sleep(0)
        first.give_back()
        await asyncio.gather(*calls)
        return began

    assert "".join(name[0] for name in asyncio.run(live())[:4]) == "fafa"


def test_a_call_that_gave_way_as_it_was_given_up_counts_once():
    async def live() -> None:
        slots = Slots(FULL)
        first = await slots.take("busy")
        greedy = await crowd(slots, 1, calls=6)
        single = asyncio.create_task(slots.take("single"))
        greedy[-1].cancel()
        await asyncio.wait([greedy[-1]])
        first.give_back()
        await asyncio.gather(*map(finish, [*greedy[:-1], single]))
        assert (slots.running, slots.waiting) == (0, 0)

    asyncio.run(live())
