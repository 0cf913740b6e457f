"""The sync of a source: it succeeds in full or changes nothing of what was there.

The order is: list, compare, read, stage, publish. Staged documents wait in tables of their own
until one transaction publishes all of them. If a sync is killed, the source stays as it was and the
next sync continues with what is staged. No search returns points of staged chunks in the index.

Until a source was synced for the first time nothing was there, so its documents are published as
they come in: a large folder can be searched while it is being read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock

from wellworn.domain.sources import features
from wellworn.domain.sources.connectors import (
    Listing,
    ListingFailed,
    NotModified,
    SourceConnector,
    SourceItem,
    SourceSnapshot,
)
from wellworn.domain.sources.document_builder import (
    DocumentBuilder,
    DocumentDraft,
    hash_bytes,
    pipeline_version,
)
from wellworn.domain.sources.models import (
    USUAL,
    Problem,
    Source,
    SyncOptions,
    SyncRun,
    SyncStatus,
    empty_mapping,
)
from wellworn.domain.sources.outcomes import SyncOutcome, summarize_failure, summarize_sync
from wellworn.domain.sources.planning import (
    KnownDocument,
    Plan,
    group_orphaned,
    is_alarming,
    plan_sync,
)
from wellworn.domain.sources.run_recorder import UPLOAD, RunRecorder
from wellworn.domain.sources.safe_paths import SafeSnapshot
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.staging import (
    IndexedDraft,
    index_draft,
    open_indexer,
    stage_drafts,
)
from wellworn.domain.sources.stand_ins import find_stand_in
from wellworn.domain.sources.store import chunks, documents, staging
from wellworn.domain.sources.sync_state import SyncState, UploadSnapshot, list_refusals
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database, Transaction, split_into_batches
from wellworn.engines.storage.vectors import VectorIndex, point_id
from wellworn.errors import SyncRunning
from wellworn.kit.clock import Clock

_STAGED_AT_ONCE = 64
"""Chunks; every call that leaves a trace waits for the transaction that stages them."""
_DRAFTS_AT_ONCE = 64
_UNSETTLED = frozenset({SyncStatus.NEEDS_CONFIRMATION, SyncStatus.PENDING})


def _go_on() -> None:
    """Never ask a sync to stop."""


class Syncer:
    """Syncs the sources of one database, each by one caller at a time."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        clock: Clock,
        settings: SourceSettings,
        *,
        made_by: DocumentBuilder,
        kinds: dict[str, SourceConnector],
    ) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._settings = settings
        self._builder = made_by
        self._kinds = kinds
        self.recorder = RunRecorder(database, clock)
        self._running: dict[int, tuple[int, int]] = {}
        self._guard = Lock()

    def sync(
        self,
        access: Access,
        source: Source,
        *,
        secret: str | None,
        trigger: str = "hand",
        options: SyncOptions = USUAL,
        check: Callable[[], None] = _go_on,
    ) -> tuple[SyncRun, list[int]]:
        """Bring a source up to date; return the run, and the documents that changed or went.

        Those that only moved come first. `check` is called now and then; its error stops the sync.

        Raises:
            SyncRunning: it is being synced already.
        """
        with self._lock(source):
            run_id = self.recorder.begin(access, source, trigger)
            return self.recorder.run(
                source,
                run_id,
                lambda: self._sync(access, source, secret, options, check),
            )

    def add_upload(
        self, access: Access, source: Source, item: SourceItem, raw: bytes
    ) -> tuple[SyncRun, list[int]]:
        """Store an uploaded file in place of the one at its path."""
        with self._lock(source):
            run_id = self.recorder.begin(access, source, UPLOAD, uploaded=item)
            listing = Listing((item,), is_complete=False)
            snapshot = UploadSnapshot(listing, raw)
            return self.recorder.run(
                source, run_id, lambda: self._apply(access, source, snapshot, listing)
            )

    def add_drafts(self, access: Access, source: Source, drafts: Sequence[DocumentDraft]) -> None:
        """Publish documents that were built elsewhere, such as from an export."""
        with self._lock(source):
            work = SyncState(access, source, Plan((), (), {}, ()), {}, uploaded_by=access.owner)
            for part in split_into_batches(drafts, _DRAFTS_AT_ONCE):
                self._stage(work, [*map(index_draft, part)])
            self._publish(work, Listing((), is_complete=False), confirmed=False)

    @contextmanager
    def _lock(self, source: Source) -> Generator[None]:
        with self._guard:
            if source.id in self._running:
                message = "this source is being synced now; wait for it, or look at its runs"
                raise SyncRunning(message)
            self._running[source.id] = (0, 0)
        try:
            with self._leading(source):
                yield
        finally:
            del self._running[source.id]

    @contextmanager
    def _leading(self, source: Source) -> Generator[None]:
        with self._database.lead(f"source {source.id}") as is_ours:
            if not is_ours:
                raise SyncRunning("another server is syncing this source now; look at its runs")
            yield

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def progress(self, source_id: int) -> tuple[int, int] | None:
        """Return how many documents of how many are read, while a source is being synced."""
        return self._running.get(source_id)

    def _sync(
        self,
        access: Access,
        source: Source,
        secret: str | None,
        options: SyncOptions,
        check: Callable[[], None],
    ) -> tuple[SyncOutcome, list[int]]:
        connector = self._kinds[source.source_type]
        # What was made by older rules, or could not be read, is looked at again.
        is_settled = source.sync_status not in _UNSETTLED and options == USUAL
        is_settled = is_settled and not self._is_outdated(source)
        state = source.state if is_settled else empty_mapping()
        with connector.open_snapshot(source.config, secret=secret, state=state) as original:
            snapshot = SafeSnapshot(original)
            listing = snapshot.list_items()
            if isinstance(listing, ListingFailed):
                self._mark_stale(source, listing.message)
                return summarize_failure(listing), []
            if isinstance(listing, NotModified):
                return self._confirm_unchanged(source), []
            return self._apply(access, source, snapshot, listing, options=options, check=check)

    def _is_outdated(self, source: Source) -> bool:
        with self._database.read() as transaction:
            known = documents.list_known(transaction, source)
        version, limits = pipeline_version(), self._builder.limits_version
        return any(
            not document.is_made_by(version, limits) for document in known if not document.is_gone
        )

    def _mark_stale(self, source: Source, reason: str) -> None:
        with self._database.write() as transaction:
            known = documents.list_known(transaction, source)
            documents.mark_stale(transaction, [document.id for document in known], reason)

    def _confirm_unchanged(self, source: Source) -> SyncOutcome:
        with self._database.write() as transaction:
            known = [
                document
                for document in documents.list_known(transaction, source)
                if not document.is_gone
            ]
            if self._kinds[source.source_type].is_scheduled:
                same = [document.id for document in known if not document.is_refused]
                documents.mark_current(transaction, same, now=self._clock.now())
        refused = list_refusals(known)
        counts = Counter({"unchanged": len(known) - len(refused)})
        return summarize_sync(counts, refused, state=source.state, is_settled=True)

    def _apply(
        self,
        access: Access,
        source: Source,
        snapshot: SourceSnapshot,
        listing: Listing,
        *,
        options: SyncOptions = USUAL,
        check: Callable[[], None] = _go_on,
    ) -> tuple[SyncOutcome, list[int]]:
        with self._database.read() as transaction:
            known = documents.list_known(transaction, source)
            staged = staging.list_staged(transaction, source)
            remaining = self._settings.most_documents - documents.count(transaction, access)
        limits = self._builder.limits_version if options == USUAL else None
        maker = None if options.rereads else pipeline_version()
        plan = plan_sync(listing, known, maker=maker, refuser=limits)
        work = SyncState(
            access,
            source,
            plan,
            {document.id: document for document in known},
            moved=dict(plan.moved),
            uploaded_by=access.owner if isinstance(snapshot, UploadSnapshot) else None,
            ask_elsewhere=None if options.confirmed else listing.ask_elsewhere,
        )
        wanted = self._drop_outdated(work, staged)
        wanted = work.take_within(wanted, remaining)
        self._read(work, snapshot, wanted, check)
        return self._publish(work, listing, confirmed=options.confirmed)

    def _drop_outdated(
        self, work: SyncState, staged: dict[str, tuple[int, str, int]]
    ) -> list[SourceItem]:
        """Drop what is staged in an old version; return the items that have to be read."""
        listed = {item.path: item for item in work.plan.read}
        usable = {
            path
            for path, (_, version, by) in staged.items()
            if path in listed and listed[path].version == version and by == pipeline_version()
        }
        self._drop([number for path, (number, _, _) in staged.items() if path not in usable])
        return [item for item in work.plan.read if item.path not in usable]

    def _drop(self, staged: Sequence[int]) -> None:
        if not staged:
            return
        with self._database.write() as transaction:
            gone = staging.drop(transaction, staged)
        self._index.delete([point_id(seq, 0) for seq in gone])

    def _read(
        self,
        work: SyncState,
        snapshot: SourceSnapshot,
        wanted: Sequence[SourceItem],
        check: Callable[[], None],
    ) -> None:
        by_path = {document.path: document for document in work.known.values()}
        orphaned = group_orphaned(work.known, work.plan, maker=pipeline_version())
        drafts: list[DocumentDraft] = []
        with open_indexer(work.access, len(wanted)) as indexer:
            for count, (item, raw) in enumerate(snapshot.read(wanted), start=1):
                result = self._build(work, item, raw, by_path.get(item.path), orphaned)
                if isinstance(result, Problem):
                    work.problems.append((item, result))
                    if not isinstance(raw, Problem):
                        work.judged.add(item.path)
                elif result is not None:
                    drafts.append(result)
                if sum(len(draft.pending) for draft in drafts) >= _STAGED_AT_ONCE:
                    for ready in indexer.index(drafts):
                        self._stage(work, ready)
                    drafts = []
                self._running[work.source.id] = (count, len(wanted))
                check()
            for ready in indexer.index(drafts, is_last=True):
                self._stage(work, ready)

    def _build(
        self,
        work: SyncState,
        item: SourceItem,
        raw: bytes | Problem,
        known: KnownDocument | None,
        orphaned: Mapping[str, list[int]],
    ) -> DocumentDraft | Problem | None:
        """Return a new version, or None if the same content is stored already."""
        if isinstance(raw, Problem):
            return raw
        content = hash_bytes(raw)
        if known and known.raw_hash == content and known.maker == pipeline_version():
            if known.is_gone:
                work.moved[known.id] = item
            else:
                work.seen.append((known.id, item.version))
            return None
        if known is None and orphaned.get(content):
            work.moved[orphaned[content].pop(0)] = item
            return None
        stored: dict[str, list[int]] = {}
        if known:
            with self._database.read() as transaction:
                stored = chunks.list_hashes(
                    transaction, known.id, features.list_versions(self._embedder)
                )
        draft = self._builder.build(
            item, raw, document_id=known and known.id, stored=stored, now=self._clock.now()
        )
        return self._judge(work, known, draft) if known and known.is_served else draft

    def _judge(
        self, work: SyncState, known: KnownDocument, draft: DocumentDraft | Problem
    ) -> DocumentDraft | Problem:
        """Return a draft, or why it stands in for the page that was there before."""
        if work.ask_elsewhere is None or isinstance(draft, Problem):
            return draft
        with self._database.read() as transaction:
            before = documents.find_version(transaction, known.id)
        ask = partial(self._builder.read_elsewhere, work.ask_elsewhere, now=self._clock.now())
        reason = find_stand_in(before, draft.version, ask)
        return Problem(known.path, reason) if reason else draft

    def _stage(self, work: SyncState, ready: Sequence[IndexedDraft]) -> None:
        """Stage documents whose new chunks are indexed by their words."""
        if not ready:
            return
        work.counts["indexed"] += sum(len(draft.fresh) for draft in ready)
        with self._database.write() as transaction:
            ready = work.attribute(ready, self._clock.now())
            stage_drafts(transaction, self._index, work.access, work.source, ready)
            gone = self._publish_early(transaction, work)
        self._index.delete([point_id(seq, 0) for seq in gone])

    def _publish_early(self, transaction: Transaction, work: SyncState) -> list[int]:
        """Publish what is staged of a source that was never synced; return the chunks that went."""
        if work.source.last_synced_at is not None:
            return []
        changed, gone = staging.publish(transaction, work.access, work.source)
        work.published += changed
        return gone

    def _publish(
        self, work: SyncState, listing: Listing, *, confirmed: bool
    ) -> tuple[SyncOutcome, list[int]]:
        """Publish everything that is staged, in one transaction."""
        now = self._clock.now()
        missing = [id_ for id_ in work.plan.missing if id_ not in work.moved]
        served = sum(
            not document.is_gone and document.is_readable for document in work.known.values()
        )
        lost = [id_ for id_ in missing if work.known[id_].is_readable]
        alarming = is_alarming(len(lost), served, most=self._settings.most_vanishing)
        waits = bool(alarming and not confirmed)
        with self._database.write() as transaction:
            changed, gone = staging.publish(transaction, work.access, work.source)
            changed = [*dict.fromkeys([*work.published, *changed])]
            documents.mark_current(transaction, work.as_before, now=now)
            for id_, version in work.seen:
                documents.update_version(transaction, id_, version)
            for id_, item in work.moved.items():
                documents.move(transaction, id_, item, now=now)
            _note_refused(transaction, work, by=self._builder.limits_version, now=now)
            documents.date_documents(transaction, work.source, listing.items)
            if waits:
                reason = "it was missing from its source's last listing"
                documents.mark_missing(transaction, missing, reason)
            else:
                documents.mark_gone(transaction, missing, now=now)
        self._index.delete([point_id(seq, 0) for seq in gone])
        gone_ids = [] if waits else missing
        work.count(changed, gone_ids)
        outcome = work.summarize(listing, vanished=len(lost) if waits else 0)
        # An earlier run that was killed may have published these, and told nobody.
        early = work.as_before if work.source.last_synced_at is None else []
        return outcome, [*work.moved, *changed, *gone_ids, *early]


def _note_refused(transaction: Transaction, work: SyncState, *, by: int, now: float) -> None:
    """Note why documents cannot be read; those that are known stay as they were, and stale.

    `by` refuses what their content is.
    """
    known = {document.path: document.id for document in work.known.values()}
    for item, problem in work.problems:
        refuser = by if item.path in work.judged else None
        if item.path in known:
            documents.mark_refused(transaction, known[item.path], item, problem, by=refuser)
            continue
        documents.add_refused(
            transaction, work.access, work.source, item, problem, by=refuser, now=now
        )
