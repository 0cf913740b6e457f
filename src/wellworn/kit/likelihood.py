"""Words for how sure something is that was inferred."""

from __future__ import annotations

from typing import Final

PROBABLE: Final = 0.5
"""From here on what is inferred is probably so; of less confidence it is perhaps so."""


def qualify(verb: str, confidence: float, *, is_stated: bool) -> str:
    """Return a verb with how sure it is; what somebody stated at least needs no `probably`."""
    if confidence < PROBABLE:
        return f"perhaps {verb}"
    return verb if is_stated else f"probably {verb}"
