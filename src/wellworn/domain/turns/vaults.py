"""Stores the files of turns: a folder for each user of an open space, rows for a sealed one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from wellworn.domain.spaces import Access, Mode, Role
from wellworn.domain.turns import store
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.engines.storage.sql import Database
from wellworn.errors import HeldElsewhere
from wellworn.kit.ids import make_folder_name

_USERS: Final = "users"
_OWNER: Final = ".owner"
_DELETED: Final = ".deleted"
_ELSEWHERE: Final = (
    "the files of turns are in the folder of another server of this database: send calls about"
    " turns there, and those that seal, delete or roll back a space"
)
_TURN_FOLDER: Final = re.compile(r"((?:turns|archive/\d{4}-\d\d)/turn_\d{6,})/")


class Vaults:
    """The vaults of everybody in the spaces of one database."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root

    def require_here(self, *, to_begin: bool = False) -> None:
        """Refuse calls about the turns of open spaces, whose files another server has.

        The first server on which one begins has the files of all.

        Raises:
            HeldElsewhere: another server has them.
        """
        if not self.are_here(to_begin=to_begin):
            raise HeldElsewhere(_ELSEWHERE)

    def are_here(self, *, to_begin: bool = False) -> bool:
        """Tell whether no other server has the files of turns, or is to have them."""
        return self._database.agree_on_place("turns", self._root, is_needed=to_begin)

    def open(self, access: Access, user_id: str) -> Vault:
        """Return the files of a user; the folder is made with its first file."""
        if access.mode is Mode.SEALED:
            return store.RowVault(self._database, access, user_id)
        return self._open_folder(access, user_id)

    def create(self, access: Access, user_id: str) -> Vault:
        """Return the files of a user, whose name is stored with them."""
        vault = self.open(access, user_id)
        if access.mode is not Mode.SEALED and vault.read(_OWNER) is None:
            vault.write(_OWNER, f"{user_id}\n")
        return vault

    def list_all(self, access: Access) -> dict[str, Vault]:
        """Return the vault of everybody who has turns in the space, by user."""
        if access.mode is Mode.SEALED:
            with self._database.read() as transaction:
                users = store.list_users(transaction, access)
            return {user: self.open(access, user) for user in users}
        folders = sorted((self._root / access.space / _USERS).glob("*"))
        vaults = [FolderVault(folder) for folder in folders if folder.is_dir()]
        # A name may end in blanks; without them it would be another's.
        named = {(vault.read(_OWNER) or "").removesuffix("\n"): vault for vault in vaults}
        return {user: vault for user, vault in named.items() if user}

    def list_readable(self, access: Access) -> dict[str, Vault]:
        """Return the vaults of those whose turns the caller may read, by user."""
        vaults = self.list_all(access).items()
        return {user: vault for user, vault in vaults if may_read_turns(access, user)}

    def list_spaces(self) -> list[str]:
        """Return the open spaces that have files here."""
        return sorted(folder.parent.name for folder in self._root.glob(f"*/{_USERS}"))

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
