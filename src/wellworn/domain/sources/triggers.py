"""Starts syncs beside people: by schedules, webhooks, and changes in watched folders.

Whatever asks for a sync leaves a mark at its source, which the beginning of a sync takes away. So
any number of askers get one sync, those who ask while one runs get another one after it, and a
server that was killed in between knows what it still owes.
"""

from __future__ import annotations

from wellworn.domain.sources.models import is_watched
from wellworn.domain.sources.schedule import SYNC_JOB, find_slot, format_job_key, make_wanted_slot
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.store import sources as store
from wellworn.engines.folder_watch import WatchedFolder, WatchedFolders
from wellworn.engines.jobs import DueJob
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock
from wellworn.kit.folder_paths import is_without_links


class SyncTriggers:
    """The syncs that are due in the open spaces of one database, for all of them."""

    def __init__(self, database: Database, clock: Clock, settings: SourceSettings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    def list_due(self, now: float, *, started_at: float) -> list[DueJob]:
        """Return the syncs of all open spaces that are due; each slot is one sync."""
        with self._database.read() as transaction:
            candidates = store.list_scheduled(transaction)
        stale_s = self._settings.stale_after_s
        slots = (
            (space, source, find_slot(source, now, started_at=started_at, stale_after_s=stale_s))
            for space, source in candidates
        )
        return [
            DueJob(SYNC_JOB, format_job_key(space, source.id), slot)
            for space, source, slot in slots
            if slot
        ]

    def request_sync(self, source_id: int, trigger: str) -> DueJob | None:
        """Ask for a sync of a source; return its job, unless the source rests or is gone."""
        slot = make_wanted_slot(trigger)
        with self._database.write() as transaction:
            wanted = store.want_sync(transaction, source_id, slot, self._clock.now())
        if wanted is None:
            return None
        space, slot = wanted
        return DueJob(SYNC_JOB, format_job_key(space, source_id), slot)

    def list_watched(self) -> WatchedFolders:
        """Return the folders to watch, by the number of their source; none that a link hides."""
        with self._database.read() as transaction:
            folders = store.list_folders(transaction)
        return {
            number: WatchedFolder(config["path"], reads_hidden=config.get("hidden", False))
            for number, config in folders
            if is_watched(config) and is_without_links(config["path"])
        }
