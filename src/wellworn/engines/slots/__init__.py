"""Slots for calls: some run at once, a few wait, the others are told to come again."""

from __future__ import annotations

from wellworn.engines.slots.caller_slots import MOST_OF_A_CALLER, CallerSlot, CallerSlots
from wellworn.engines.slots.settings import SlotSettings
from wellworn.engines.slots.slots import RETRY_AFTER_S, SLOT, Slot, Slots, give_back_slot
