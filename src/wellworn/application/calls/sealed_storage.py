"""Stores what a space holds: as rows of the database, or as records that only its key opens.

Source: `docs/adr/0013-sealed-spaces.md`.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from wellworn.application.calls.audit_names import FRAME, count_losses
from wellworn.application.calls.space_services import Seal, SpaceServices
from wellworn.application.migrations import make_empty_image, recover_image, upgrade
from wellworn.application.transfer import PreparedImport
from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.spaces import Access, Mode, UnlockedSpace, upkeep_access
from wellworn.engines.crypto import DataKey, RecordBox
from wellworn.engines.formats import canonical
from wellworn.engines.storage.sealed import SealedStore, drop_all
from wellworn.engines.storage.sql import Database, JoinedDatabase, RamDatabase, Transaction
from wellworn.errors import DamagedStore, StorageUnavailable, Tampered, WellwornError

ServicesFactory = Callable[[RamDatabase], SpaceServices]
_log = logging.getLogger(__name__)
_AT_ONCE = 1_000
_TOLD = 100
_MOST_NAMES = 20


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


@dataclass(frozen=True, slots=True)
class SpaceCopy:
    """A copy in memory of an open space at one moment, and how to tell that it is outdated."""

    services: SpaceServices
    digest: bytes


@dataclass(frozen=True, slots=True)
class SpaceContent:
    """Every record of a sealed space, ready to be stored in the clear, and the key of its trail."""

    batches: list[PreparedImport]
    data_key: DataKey = field(repr=False)


class SealedStorage:
    """Makes, moves, rewrites and deletes what spaces hold in the main database."""

    def __init__(
        self,
        database: Database,
        shared: SpaceServices,
        make_services: ServicesFactory,
        join_services: Callable[[JoinedDatabase], SpaceServices],
        audit: Audit,
    ) -> None:
        self._database = database
        self._audit = audit
        self._shared = shared
        self._make_services = make_services
        self._join_services = join_services

    def keep_alone(self) -> AbstractContextManager[None]:
        """Let no other server have the memory meanwhile.

        Raises:
            StoreInUse: one has.
        """
        return self._database.keep_alone()

    def unseal(self, unlocked: UnlockedSpace) -> SpaceServices:
        """Open a sealed space into memory.

        Raises:
            Tampered: its records are not as they were written, or all are those of an earlier
                time than the audit trail tells of.
        """
        box = _box(unlocked)
        store = SealedStore(self._database, unlocked.space, box, recover_image)
        try:
            last_told = self._find_last_frame(unlocked)
            database = store.open()
        except WellwornError:
            box.close()
            raise
        finally:
            unlocked.data_key.wipe()
        if store.tip.frame < last_told:
            database.discard()
            box.close()
            raise Tampered("this space is older than its audit trail says; it was put back")
        upgrade(database)
        seal = Seal(frame=lambda: store.tip.frame, forget=box.close, loss=store.loss)
        if store.loss.records:
            _log.warning("a sealed space lost %d records", store.loss.records)
        services = replace(self._make_services(database), seal=seal)
        # A worker on a turn, or a sync, held the space open; so the process that did is gone.
        services.turns.mark_interrupted()
        services.sources.mark_interrupted()
        return services

    def _find_last_frame(self, unlocked: UnlockedSpace) -> int:
        """Return the number of the last transaction that the trail tells of.

        A space that was unsealed and is sealed again counts from one.
        """
        space, data_key = unlocked.space, unlocked.data_key
        self._audit.confirm_key(space, data_key)
        return self._audit.find_highest(
            space, FRAME, among=_TOLD, since=Action.SPACE_SEALED, data_key=data_key
        )

    def begin(self, transaction: Transaction, unlocked: UnlockedSpace) -> None:
        """Make an empty sealed space."""
        self._seal(transaction, unlocked, self._make_empty_services())

    def copy(self, access: Access) -> SpaceCopy:
        """Copy what an open space holds into memory; takes as long as embedding it does.

        Raises:
            DamagedStore: records cannot be read; the message names them, and nothing was copied.
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: nothing was copied.
        """
        self._require_readable(access)
        services, seen = self._make_empty_services(), hashlib.sha256()
        records = self._hash_records(access, seen)
        # What an open space has in files beside the database, a sealed one has in rows.
        inside = replace(access, mode=Mode.SEALED)
        while batch := list(islice(records, _AT_ONCE)):
            services.transfer.import_records(inside, batch)
        return SpaceCopy(services, seen.digest())

    def _require_readable(self, access: Access) -> None:
        """Read every record once; sealed without some, these would be gone for good."""
        lost: list[str] = []
        records = self._shared.transfer.export(
            access, lambda kind, name, _: lost.append(f"{kind} {name}")
        )
        for _ in records:
            pass
        if lost:
            names = ", ".join(lost[:_MOST_NAMES])
            message = (
                f"{len(lost)} records cannot be read ({names}), and nothing was sealed; export"
            )
            raise DamagedStore(f"{message} the space, and import what is left into a sealed one")

    def move_in(
        self,
        transaction: Transaction,
        unlocked: UnlockedSpace,
        access: Access,
        space_copy: SpaceCopy,
    ) -> None:
        """Put the copy in place of what the open space holds.

        Raises:
            StorageUnavailable: the space was written to since it was copied; try again.
        """
        seen = hashlib.sha256()
        for _ in self._hash_records(access, seen):
            pass
        if seen.digest() != space_copy.digest:
            message = "the space was written to while it was being sealed; try again"
            raise StorageUnavailable(message)
        self._seal(transaction, unlocked, space_copy.services)
        self.empty(transaction, access)

    def read_out(self, access: Access, unlocked: UnlockedSpace) -> SpaceContent:
        """Return every record of a sealed space that nobody has open; its key is yours to wipe.

        They are prepared here, where no other writer waits for it.

        Raises:
            Tampered: see `unseal`.
        """
        data_key = DataKey(unlocked.data_key.material())
        try:
            services = self.unseal(unlocked)
        except WellwornError:
            data_key.wipe()
            raise
        try:
            records, prepare = services.transfer.export(access), self._shared.transfer.prepare
            batches = iter(lambda: list(islice(records, _AT_ONCE)), [])
            return SpaceContent([prepare(access, batch) for batch in batches], data_key)
        finally:
            services.close()

    def move_out(
        self, transaction: Transaction, access: Access, sealed: str, content: SpaceContent
    ) -> None:
        """Store records in the clear where the access leads, and drop the sealed ones.

        The sealed part of the trail is for the server to open from then on.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: undo the transaction.
        """
        services = self._join_services(JoinedDatabase(transaction, of=self._database))
        for batch in content.batches:
            services.transfer.store(access, batch)
        drop_all(transaction, sealed)
        self._audit.keys.release(transaction, sealed, content.data_key)

    def _hash_records(self, access: Access, seen: _Hash) -> Iterator[dict[str, Any]]:
        """Yield every record of an open space, and put each into the hash."""
        for record in self._shared.transfer.export(access):
            seen.update(canonical(record).encode())
            yield record

    def reseal(self, transaction: Transaction, old: UnlockedSpace, fresh: UnlockedSpace) -> None:
        """Write everything under another key."""
        store = SealedStore(self._database, old.space, _box(old), recover_image)
        store.reseal_closed(transaction, _box(fresh))
        if store.loss.records:
            # From now on the space is complete, and nothing else tells what it lost.
            self._audit.note(
                old.space,
                Action.SPACE_RESEALED,
                by=Actor(upkeep_access(old.space).principal),
                details=count_losses(store.loss),
                transaction=transaction,
            )
        self._audit.keys.renew(transaction, old.space, fresh.data_key, old=old.data_key)

    def empty(self, transaction: Transaction, access: Access) -> None:
        """Delete what a space holds, in either form."""
        if access.mode is Mode.SEALED:
            drop_all(transaction, access.space)
            self._audit.keys.forget(transaction, access.space)
        else:
            self._shared.transfer.empty(transaction, access)
            self._shared.memory.purge(transaction, access)

    def drop_files(self, access: Access) -> None:
        """Delete the files that an open space had outside of the database."""
        self._shared.turns.vaults.drop(access)

    def mark_files(self, access: Access) -> None:
        """Note that the space is about to be deleted; its files are deleted after it."""
        self._shared.turns.vaults.mark_for_deletion(access)

    def drop_leftover_files(self, sealed: Iterable[str], has_space: Callable[[str], bool]) -> None:
        """Delete the files that a killed process left of deleted spaces, and of sealed ones.

        Those of sealed spaces are readable on the disk: of a space that was just sealed, or of one
        that was not unsealed to the end.
        """
        self._shared.turns.vaults.drop_marked(has_space)
        for space in sealed:
            self.drop_files(upkeep_access(space))

    def scrub(self) -> None:
        """Leave nothing in the database's files that was deleted; its pages are zeroed already."""
        self._database.scrub()

    def _make_empty_services(self) -> SpaceServices:
        return self._make_services(RamDatabase(make_empty_image()))

    def _seal(
        self, transaction: Transaction, unlocked: UnlockedSpace, services: SpaceServices
    ) -> None:
        store = SealedStore(self._database, unlocked.space, _box(unlocked))
        assert isinstance(services.database, RamDatabase)  # noqa: S101 - narrows for the checker
        store.create(services.database, transaction=transaction)
        services.close()
        self._audit.keys.renew(transaction, unlocked.space, unlocked.data_key, old=None)


def _box(unlocked: UnlockedSpace) -> RecordBox:
    """Return what seals the space's records; its copy of the key is its own to wipe."""
    return RecordBox(DataKey(unlocked.data_key.material()), unlocked.space, unlocked.epoch)
