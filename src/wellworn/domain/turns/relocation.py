"""The files of a turn on their way into the archive, and out of it.

They move from `turns` to `archive/YYYY-MM`. Where a document was, a note says so, so that links to
it lead somewhere. A move that was interrupted is ended by the next one: files are copied, the
metadata last, before any is removed.
"""

from __future__ import annotations

import posixpath

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import METADATA, change_metadata
from wellworn.domain.turns.links import format_wikilink, relocate_links
from wellworn.domain.turns.models import Turn, format_folder
from wellworn.domain.turns.webpages import FOLDER as CAPTURES
from wellworn.domain.turns.webpages import MOVED_TO, write_json
from wellworn.kit.clock import format_day, to_iso


def move_turn(vault: Vault, turn: Turn, moved: Turn) -> None:
    """Move the files of a turn to the folder that it has from now on, with what they link to."""
    source, target = f"{turn.folder}/{METADATA}", f"{moved.folder}/{METADATA}"
    metadata = vault.read(source)
    if metadata is not None and vault.read(target) is None:
        for path in vault.list_paths(turn.folder):
            to = moved.folder + path.removeprefix(turn.folder)
            if path != source and (text := vault.read(path)) is not None:
                vault.write(to, _relocate(text, path, to, turn.folder))
        vault.write(target, change_metadata(metadata, moved))
    if vault.read(target) is not None:
        vault.remove(turn.folder)


def _relocate(text: str, path: str, to: str, folder: str) -> str:
    return relocate_links(text, path, to, folder) if path.endswith(".md") else text


def write_stand_ins(vault: Vault, turn: Turn) -> None:
    """Write, where the documents of an archived turn were, the notes that say where they are."""
    if turn.archived_at is None:
        return
    folder = format_folder(turn.number)
    for path in vault.list_paths(turn.folder):
        name = posixpath.relpath(path, turn.folder)
        if name.endswith(".md"):
            link = format_wikilink(path, f"Turn {turn.number}: {name}")
            vault.write(
                f"{folder}/{name}",
                f"# Archived\n\nArchived on {format_day(turn.archived_at)}: {link}\n\n"
                f"`wellworn turn restore {turn.number}` brings it back.\n",
            )
        elif name.startswith(f"{CAPTURES}/") and name.endswith(".json"):
            moved = {"archived_at": to_iso(turn.archived_at), MOVED_TO: path}
            write_json(vault, f"{folder}/{name}", moved)
