"""The patterns of attempts to command the agent who reads a text; `attempts.toml` lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from wellworn.kit.words import load_table

_EDGE = r"(?:(?<!\w)|(?!\w))"
_NAMED = re.compile(r"\b[A-Z]{3,12}\b")
_NEAR = r"[^.!?\n]{0,60}?"
#: What lines begin with that stand for no word, and those that stand for words of other scripts.
_MARKS = ("!", "#", "<")
_ESCAPE = "\\"
_OTHER_SCRIPTS = re.compile(r"[\u0400-\u04ff\u4e00-\u9fff]")

_TABLE: Mapping[str, Mapping[str, str]] = load_table(__package__, "attempts.toml")


def _compile(lines: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for all lines, none of whose words begins or ends inside a longer word."""
    lines = list(lines)
    # Where a mark begins a phrase, no word does: most places in a text are neither's.
    words = "|".join(line for line in lines if not line.startswith(_MARKS))
    marks = "|".join(line for line in lines if line.startswith(_MARKS))
    begun = "|".join(filter(None, (words and rf"\b(?:{words})", marks)))
    gapped = begun.replace(" … ", _EDGE + _NEAR + _EDGE)
    spelled = _NAMED.sub(lambda name: f"(?:{_TABLE['vocabulary'][name[0]]})", gapped)
    return re.compile(f"(?:{spelled}){_EDGE}")


def _list_lines(phrases: str) -> list[str]:
    return [line for line in map(str.strip, phrases.splitlines()) if line]


def may_hold_attempt(text: str) -> bool:
    """Tell whether a text, prepared as for the patterns, matches any: most match none."""
    return (
        _compile_any(has_other_scripts=bool(_OTHER_SCRIPTS.search(text))).search(text) is not None
    )


# Made when first needed: that takes a quarter of a second, and many servers never need it.
@cache
def _compile_any(*, has_other_scripts: bool) -> re.Pattern[str]:
    """Return one pattern for all phrases, or for those in Latin letters alone."""
    lines = _list_lines("\n".join(_TABLE["phrases"].values()))
    return _compile(line for line in lines if has_other_scripts or not line.startswith(_ESCAPE))


@cache
def compile_attempts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each reason with its pattern."""
    return tuple(
        (reason, _compile(_list_lines(phrases))) for reason, phrases in _TABLE["phrases"].items()
    )
