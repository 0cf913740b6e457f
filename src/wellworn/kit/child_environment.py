"""Builds the environment of a process that we start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_SOURCES: Final = Path(__file__).parents[2]


def build_child_environment(*variables: str) -> dict[str, str]:
    """Return what a child needs to find our modules, the variables named, and no secret."""
    path = os.pathsep.join(filter(None, (str(_SOURCES), os.environ.get("PYTHONPATH"))))
    return {**choose_variables(*variables), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def choose_variables(*names: str) -> dict[str, str]:
    """Return the variables of these names, and no other one."""
    return {name: os.environ[name] for name in names if name in os.environ}
