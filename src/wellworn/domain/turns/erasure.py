"""Erasure: takes what turns quote of a thought that is gone out of their files and their index.

The journal is written last: an erasure that was interrupted finds its turns again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import store
from wellworn.domain.turns.exchange import TurnExchange
from wellworn.domain.turns.indexing import TurnIndexer, embed_turn
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.quoting_turns import QuotingTurn
from wellworn.domain.turns.reservations import TurnBusy, TurnReservations
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database


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
