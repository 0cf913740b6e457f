"""Turns out of a space and in again, as their files; and which of them quote what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wellworn.domain.spaces import Access, Role
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import METADATA, read_turn, read_turn_id
from wellworn.domain.turns.journal import FILE as JOURNAL
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.quoting_turns import IsGone, QuotingTurn, find_quoting
from wellworn.domain.turns.relocation import is_stand_in, merge_stand_ins
from wellworn.domain.turns.vaults import Vaults, find_turn_folder, read_number
from wellworn.kit.pictures import decode_file

FindHolder = Callable[[str, int], str | None]


class TurnExchange:
    """Exports and imports files of turns, and finds those that quote something."""

    def __init__(self, vaults: Vaults) -> None:
        self._vaults = vaults

    def export_records(self, access: Access) -> Iterator[dict[str, Any]]:
        """Yield every file of the turns that the caller may read.

        What says which turn it is comes first of each.
        """
        for user_id, vault in self._vaults.list_readable(access).items():
            ids: dict[str, str | None] = {}
            for path in sorted(vault.list_paths(""), key=_order_path):
                folder = find_turn_folder(path)
                if folder is not None and folder not in ids:
                    ids[folder] = read_turn_id(vault.read(f"{folder}/{METADATA}"))
                if content := vault.read(path):
                    yield {
                        "record": "turn_file",
                        "user_id": user_id,
                        "path": path,
                        "content": content,
                        "turn_id": ids[folder] if folder is not None else None,
                    }

    def divide(
        self, access: Access, records: Sequence[Mapping[str, Any]], find_holder: FindHolder
    ) -> tuple[list[Mapping[str, Any]], tuple[str, ...]]:
        """Return the records whose turns have their numbers to themselves, and the other turns.

        `find_holder` returns the id of the turn that the index has under a user's number.
        """
        ids = {_find_key(each): turn_id for each in records if (turn_id := _read_id(each))}
        clashing = {
            key: f"turn {number} of {key[0]}"
            for key in dict.fromkeys(map(_find_key, records))
            if (number := read_number(key[1])) is not None
            and (holder := find_holder(key[0], number) or self._read_holder(access, *key))
            and ids.get(key) != holder
        }
        own = [each for each in records if _find_key(each) not in clashing]
        return own, tuple(clashing.values())

    def _read_holder(self, access: Access, user_id: str, folder: str) -> str | None:
        return read_turn_id(self._vaults.open(access, user_id).read(f"{folder}/{METADATA}"))

    def import_records(
        self, access: Access, records: Sequence[Mapping[str, Any]]
    ) -> set[tuple[str, str]]:
        """Write the files that are not there; return of each its user and its path.

        Raises:
            Forbidden: the caller is no admin, who alone can vouch for whose they are.
            InvalidInput: a path leads out of its user's files, or a picture is none.
        """
        if records:
            access.require(Role.ADMIN)
        new: set[tuple[str, str]] = set()
        for record in records:
            user_id, path = record["user_id"], record["path"]
            vault = self._vaults.create(access, user_id)
            decode_file(path, record["content"])
            if (text := vault.read(path)) is None or is_stand_in(path, text):
                vault.write(path, record["content"])
                new.add((user_id, path))
        return new

    def import_stand_ins(self, access: Access, records: Sequence[Mapping[str, Any]]) -> None:
        """Write what stands for documents that were deleted, where nothing else is."""
        for record in records:
            path, content = record["path"], record["content"]
            vault = self._vaults.create(access, record["user_id"])
            if (text := merge_stand_ins(path, vault.read(path), content)) is not None:
                vault.write(path, text)

    def read_imported(self, access: Access, records: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
        """Yield the turns of imported files, as soon as their metadata is there."""
        folders = ((each["user_id"], find_turn_folder(each["path"])) for each in records)
        for user_id, folder in dict.fromkeys(folders):
            vault = self._vaults.open(access, user_id)
            if folder and (turn := read_turn(vault, folder, user_id)):
                yield turn

    def find_quoting(
        self, access: Access, is_gone: IsGone, only: Turn | None = None
    ) -> Iterator[QuotingTurn]:
        """Yield the turns of the space, or the only one, that quote a thought that is gone."""
        vaults = self._vaults.list_all(access)
        for user_id, vault in vaults.items():
            if only is None:
                yield from find_quoting(vault, self._list_folders(vault), is_gone)
            elif only.user_id == user_id:
                yield from find_quoting(vault, [only.folder], is_gone)

    def _list_folders(self, vault: Vault) -> list[str]:
        suffix = f"/{JOURNAL}"
        paths = (*vault.list_paths("archive"), *vault.list_paths("turns"))
        return [path.removesuffix(suffix) for path in paths if path.endswith(suffix)]


def _order_path(path: str) -> tuple[str, bool, str]:
    folder = find_turn_folder(path)
    return folder or path, path != f"{folder}/{METADATA}", path


def _find_key(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the user and the folder of the turn that a record is of; an empty one for others."""
    return record["user_id"], find_turn_folder(record["path"]) or ""


def _read_id(record: Mapping[str, Any]) -> str | None:
    """Return the id of the turn that a record is of, as far as the record tells."""
    if record.get("turn_id"):
        return record["turn_id"]
    is_metadata = record["path"].endswith(f"/{METADATA}")
    return read_turn_id(record["content"]) if is_metadata else None
