"""Words for how sure something is that was inferred, and whether it is so of all or of a part."""

from __future__ import annotations

from typing import Final

PROBABLE: Final = 0.5
"""From here on what is inferred is probably so; of less confidence it is perhaps so."""

ANSWERS: Final = 0.2
"""From here on a thought is said to answer, by the probability that a reader gives."""

_IN_PART: Final = "in part: "


def limit_reason(reason: str) -> str:
    """Return the reason of a link that holds of a part."""
    return f"{_IN_PART}{reason}"


def is_in_part(reason: str) -> bool:
    """Tell whether a link of this reason holds of a part."""
    return reason.startswith(_IN_PART)


def limit_verb(verb: str, reason: str) -> str:
    """Return a verb for a link of this reason: "replaced in part by" for "replaced by"."""
    if not is_in_part(reason):
        return verb
    first, _, rest = verb.partition(" ")
    return f"{first} in part {rest}".rstrip()


def qualify(verb: str, confidence: float, *, is_stated: bool) -> str:
    """Return a verb with how sure it is; what somebody stated at least needs no `probably`."""
    if confidence < PROBABLE:
        return f"perhaps {verb}"
    return verb if is_stated else f"probably {verb}"
