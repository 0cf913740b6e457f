"""The patterns of attempts to command the agent who reads a text; `attempts.toml` lists them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from wellworn.kit.words import load_table

_EDGE = r"(?:(?<!\w)|(?!\w))"
_NAMED = re.compile(r"\b[A-Z]{3,12}\b")
_NEAR = r"[^.!?\n]{0,60}?"

_TABLE: Mapping[str, Mapping[str, str]] = load_table(__package__, "attempts.toml")


def _compile(phrases: str) -> re.Pattern[str]:
    """Return one pattern for all lines, none of whose words begins or ends inside a longer word."""
    lines = (line.strip() for line in phrases.strip().splitlines())
    anyone = "|".join(line.replace(" … ", _EDGE + _NEAR + _EDGE) for line in lines if line)
    spelled = _NAMED.sub(lambda name: f"(?:{_TABLE['vocabulary'][name[0]]})", anyone)
    return re.compile(f"{_EDGE}(?:{spelled}){_EDGE}")


# Made when first needed: that takes a quarter of a second, and many servers never need it.
@cache
def compile_any_attempt() -> re.Pattern[str]:
    """Return one pattern for all phrases: most texts hold none, and one pass says so."""
    return _compile("\n".join(_TABLE["phrases"].values()))


@cache
def compile_attempts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each reason with its pattern."""
    return tuple((reason, _compile(phrases)) for reason, phrases in _TABLE["phrases"].items())
