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
            free = at_once - slots.running
            runs = Counter(
                caller for caller, call in calls if call.done() and not was_refused(call)
            )
            waits = {caller for caller, call in calls if not call.done()}
            assert free == 0 or all(runs[caller] >= free for caller in waits)
            held = Counter(caller for caller, call in calls if not was_refused(call))
            assert max(held.values(), default=0) <= share
        waiting = {call for _, call in calls}
        while waiting:
            ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for call in ended:
                end(call)
        assert (slots.running, slots.waiting) == (0, 0)

    asyncio.run(live())


async def ask_many(slots, many, *callers, size=0):
    """Let somebody ask many times at once; return how many of the calls run, and all of them."""
    calls = [asyncio.create_task(slots.take(*callers, size=size)) for _ in range(many)]
    await asyncio.sleep(0)
    return sum(call.done() and not was_refused(call) for call in calls), calls


def test_nobody_holds_all_slots_and_the_next_in_gets_one_at_once():
    async def live() -> list[int]:
        slots = Slots(SlotSettings())
        return [(await ask_many(slots, 10, f"{number}"))[0] for number in range(6)]

    assert asyncio.run(live()) == [8, 4, 2, 1, 1, 0]


LONG = 9_900


def test_calls_with_long_texts_run_one_at_a_time_and_leave_the_slots_to_others():
    async def live() -> tuple[list[str], int]:
        slots, began = Slots(SlotSettings()), []
        running, calls = await ask_many(slots, 40, "greedy", size=LONG)
        assert running == 1
        for number in range(12):
            await slots.take(f"other {number}")  # each at once
        assert slots.running == 13

        async def go_on(call) -> None:
            slot = await call
            began.append("greedy")
            await asyncio.sleep(0)
            assert slots.running <= 16
            slot.give_back()

        await asyncio.gather(*map(go_on, calls))
        return began, slots.running

    began, running = asyncio.run(live())
    assert (len(began), running) == (40, 12)


def test_a_text_of_any_length_gets_its_turn_and_one_call_beside_it_runs():
    async def live() -> None:
        slots = Slots(SlotSettings())
        running, calls = await ask_many(slots, 2, "ada", size=16 * 1024 * 1024)
        assert running == 1
        await slots.take("bob", size=16 * 1024 * 1024)
        calls[0].result().give_back()
        await calls[1]
        assert (await ask_many(slots, 1, "bob"))[0] == 1

    asyncio.run(live())


def test_members_whom_somebody_invented_share_the_slots_of_that_one():
    async def live() -> list[int]:
        slots = Slots(SlotSettings())
        invented = [
            (await ask_many(slots, 4, "admin", "founder", f"{number}"))[0] for number in range(4)
        ]
        own, _ = await ask_many(slots, 4, "admin", "founder")
        victim, _ = await ask_many(slots, 4, "admin", "victim")
        return [sum(invented) + own, victim]

    assert asyncio.run(live()) == [8, 4]


def test_who_waits_for_the_own_calls_keeps_nobody_else_waiting():
    async def live() -> None:
        slots = Slots(SlotSettings(most_waiting=4))
        running, calls = await ask_many(slots, 13, "greedy")
        assert (running, slots.waiting) == (8, 4)
        assert sum(map(was_refused, calls)) == 1
        for number in range(3):
            await slots.take(f"other {number}")
        calls[0].result().give_back()
        await asyncio.sleep(0)
        assert (slots.running, slots.waiting) == (10, 4)  # others have come, so it has fewer

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
