"""How a long run of the encoder makes way for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


def _go_on() -> None:
    """Wait for nobody."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many texts are encoded at once, and what is waited for between them.

    Attributes:
        most: texts from one pause to the next, in each thread.
        threads: how many encode at once.
        wait: returns when the encoder may go on; what it raises ends the run.
    """

    most: int = 16
    threads: int = 2
    wait: Callable[[], None] = _go_on


AT_ONCE: Final = Pace()
"""Without making way for anybody."""
