"""What a process of our own modules gets of its parent's environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_SOURCES: Final = Path(__file__).parents[2]


def build_child_environment(*variables: str) -> dict[str, str]:
    """Return what a child needs to find its modules, the variables named, and no secret."""
    path = os.pathsep.join(filter(None, (str(_SOURCES), os.environ.get("PYTHONPATH"))))
    chosen = {name: os.environ[name] for name in variables if name in os.environ}
    return {**chosen, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
