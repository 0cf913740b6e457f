"""Every pattern reads what others write in linear time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hostile_patterns
from hostile_patterns import Seen

pytestmark = pytest.mark.slow

_MANY = 400


def _read_alone(*words: str) -> dict[str, object]:
    """Return what a process of its own finds; what it measures is its own time."""
    done = subprocess.run(
        [sys.executable, hostile_patterns.__file__, *words],
        cwd=Path(hostile_patterns.__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_no_pattern_takes_more_than_linear_time():
    found = _read_alone()
    assert found["patterns"] > _MANY
    assert found["steep"] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\W*(?:\(\w+\))?\W*[Dd]efaults to",
        r"\s+$",
        r"\[[^\]]*\]\([^)]*\)",
        r"(?:a+)+b",
        r"<%.*?%>",
        r"[\w-]*\d[\w.-]*x",
    ],
)
def test_a_steep_pattern_is_found(pattern):
    # What else the processor does may hide it once.
    assert any(_read_alone(pattern)["steep"] for _ in range(3))


@pytest.mark.parametrize(
    "pattern", [r"(?<!\W)\W*+x", r"(?<!\s)\s++$", r"\[[^\[\]]{0,90}\]", r"\b\w++!"]
)
def test_a_linear_pattern_is_not(pattern):
    assert _read_alone(pattern)["steep"] == []


def test_what_is_grown_holds_what_a_pattern_looks_for():
    texts = hostile_patterns.list_hostile(re.compile(r"note: (?:x-)+;"))
    assert any("note: x-x-x-" in text.grow(20) for text in texts)


def test_a_pattern_is_tried_by_the_methods_that_read_with_it():
    restarting = re.compile(r"\s+;")
    assert hostile_patterns.find_hostile(Seen(restarting, "here", {"match"})) is None
    assert hostile_patterns.find_hostile(Seen(restarting, "here", {"search"})) is not None
