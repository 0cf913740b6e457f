"""The files of a turn on their way into the archive, out of it, or out of the vault.

They move from `turns` to `archive/YYYY-MM`. Where a document was, a note says so, so that links to
it lead somewhere. A move that was interrupted is ended by the next one: files are copied, the
metadata last, before any is removed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Set
from typing import Final

from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import METADATA, change_metadata
from wellworn.domain.turns.links import find_links, format_wikilink, relocate_links
from wellworn.domain.turns.models import Turn, format_folder
from wellworn.domain.turns.vaults import find_turn_folder
from wellworn.domain.turns.webpages import FOLDER as CAPTURES
from wellworn.domain.turns.webpages import MOVED_TO, format_json, parse_object, write_json
from wellworn.kit.clock import format_day, to_iso

_ARCHIVED: Final = "# Archived\n"
_DELETED: Final = "# Deleted\n"
_DELETED_JSON: Final = "deleted"
_BLOCK: Final = re.compile(r" \^([\w-]+)$", re.MULTILINE)


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
            blocks = [
                f"- {format_wikilink(path, block, block=block)} ^{block}"
                for block in dict.fromkeys(_BLOCK.findall(vault.read(path) or ""))
            ]
            about = [
                f"Archived on {format_day(turn.archived_at)}: {link}\n",
                f"`wellworn turn restore {turn.number}` brings it back.\n",
            ]
            vault.write(f"{folder}/{name}", "\n".join([_ARCHIVED, *about, *blocks]).rstrip() + "\n")
        elif name.startswith(f"{CAPTURES}/") and name.endswith(".json"):
            moved = {"archived_at": to_iso(turn.archived_at), MOVED_TO: path}
            write_json(vault, f"{folder}/{name}", moved)


def is_stand_in(path: str, text: str) -> bool:
    """Tell whether a file stands for one that was archived or deleted."""
    if path.endswith(".md"):
        return text.startswith((_ARCHIVED, _DELETED))
    data = parse_object(text) if path.endswith(".json") else {}
    return MOVED_TO in data or _DELETED_JSON in data


def _stands_for_deleted(path: str, text: str) -> bool:
    return is_stand_in(path, text) and (
        text.startswith(_DELETED) or _DELETED_JSON in parse_object(text)
    )


def drop_stand_ins(vault: Vault, folder: str) -> None:
    """Remove what stands for a deleted turn from a folder that another turn begins in."""
    document = f"{folder}/{CONTEXT}"
    if is_stand_in(document, vault.read(document) or ""):
        vault.remove(folder)


def mend_links(vault: Vault) -> None:
    """Write notes where documents are deleted that others link to, and remove those in vain."""
    paths = vault.list_paths("")
    texts = {path: vault.read(path) or "" for path in paths if path.endswith((".md", ".json"))}
    known = {path for path in paths if not _stands_for_deleted(path, texts.get(path, ""))}
    blocks: dict[str, set[str]] = {}
    for path in known:
        for link in find_links(path, texts[path]) if path.endswith(".md") else ():
            if link.path not in known and find_turn_folder(link.path):
                blocks.setdefault(link.path, set()).add(link.block)
    for path in set(paths) - known - blocks.keys():
        vault.remove(path)
    for path, linked in blocks.items():
        if texts.get(path) != (text := _format_deleted(path, linked)):
            vault.write(path, text)


def merge_stand_ins(path: str, own: str | None, other: str) -> str | None:
    """Return what stands for a deleted document here and elsewhere; None for one that is there."""
    if not _stands_for_deleted(path, other) or (own and not _stands_for_deleted(path, own)):
        return None
    return _format_deleted(path, {*_BLOCK.findall(own or ""), *_BLOCK.findall(other)})


def _format_deleted(path: str, blocks: Set[str]) -> str:
    if not path.endswith(".md"):
        return format_json({_DELETED_JSON: True})
    lines = [f"- {block} ^{block}" for block in sorted(blocks - {""})]
    about = [_DELETED, "This document was deleted with its turn.\n"]
    return "\n".join([*about, *lines]).rstrip() + "\n"
