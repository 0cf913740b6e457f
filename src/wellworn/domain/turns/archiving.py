"""The archive: turns of long ago, out of what later turns look through, and back on request.

Source: the specification of document IO, sections 12.3 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.spaces import Access
from wellworn.domain.turns import store
from wellworn.domain.turns.indexing import TurnIndexer
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.relocation import move_turn, write_stand_ins
from wellworn.domain.turns.research import ResearchLibrary
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock

_DAY_S = 86_400.0


class TurnArchive:
    """Archives and restores the turns of the spaces of one database."""

    def __init__(
        self, database: Database, library: ResearchLibrary, indexer: TurnIndexer, clock: Clock
    ) -> None:
        self._database = database
        self._library = library
        self._indexer = indexer
        self._clock = clock

    def list_due(self, access: Access, user_id: str | None, before: float) -> list[Turn]:
        """Return the turns that ended before a moment and are not archived, oldest first.

        Those of one user, or of all; `before` is in epoch seconds.
        """
        with self._database.read() as transaction:
            return store.list_ended_before(transaction, access, user_id, before)

    def archive(self, access: Access, turns: Sequence[Turn]) -> None:
        """Move ended turns into the archive.

        Raises:
            StorageUnavailable: their files could not be written; archive them again.
        """
        moment = self._clock.now()
        for turn in turns:
            archived = replace(turn, archived_at=moment)
            vault = self._library.vaults.open(access, turn.user_id)
            move_turn(vault, turn, archived)
            write_stand_ins(vault, archived)
            self._note(access, archived)
            self._library.hide(access, turn)
        self._indexer.refresh(access)

    def restore(self, access: Access, turn: Turn) -> Turn:
        """Move a turn back to where it was; one that is not archived is returned as it is.

        Raises:
            StorageUnavailable: its files could not be written; restore it again.
        """
        if turn.archived_at is None:
            return turn
        restored = replace(turn, archived_at=None)
        move_turn(self._library.vaults.open(access, turn.user_id), turn, restored)
        self._note(access, restored)
        self._library.index_turns(access, [restored])
        self._indexer.refresh(access)
        return restored

    def archive_old(self, accesses: Sequence[Access], *, after_days: float) -> int:
        """Archive the turns of spaces that ended so many days ago; return how many."""
        before, count = self._clock.now() - after_days * _DAY_S, 0
        for access in accesses:
            if due := self.list_due(access, None, before):
                self.archive(access, due)
                count += len(due)
        return count

    def _note(self, access: Access, turn: Turn) -> None:
        with self._database.write() as transaction:
            store.set_archived(transaction, access, turn)
