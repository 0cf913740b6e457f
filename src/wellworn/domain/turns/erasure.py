"""Erasure: takes what turns quote of a thought that is gone out of their files and their index.

A turn that is being worked on is held by the one at work, and nobody else.

The journal is written last: an erasure that was interrupted finds its turns again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Condition
from time import sleep
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import store
from wellworn.domain.turns.exchange import TurnExchange
from wellworn.domain.turns.indexing import TurnIndexer, embed_turn
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.quoting_turns import QuotingTurn
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database
from wellworn.errors import InvalidInput

_BUSY: Final = "the turn is being worked on; read it again when it is done"
_LOOKED_EVERY_S: Final = 0.3


class TurnBusy(InvalidInput):
    """Somebody works on the turn."""


class TurnReservations:
    """The turns that are being worked on: each by one thread of one server."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: set[tuple[str, str]] = set()
        self._changed = Condition()

    @contextmanager
    def hold(self, access: Access, turn_id: str, *, waits: bool = False) -> Generator[None]:
        """Keep everybody else from working on a turn, after waiting for them where one `waits`.

        Raises:
            TurnBusy: it is being worked on.
        """
        turn = (access.space, turn_id)
        with self._changed:
            if waits:
                self._changed.wait_for(lambda: turn not in self._held)
            if turn in self._held:
                raise TurnBusy(_BUSY)
            self._held.add(turn)
        try:
            with self._lead(_name_lease(turn), waits=waits):
                yield
        finally:
            with self._changed:
                self._held.discard(turn)
                self._changed.notify_all()

    def find_left(self, turns: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return which of some turns, by space and id, nobody works on, without taking one."""
        leases = {turn: _name_lease(turn) for turn in turns}
        if not self._database.holds_files:
            return leases.keys() - self._held
        leased = self._database.find_leased([*leases.values()]) if leases else set[str]()
        return {turn for turn, lease in leases.items() if lease not in leased}

    @contextmanager
    def _lead(self, lease: str, *, waits: bool) -> Generator[None]:
        """Keep other servers from working on a turn."""
        while True:
            with self._database.lead(lease) as is_ours:
                if is_ours:
                    yield
                    return
            if not waits:
                raise TurnBusy(_BUSY)
            sleep(_LOOKED_EVERY_S)


def _name_lease(turn: tuple[str, str]) -> str:
    space, turn_id = turn
    return f"turn {space} {turn_id}"


class TurnErasure:
    """Erases in the turns of the spaces of one database."""

    def __init__(
        self,
        database: Database,
        exchange: TurnExchange,
        indexer: TurnIndexer,
        reservations: TurnReservations,
        embedder: Embedder,
    ) -> None:
        self._database = database
        self._exchange = exchange
        self._indexer = indexer
        self._reservations = reservations
        self._embedder = embedder

    def erase_quotes(self, access: Access, is_gone: Callable[[str], bool]) -> int:
        """Erase what turns quote of thoughts that are gone; return how many turns did.

        One that is being worked on erases them itself when it ends.
        """
        count = 0
        for quoting in self._exchange.find_quoting(access, is_gone):
            with suppress(TurnBusy), self._reservations.hold(access, quoting.id or ""):
                self._erase(access, quoting)
                count += 1
        if count:
            self._indexer.refresh(access)
            self._database.scrub()
        return count

    def erase_meanwhile(self, access: Access, turn: Turn, thoughts: Thoughts) -> bool:
        """Erase what a turn quotes of thoughts that were erased while it was worked on."""
        is_erased = partial(thoughts.searcher.is_erased, access)
        quoting = list(self._exchange.find_quoting(access, is_erased, turn))
        for each in quoting:
            self._erase(access, each)
        if quoting:
            self._database.scrub()
        return bool(quoting)

    def _erase(self, access: Access, quoting: QuotingTurn) -> None:
        quoting.erase_documents()
        with self._database.write() as transaction:
            turn = store.find(transaction, access, quoting.id or "")
            if turn is not None:
                erased = quoting.erase_in(turn)
                store.change(transaction, access, erased, embed_turn(self._embedder, erased))
        quoting.erase_journal()
