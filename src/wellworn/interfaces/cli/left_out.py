"""Tells what an import leaves out: the first few by name, all of them as a count."""

from __future__ import annotations

from typing import Final

from wellworn.interfaces.cli.output import note

_MOST_TOLD: Final = 20


class LeftOut:
    """Counts what is left out, and prints the first sentences about it to stderr."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self, sentence: str) -> None:
        """Count one, and print its sentence unless many were printed before."""
        self.count += 1
        if self.count <= _MOST_TOLD:
            note(sentence)

    def tell_rest(self) -> None:
        """Print how many were counted and not printed."""
        if self.count > _MOST_TOLD:
            note(f"{self.count - _MOST_TOLD} more were left out")

    @property
    def summary(self) -> str:
        """Return the end of a summary; empty if nothing was left out."""
        return f", left out: {self.count}" if self.count else ""
