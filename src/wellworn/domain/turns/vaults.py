"""Stores the files of turns: a folder for each user of an open space, rows for a sealed one.

Where several servers share a database, those of open spaces are rows of it, too: all see them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from wellworn.domain.spaces import Access, Mode, Role, upkeep_access
from wellworn.domain.turns import store
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.folder_vault import FolderVault, list_own
from wellworn.engines.storage.sql import Database
from wellworn.kit.ids import make_folder_name

_USERS: Final = "users"
_OWNER: Final = ".owner"
_DELETED: Final = ".deleted"
_TURN_FOLDER: Final = re.compile(r"((?:turns|archive/\d{4}-\d\d)/turn_\d{6,})/")


class Vaults:
    """The vaults of everybody in the spaces of one database."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root

    def open(self, access: Access, user_id: str) -> Vault:
        """Return the files of a user; the folder is made with its first file."""
        if self._are_rows(access):
            return store.RowVault(self._database, access, user_id)
        return self._open_folder(access, user_id)

    def _are_rows(self, access: Access) -> bool:
        return access.mode is Mode.SEALED or self._database.holds_files

    def create(self, access: Access, user_id: str) -> Vault:
        """Return the files of a user, whose name is stored with them."""
        vault = self.open(access, user_id)
        if not self._are_rows(access) and vault.read(_OWNER) is None:
            vault.write(_OWNER, f"{user_id}\n")
        return vault

    def list_all(self, access: Access) -> dict[str, Vault]:
        """Return the vault of everybody who has turns in the space, by user."""
        if self._are_rows(access):
            with self._database.read() as transaction:
                users = store.list_users(transaction, access)
            return {user: self.open(access, user) for user in users}
        return {**self._list_folders(access)}

    def _list_folders(self, access: Access) -> Mapping[str, FolderVault]:
        folders = sorted((self._root / access.space / _USERS).glob("*"))
        vaults = [FolderVault(folder) for folder in folders if folder.is_dir()]
        # A name may end in blanks; without them it would be another's.
        named = {(vault.read(_OWNER) or "").removesuffix("\n"): vault for vault in vaults}
        return {user: vault for user, vault in named.items() if user}

    def list_readable(self, access: Access) -> dict[str, Vault]:
        """Return the vaults of those whose turns the caller may read, by user."""
        vaults = self.list_all(access).items()
        return {user: vault for user, vault in vaults if may_read_turns(access, user)}

    def adopt_folder(self, use: Callable[[Access], object]) -> None:
        """Make rows of the files in the folder, where these are rows; then the files are deleted.

        A row that is there stays. What is no file of a turn is left where it is, such as the
        settings of an editor, and so is a turn that others removed since. Each space is put to
        `use` before its files are deleted; interrupted, it is begun again by the next start.

        Raises:
            StorageUnavailable: files could not be stored.
        """
        if not self._database.holds_files:
            return
        for folder in sorted(self._root.glob(f"*/{_USERS}")):
            access = upkeep_access(folder.parent.name)
            moved: list[tuple[FolderVault, list[str]]] = []
            for user_id, vault in self._list_folders(access).items():
                paths = self._list_known(access, user_id, vault)
                store.RowVault(self._database, access, user_id).adopt(vault, paths)
                moved.append((vault, paths))
            use(access)
            for vault, paths in moved:
                for path in paths:
                    vault.remove(path)

    def _list_known(self, access: Access, user_id: str, vault: Vault) -> list[str]:
        """Return the paths of a user's files, without those of turns that are not there."""
        with self._database.read() as transaction:
            numbers = {None, *store.list_all_numbers(transaction, access, user_id)}
        return [path for path in list_own(vault) if _find_number(path) in numbers]

    def _list_owned(self) -> Iterator[tuple[Access, str, Vault]]:
        """Yield all vaults of open spaces, each with its space and its user."""
        if self._database.holds_files:
            with self._database.read() as transaction:
                spaces = store.list_spaces_with_files(transaction)
        else:
            spaces = sorted(folder.parent.name for folder in self._root.glob(f"*/{_USERS}"))
        for access in map(upkeep_access, spaces):
            for user_id, vault in self.list_all(access).items():
                yield access, user_id, vault

    def count_files(self) -> int:
        """Count the files of turns of open spaces."""
        return sum(len(self._list_known(*owned)) for owned in self._list_owned())

    def read_files(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield space, user, path and text of each file of open spaces that has any text."""
        for access, user_id, vault in self._list_owned():
            for path in self._list_known(access, user_id, vault):
                if text := vault.read(path):
                    yield access.space, user_id, path, text.replace("\0", "\ufffd")

    def replace_files(self, others: Vaults) -> None:
        """Have what other vaults have of open spaces, and nothing else.

        Raises:
            StorageUnavailable: files could not be stored.
        """
        if self._database.holds_files:
            with self._database.write() as transaction:
                store.clear_files(transaction)
        else:
            shutil.rmtree(self._root, ignore_errors=True)
        for access, user_id, vault in others._list_owned():
            paths = others._list_known(access, user_id, vault)
            if self._database.holds_files:
                store.RowVault(self._database, access, user_id).adopt(vault, paths)
                continue
            kept = self.create(access, user_id)
            for path in paths:
                if text := vault.read(path):
                    kept.write(path, text)

    def list_turn_folders(self, access: Access) -> Iterator[tuple[str, Vault, str]]:
        """Yield user, vault and folder of every turn of the space."""
        for user_id, vault in self.list_all(access).items():
            for path in (*vault.list_paths("archive"), *vault.list_paths("turns")):
                folder = find_turn_folder(path)
                if folder is not None and path == f"{folder}/metadata.json":
                    yield user_id, vault, folder

    def drop(self, access: Access) -> None:
        """Delete the folders of an open space; the rows of a sealed one go with the space."""
        shutil.rmtree(self._root / access.space, ignore_errors=True)

    def mark_for_deletion(self, access: Access) -> None:
        """Note that an open space is about to be deleted, whose folders are deleted after it."""
        folder = self._root / access.space
        if folder.is_dir():
            (folder / _DELETED).touch()

    def drop_marked(self, has_space: Callable[[str], bool]) -> None:
        """Delete the folders of spaces that were deleted by a process that died before them."""
        for mark in self._root.glob(f"*/{_DELETED}"):
            if has_space(mark.parent.name):
                mark.unlink(missing_ok=True)
            else:
                shutil.rmtree(mark.parent, ignore_errors=True)

    def _open_folder(self, access: Access, user_id: str) -> FolderVault:
        return FolderVault(self._root / access.space / _USERS / make_folder_name(user_id))


def list_damaged_files(root: Path) -> Iterator[str]:
    """Yield the paths below the folder of open spaces where something stands that is no file."""
    for folder in sorted(root.glob(f"*/{_USERS}/*")):
        if folder.is_dir():
            damaged = FolderVault(folder).list_damaged("")
            yield from (str((folder / path).relative_to(root)) for path in damaged)


def may_write_turns(access: Access, user_id: str) -> bool:
    """Tell whether a user's turns are the caller's own; at the open door all are."""
    return access.owner in {None, user_id}


def may_read_turns(access: Access, user_id: str) -> bool:
    """Tell whether the caller may read a user's turns: its own, and an admin all of the space."""
    return may_write_turns(access, user_id) or access.role.allows(Role.ADMIN)


def find_turn_folder(path: str) -> str | None:
    """Return the folder of the turn that a file is of; None for any other file."""
    match = _TURN_FOLDER.match(path)
    return match[1] if match else None


def read_number(folder: str) -> int | None:
    """Return the number of the turn whose folder it is; None where it is no turn's."""
    match = _TURN_FOLDER.fullmatch(f"{folder}/")
    return int(match[1].rpartition("_")[2]) if match else None


def _find_number(path: str) -> int | None:
    """Return the number of the turn that a file is of; None for any other file."""
    folder = find_turn_folder(path)
    return None if folder is None else read_number(folder)
