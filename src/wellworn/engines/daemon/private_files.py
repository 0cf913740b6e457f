"""Makes what is on disk its owner's alone, whatever the shell and the folder's maker allow.

Source: `docs/security.md`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def create_files_privately() -> None:
    """Let every file and folder that this process makes be readable by its owner only."""
    os.umask(_OTHERS)


def make_private_folder(folder: Path) -> None:
    """Make a folder, or close one that is there to others; a folder of another user stays open."""
    folder.mkdir(parents=True, exist_ok=True, mode=stat.S_IRWXU)
    mode = folder.stat().st_mode
    if not mode & _OTHERS:
        return
    try:
        folder.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    except PermissionError:
        import logging  # noqa: PLC0415 - each hook would load it

        logging.getLogger(__name__).warning(
            "%s belongs to another user and is open to others; close it to them", folder
        )
