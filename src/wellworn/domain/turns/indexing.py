"""The index of turns: made of the files, beside them, and searched by what turns asked for."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Final

import numpy as np

from wellworn.domain.spaces import Access
from wellworn.domain.turns import store
from wellworn.domain.turns.context_document import ContextDocument
from wellworn.domain.turns.exchange import TurnExchange
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import INDEX, MOST_LISTED, format_index, read_turn
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.profile import write_index_note
from wellworn.domain.turns.relocation import is_stand_in, mend_links, write_stand_ins
from wellworn.domain.turns.research import ResearchLibrary
from wellworn.domain.turns.vaults import find_turn_folder
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database
from wellworn.errors import EmbeddingFailed

_MOST_TURNS: Final = 5
_LEAST_COSINE: Final = 0.35
_REMOVED: Final = "turns"
"""The topic under which servers tell each other of spaces from which turns were removed."""
_log = logging.getLogger(__name__)


class TurnVectors:
    """The vectors of ended turns, held in memory for each user and read on from the index."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[tuple[str, str], tuple[list[int], list[store.Vector]]] = {}
        self._lock = Lock()
        database.follow(
            _REMOVED, lambda _, spaces: self._forget({*spaces}), lambda _: self._known.clear()
        )

    def find_near(self, access: Access, user_id: str, asked: store.Vector) -> dict[int, float]:
        """Return the numbers of the nearest turns and their cosines, nearest first."""
        with self._lock:
            numbers, vectors = self._known.setdefault((access.space, user_id), ([], []))
            with self._database.read() as transaction:
                new = store.list_vectors(
                    transaction, access, user_id, after=numbers[-1] if numbers else 0
                )
            numbers += [number for number, _ in new]
            vectors += [vector for _, vector in new]
            if not numbers:
                return {}
            cosines = np.stack(vectors) @ asked
            best = np.argsort(-cosines)[:_MOST_TURNS]
            return {
                numbers[place]: float(cosines[place])
                for place in best
                if cosines[place] >= _LEAST_COSINE
            }

    def forget(self, access: Access) -> None:
        """Read everything again the next time, here and elsewhere, because turns were removed."""
        self._forget({access.space})
        self._database.tell(_REMOVED, [access.space])

    def _forget(self, spaces: Set[str]) -> None:
        with self._lock:
            for key in [key for key in self._known if key[0] in spaces]:
                del self._known[key]


@dataclass(frozen=True, slots=True)
class ImportedFiles:
    """The outcome of importing files of turns: how many were written, and how many were left out.

    Attributes:
        clashing: the turns that were left out, because others have their numbers here.
    """

    imported: int
    left_out: int = 0
    clashing: tuple[str, ...] = ()


