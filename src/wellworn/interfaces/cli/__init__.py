"""The command line: parse words, call the memory, print. It decides nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wellworn.interfaces.cli.waiting import note_if_slow

if TYPE_CHECKING:
    from collections.abc import Sequence


_SILENT_S = 0.4


def main(words: Sequence[str] | None = None) -> int:
    """Run the program with the words of the command line and return its exit code."""
    if [*(sys.argv[1:] if words is None else words)] == ["mcp"]:
        # What every agent starts: it is there in a third of the time that all commands take.
        from wellworn.interfaces.mcp import run_by_environment

        if run_by_environment():
            return 0
    with note_if_slow("loading wellworn", after_s=_SILENT_S):
        from wellworn.interfaces.cli import app
    return app.main(words)
