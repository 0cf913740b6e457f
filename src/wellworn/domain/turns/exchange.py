"""Turns out of a space and in again, as their files; and what of them erasure takes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.turns.context_document import FILE, format_front_matter
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import read_turn, write_metadata
from wellworn.domain.turns.journal import FILE as JOURNAL
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import Turn, TurnStatus
from wellworn.domain.turns.vaults import Vaults, find_turn_folder

_ERASED: Final = "_This turn quoted what was erased since, so its text is erased, too._"


class TurnExchange:
    """Exports, imports and erases files of turns."""

    def __init__(self, vaults: Vaults) -> None:
        self._vaults = vaults

    def export_records(self, access: Access) -> Iterator[dict[str, Any]]:
        """Yield every file of the space's turns."""
        for user_id, vault in self._vaults.list_all(access).items():
            for path in vault.list_paths(""):
                if content := vault.read(path):
                    yield {
                        "record": "turn_file",
                        "user_id": user_id,
                        "path": path,
                        "content": content,
                    }

    def import_records(
        self, access: Access, records: Sequence[Mapping[str, Any]]
    ) -> set[tuple[str, str]]:
        """Write the files that are not there; return of each its user and its path.

        Raises:
            Forbidden: the caller is no admin, who alone can vouch for whose they are.
            InvalidInput: a path leads out of its user's files.
        """
        if records:
            access.require(Role.ADMIN)
        new: set[tuple[str, str]] = set()
        for record in records:
            user_id, path = record["user_id"], record["path"]
            vault = self._vaults.create(access, user_id)
            if vault.read(path) is None:
                vault.write(path, record["content"])
                new.add((user_id, path))
        return new

    def read_imported(self, access: Access, records: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
        """Yield the turns of imported files, as soon as their metadata is there."""
        folders = ((each["user_id"], find_turn_folder(each["path"])) for each in records)
        for user_id, folder in dict.fromkeys(folders):
            vault = self._vaults.open(access, user_id)
            if folder and (turn := read_turn(vault, folder, user_id)):
                yield turn

    def erase_quotes(self, access: Access, is_gone: Callable[[str], bool]) -> list[str]:
        """Erase the turns that quote a thought that is gone, and those that quote these.

        Returns:
            The ids of the turns that were erased.
        """
        erased: list[str] = []
        for vault in self._vaults.list_all(access).values():
            gone: set[str] = set()
            while item := [
                folder
                for folder in self._list_folders(vault)
                if folder not in gone and _quotes(vault, folder, is_gone, gone)
            ]:
                gone.update(item)
            erased += [turn for folder in gone if (turn := _erase(vault, folder))]
        return erased

    def _list_folders(self, vault: Vault) -> list[str]:
        suffix = f"/{JOURNAL}"
        return [
            path.removesuffix(suffix) for path in vault.list_paths("turns") if path.endswith(suffix)
        ]


def _quotes(vault: Vault, folder: str, is_gone: Callable[[str], bool], gone: set[str]) -> bool:
    return any(
        (item.thought_id is not None and is_gone(item.thought_id))
        or (item.link is not None and item.link.rpartition("/")[0] in gone)
        for item in TurnJournal(vault, folder).list_evidence()
    )


def _erase(vault: Vault, folder: str) -> str | None:
    """Leave of a turn only that it was; return its id."""
    turn = read_turn(vault, folder, "")
    vault.remove(folder)
    if turn is None:
        return None
    blank = blank_turn(turn)
    vault.write(f"{folder}/{FILE}", f"{format_front_matter(blank)}{_ERASED}\n")
    write_metadata(vault, blank)
    return turn.id


def blank_turn(turn: Turn) -> Turn:
    """Return a turn without its words."""
    status = turn.status if turn.status.is_over else TurnStatus.FAILED
    return replace(turn, status=status, query="", resolved_query="", topic="general", summary="")
