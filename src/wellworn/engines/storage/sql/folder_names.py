"""What tells a data folder from that of another server, and files that are written whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from wellworn.kit.ids import new_id

_PLACE: Final = "PLACE"
"""The file that tells a data folder from that of another server."""


def name_folder(home: Path, *, make: bool) -> str:
    """Return what tells a data folder from all others; empty where nothing does yet."""
    mark = home / _PLACE
    name = mark.read_text(encoding="utf-8") if mark.exists() else ""
    if make and not name:
        name = new_id()
        write_whole(mark, name)
    return name


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all, whatever happens meanwhile."""
    draft = path.with_name(f".{path.name}")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
