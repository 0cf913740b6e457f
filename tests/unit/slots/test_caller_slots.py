"""Calls that last long: each caller has a share, and who waits for a slot gets the next."""

from __future__ import annotations

import asyncio

import pytest

from wellworn.engines.slots import MOST_OF_A_CALLER, CallerSlots
from wellworn.errors import RateLimited


def fill(slots, caller):
    for _ in range(MOST_OF_A_CALLER):
        slots.take(caller)


def test_who_waits_has_a_slot_as_soon_as_a_thread_gives_one_back():
    slots = CallerSlots("turns")

    async def wait_for_one() -> None:
        fill(slots, "ada")
        waiting = asyncio.create_task(slots.take_soon("ada", within_s=600))
        other = asyncio.create_task(slots.take_soon("ada", within_s=600))
        await asyncio.sleep(0)
        assert not waiting.done()
        await asyncio.to_thread(slots.give_back, "ada")
        await asyncio.wait({waiting, other}, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done() != other.done()
        await asyncio.to_thread(slots.give_back, "ada")
        await asyncio.gather(waiting, other)
        with pytest.raises(RateLimited):
            slots.take("ada")

    asyncio.run(wait_for_one())


def test_who_has_waited_long_enough_or_is_gone_takes_no_slot():
    slots = CallerSlots("turns")

    async def give_up() -> None:
        fill(slots, "ada")
        with pytest.raises(RateLimited, match="at most 4 turns at once"):
            await slots.take_soon("ada", within_s=0)
        waiting = asyncio.create_task(slots.take_soon("ada", within_s=600))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        slots.give_back("ada")

    asyncio.run(give_up())
    slots.give_back("ada")
    with slots.hold("ada"), slots.hold("ada"), pytest.raises(RateLimited):
        slots.take("ada")
    fill(slots, "bo")


def test_callers_together_have_a_share_too():
    slots = CallerSlots("waits", most=2, most_of_a_caller=2)
    with slots.hold("ada"), slots.hold("bo"), pytest.raises(RateLimited):
        slots.take("kim")
    slots.take("kim")
