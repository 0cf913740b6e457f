"""Files of turns as people open them: a vault of Obsidian for everybody who asked.

They are derived from the records alone, and never read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from wellworn.errors import InvalidInput
from wellworn.kit.ids import make_folder_name
from wellworn.kit.pictures import decode_file


def write_turn_file(folder: Path, record: Mapping[str, Any]) -> None:
    """Write a file of a user's turns into the user's vault below a folder.

    Raises:
        InvalidInput: its path leads out of the vault.
        OSError: it cannot be written.
    """
    path = PurePosixPath(record["path"])
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInput("a file of a turn has a path that leads out of its vault")
    target = folder / make_folder_name(record["user_id"]) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(decode_file(record["path"], record["content"]))
