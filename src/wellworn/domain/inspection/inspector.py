"""Reads what comes in for orders to its readers, by rules, and by a model where they see none.

Source: `docs/security.md`.
"""

from __future__ import annotations

import logging
from typing import Protocol

from wellworn.engines.safety import find_suspicions, list_readings
from wellworn.errors import EmbeddingFailed

_log = logging.getLogger(__name__)


class OrderJudge(Protocol):
    def is_order(self, text: str) -> bool:
        """Tell whether any part of a text reads like an order to its reader.

        Raises:
            EmbeddingFailed: the model is missing or damaged, or inference failed.
        """
        ...


class Inspector:
    """Judges texts; without a model, or while it fails, by the rules alone."""

    def __init__(self, judge: OrderJudge | None = None) -> None:
        self._judge = judge
        self._has_failed = False

    def is_order(self, text: str, *names: str) -> bool:
        """Tell whether a text, or a name that stands beside it, reads like an order.

        Names are too short for the model.
        """
        is_suspected = bool(find_suspicions("\n".join(filter(None, (text, *names)))))
        return is_suspected or self._asks_model(text)

    def _asks_model(self, text: str) -> bool:
        if self._judge is None:
            return False
        readings = list_readings(text)
        try:
            return bool(readings) and all(map(self._judge.is_order, readings))
        except EmbeddingFailed as error:
            if not self._has_failed:
                _log.warning("orders are told by rules alone: %s", error.message)
            self._has_failed = True
            return False
