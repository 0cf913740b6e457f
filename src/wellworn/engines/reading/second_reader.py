"""Reads beside the shipped reader, and tells orders to agents: a second small model.

It learned from other examples, so where both say the same it is surer than either; and what it
learned of orders would have cost one reader some of what it knew of questions.

Source: docs/adr/0021-order-model.md; training/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wellworn.engines.reading.model_reader import ModelReader
from wellworn.engines.reading.models import ORDER_QUESTION, RunsPairs

_NAME: Final = "second reader"
_WINDOW: Final = 900
_OVERLAP: Final = 250
"""Characters of a text that are asked at once, and how many of them again with what follows."""
_LEAST: Final = 0.9933
"""The probability from which a text is an order: docs/benchmarks.md, "Orders to the agent"."""


class SecondReader(ModelReader):
    """A reader that knows orders when it reads one; safe to share between threads."""

    def __init__(self, load: Callable[[], RunsPairs]) -> None:
        super().__init__(_NAME, load)

    def is_order(self, text: str) -> bool:
        """Tell whether a part of a text is an order to the agent that reads it.

        Raises:
            ReadingFailed: the model is missing or damaged, or inference failed.
        """
        starts = range(0, max(len(text) - _OVERLAP, 1), _WINDOW - _OVERLAP)
        parts = [text[start : start + _WINDOW] for start in starts]
        return any(each.answers >= _LEAST for each in self.read(ORDER_QUESTION, parts))
