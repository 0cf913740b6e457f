"""QR codes as the path of an SVG drawing, which needs no image, no style and no script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import segno

_MARGIN: Final = 4
"""Modules of quiet around the code, without which readers do not find it."""


@dataclass(frozen=True, slots=True)
class CodeDrawing:
    """A square of `size` modules, and the path of those that are dark."""

    size: int
    path: str


def draw_code(text: str) -> CodeDrawing:
    """Return the QR code of a text of up to some 2,000 characters."""
    rows = list(segno.make(text, error="m", micro=False).matrix)
    dark = (
        f"M{x + _MARGIN} {y + _MARGIN}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    )
    return CodeDrawing(len(rows) + 2 * _MARGIN, "".join(dark))