class TurnIndexer:
    """Makes the index of turns, of their research and of their visits from their files."""

    def __init__(
        self,
        database: Database,
        library: ResearchLibrary,
        exchange: TurnExchange,
        vectors: TurnVectors,
        embedder: Embedder,
    ) -> None:
        self._database = database
        self._library = library
        self._exchange = exchange
        self._vectors = vectors
        self._embedder = embedder

    def rebuild(self, access: Access) -> int:
        """Make the index of the space's turns again from their files; return how many there are."""
        known = {
            turn.id: turn
            for user_id, vault, folder in self._library.vaults.list_turn_folders(access)
            if (turn := read_turn(vault, folder, user_id)) is not None and turn.folder == folder
        }
        turns = list(known.values())
        for turn in turns:
            _restore_document(self._library.vaults.open(access, turn.user_id), turn)
        self._add(access, turns, is_anew=True)
        self._library.index_turns(access, turns)
        self._write_stand_ins(access, turns)
        self.write_notes(access)
        for vault in self._library.vaults.list_all(access).values():
            mend_links(vault)
        return len(turns)

    def import_records(self, access: Access, records: Sequence[Mapping[str, Any]]) -> ImportedFiles:
        """Write the files that are not there, and index the turns that came with them.

        The files of a turn whose number another turn has are left out. Raises as
        `TurnExchange.import_records`.
        """
        marks = [is_stand_in(each["path"], each["content"]) for each in records]
        stand_ins = [each for each, mark in zip(records, marks, strict=True) if mark]
        records = [each for each, mark in zip(records, marks, strict=True) if not mark]
        folders = self._find_folders(access, records)
        fresh = [
            each
            for each in records
            if folders.get(each.get("turn_id")) in {None, find_turn_folder(each["path"])}
        ]
        own, clashing = self._exchange.divide(access, fresh, partial(self._find_holder, access))
        new = self._exchange.import_records(access, own)
        imported = list(self._exchange.read_imported(access, own))
        with self._database.read() as transaction:
            unknown = [each for each in imported if not store.find(transaction, access, each.id)]
        if unknown:
            self._add(access, unknown)
        self._library.index_turns(access, imported)
        self._write_stand_ins(access, imported)
        self._exchange.import_stand_ins(access, stand_ins)
        self.write_notes(access, {turn.user_id for turn in imported})
        return ImportedFiles(len(new), len(fresh) - len(own), clashing)

    def _write_stand_ins(self, access: Access, turns: Sequence[Turn]) -> None:
        for turn in turns:
            write_stand_ins(self._library.vaults.open(access, turn.user_id), turn)

    def _find_folders(
        self, access: Access, records: Sequence[Mapping[str, Any]]
    ) -> dict[str | None, str]:
        """Return by id where those turns of the records are that are here already."""
        ids = {turn_id for each in records if (turn_id := each.get("turn_id"))}
        with self._database.read() as transaction:
            turns = [store.find(transaction, access, turn_id) for turn_id in ids]
        return {turn.id: turn.folder for turn in turns if turn is not None}

    def _find_holder(self, access: Access, user_id: str, number: int) -> str | None:
        with self._database.read() as transaction:
            turn = store.find_number(transaction, access, user_id, number)
        return turn.id if turn else None

    def _add(self, access: Access, turns: Sequence[Turn], *, is_anew: bool = False) -> None:
        """Index turns that are not there, or that alone are there from now on."""
        vectors = [embed_turn(self._embedder, turn) for turn in turns]
        with self._database.write() as transaction:
            if is_anew:
                store.clear_index(transaction, access)
            for turn, vector in zip(turns, vectors, strict=True):
                store.add(transaction, access, turn, vector)
        self.forget_vectors(access)

    def forget_vectors(self, access: Access) -> None:
        """Read again what turns are found by, because some were added or removed."""
        self._vectors.forget(access)

    def refresh(self, access: Access) -> None:
        """Read again what turns are found by, and list them again."""
        self.forget_vectors(access)
        self.write_notes(access)

    def write_notes(self, access: Access, users: Set[str] | None = None) -> None:
        """Write the notes that list turns, research, and what is known of users; of all or some."""
        for user_id, vault in self._library.vaults.list_all(access).items():
            if users is not None and user_id not in users:
                continue
            with self._database.read() as transaction:
                newest = store.list_newest(transaction, access, user_id, limit=MOST_LISTED)
            vault.write(INDEX, format_index(newest))
            self._library.write_index_note(access, user_id, vault)
            write_index_note(vault)


def _restore_document(vault: Vault, turn: Turn) -> None:
    """Write the `context.md` of an ended turn again by its journal, if somebody deleted it."""
    document = ContextDocument(vault, turn)
    if document.text or not turn.status.is_over or turn.archived_at is not None:
        return
    for entry in TurnJournal(vault, turn.folder).phases:
        document.append(entry.section)


def embed_turn(embedder: Embedder, turn: Turn) -> store.Vector | None:
    """Return what an ended turn is found by; None while it goes on, or while the encoder fails."""
    if not turn.status.is_over:
        return None
    try:
        return embedder.embed([turn.resolved_query])[0]
    except EmbeddingFailed as error:
        _log.warning("turn %s is found by its number alone: %s", turn.number, error.message)
        return None
