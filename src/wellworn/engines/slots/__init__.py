"""Slots for calls: some run at once, a few wait, the others are told to come again."""

from __future__ import annotations

from wellworn.engines.slots.settings import SlotSettings
from wellworn.engines.slots.slots import Slot, Slots

__all__ = ["Slot", "SlotSettings", "Slots"]
