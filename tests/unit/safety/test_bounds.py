"""No input makes a pattern slow, because none of them repeats anything without end.

Structure is asserted, not time: a bound on every quantifier keeps the work for each character
of the input below a constant, whatever the machine.
"""

from __future__ import annotations

import re
from re import _parser as parser

import pytest

from wellworn.engines.safety import (
    fencing,
    plausibility,
    redaction,
    secret_places,
    suspicion,
)
from wellworn.engines.safety.secret_rules import RULES
from wellworn.kit import neutralising

# Looks for the end of a value that was already found, so each character is looked at once.
LARGEST = 65_536
MODULES = (fencing, neutralising, plausibility, redaction, secret_places, suspicion)
PATTERNS = {
    f"{module.__name__}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}
PATTERNS |= {f"{rule.kind}-{number}": rule.pattern for number, rule in enumerate(RULES)}
PATTERNS |= dict(suspicion.compile_attempts())


def bounds(pattern: str) -> list[int]:
    """Return the upper bound of every quantifier of a pattern."""
    found: list[int] = []
    todo: list[object] = [parser.parse(pattern)]
    while todo:
        match todo.pop():
            case (kind, (_, most, inner)) if str(kind).endswith("_REPEAT"):
                found.append(int(most))
                todo.append(inner)
            case list() | tuple() | parser.SubPattern() as parts:
                todo.extend(parts)
            case _:
                pass
    return found


@pytest.mark.parametrize("name", PATTERNS)
def test_every_quantifier_is_bounded(name: str) -> None:
    assert max(bounds(PATTERNS[name].pattern), default=0) <= LARGEST


@pytest.mark.parametrize(
    "pattern", ["a*", "a+?", "(?:b|c(?i:d*))", "(?P<x>(?<!y)[z]++)", "(?=a{2,})b"]
)
def test_an_endless_quantifier_would_be_seen(pattern: str) -> None:
    assert max(bounds(pattern)) > LARGEST
