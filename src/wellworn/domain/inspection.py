"""Reads what comes in for orders to its readers: by rules, by a reader, and by a model.

Source: `docs/security.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from wellworn.engines.safety import find_suspicions, list_readings
from wellworn.errors import EmbeddingFailed, ReadingFailed

_log = logging.getLogger(__name__)


class OrderJudge(Protocol):
    def is_order(self, text: str) -> bool:
        """Tell whether any part of a text reads like an order to its reader.

        Raises:
            EmbeddingFailed, ReadingFailed: the model is missing or damaged, or inference failed.
        """
        ...


class Inspector:
    """Judges texts; without models, or while they fail, by the rules alone."""

    def __init__(self, judge: OrderJudge | None = None, reader: OrderJudge | None = None) -> None:
        """Take a model that reads what addresses somebody, and a reader that reads every text."""
        self._judge = judge
        self._reader = reader
        self._has_failed = False

    def is_order(self, text: str, *names: str) -> bool:
        """Tell whether a text, or a name that stands beside it, reads like an order.

        Names are too short for the models.
        """
        is_suspected = bool(find_suspicions("\n".join(filter(None, (text, *names)))))
        return is_suspected or self._ask(self._reader, [text]) or self._ask_model(text)

    def _ask_model(self, text: str) -> bool:
        return self._judge is not None and self._ask(self._judge, list_readings(text))

    def _ask(self, judge: OrderJudge | None, readings: Sequence[str]) -> bool:
        """Tell whether each of the forms of a text reads like an order to a judge."""
        try:
            return judge is not None and bool(readings) and all(map(judge.is_order, readings))
        except (EmbeddingFailed, ReadingFailed) as error:
            if not self._has_failed:
                _log.warning("fewer orders are told: %s", error.message)
            self._has_failed = True
            return False
