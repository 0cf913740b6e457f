"""Makes of a full question what people type: lower case, no mark, few little words."""

from __future__ import annotations

import re
from random import Random
from typing import Final

_OPENINGS: Final = re.compile(
    r"^(what (is|are|was|were) |what's |who (is|was|are|were) |where (is|are|was|were) )"
)
_LITTLE: Final = re.compile(r"\b(the|a|an|do|does|did|is|are|was|were|has|have|had)\b ?")


def type_casually(question: str, rng: Random) -> str:
    """Return a question as somebody may type it."""
    asked = question.strip()
    way = rng.random()
    if way < 0.25:
        return asked.rstrip("? ")
    asked = asked.lower().rstrip("? ")
    if way < 0.6:
        return asked
    shorter = _OPENINGS.sub("", asked) if way < 0.8 else _LITTLE.sub("", asked)
    return shorter.strip() if len(shorter.split()) > 1 else asked
