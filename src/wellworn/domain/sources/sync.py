"""One sync of a source: it lands whole, or leaves what was there before.

The order is: list, compare, read, make ready, put in place. What is ready waits in tables of its
own until one transaction serves all of it; a sync that is killed leaves the rest as it was, and the
next one takes up what waits. The index may hold points of chunks that wait; nobody finds them.

Source: issue 5, point 2; knowledge sync v1.0, sections 3 and 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from wellworn.domain.sources import features
from wellworn.domain.sources.connectors import Connector, Item, Listing, Same, Setback, Visit
from wellworn.domain.sources.document_builder import Draft, Maker, maker, raw_hash
from wellworn.domain.sources.models import Problem, Run, Source, SyncStatus, nothing
from wellworn.domain.sources.outcomes import Outcome, concluded, set_back
from wellworn.domain.sources.planning import Known, Plan, homeless_in, is_alarming, planned
from wellworn.domain.sources.run_recorder import Recorder
from wellworn.domain.sources.safe_paths import CleanVisit
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.staging import embedded, stage
from wellworn.domain.sources.store import chunks, documents, staging
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex, point_id
from wellworn.errors import SyncRunning
from wellworn.kit.clock import Clock

_EMBEDDED_AT_ONCE = 64
_UNSETTLED = frozenset({SyncStatus.NEEDS_CONFIRMATION, SyncStatus.PENDING})


@dataclass(slots=True)
class _Work:
    """A sync in hand; `judged` are the paths whose very content was refused."""

    access: Access
    source: Source
    plan: Plan
    known: dict[int, Known]
    seen: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    moved: dict[int, Item] = field(default_factory=dict[int, Item])
    problems: list[tuple[Item, Problem]] = field(default_factory=list[tuple[Item, Problem]])
    judged: set[str] = field(default_factory=set[str])
    counts: Counter[str] = field(default_factory=Counter[str])


def _go_on() -> None:
    """Never ask a sync to stop."""


class Syncer:
    """Syncs sources of one room, each by one caller at a time."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        clock: Clock,
        settings: SourceSettings,
        *,
        made_by: Maker,
        kinds: dict[str, Connector],
    ) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._settings = settings
        self._maker = made_by
        self._kinds = kinds
        self.recorder = Recorder(database, clock)
        self._running: dict[int, tuple[int, int]] = {}
        self._guard = Lock()

    def sync(
        self,
        access: Access,
        source: Source,
        *,
        secret: str | None,
        trigger: str = "hand",
        confirmed: bool = False,
        check: Callable[[], None] = _go_on,
    ) -> tuple[Run, list[int]]:
        """Bring a source up to date; return the run, and the documents that changed or went.

        Those that only moved come first. `check` is called now and then; what it raises stops the
        sync.

        Raises:
            SyncRunning: it is being synced already.
        """
        with self._alone(source):
            run_id = self.recorder.begin(access, source, trigger)
            return self.recorder.ended(
                source,
                run_id,
                lambda: self._visited(access, source, secret, confirmed=confirmed, check=check),
            )

    def add(self, access: Access, source: Source, item: Item, raw: bytes) -> tuple[Run, list[int]]:
        """Take in one file that somebody sent, in place of the one at its path."""
        with self._alone(source):
            run_id = self.recorder.begin(access, source, "upload")
            listing = Listing((item,), is_complete=False)
            given = _Given(listing, raw)
            return self.recorder.ended(
                source, run_id, lambda: self._taken(access, source, given, listing)
            )

    def bring(self, access: Access, source: Source, drafts: Sequence[Draft]) -> None:
        """Serve documents that were made ready elsewhere, as from an export."""
        with self._alone(source):
            work = _Work(access, source, Plan((), (), {}, ()), {})
            for start in range(0, len(drafts), _EMBEDDED_AT_ONCE):
                self._stage(work, drafts[start : start + _EMBEDDED_AT_ONCE])
            self._put_in_place(work, Listing((), is_complete=False), confirmed=False)

    @contextmanager
    def _alone(self, source: Source) -> Generator[None]:
        with self._guard:
            if source.id in self._running:
                message = "this source is being synced now; wait for it, or look at its runs"
                raise SyncRunning(message)
            self._running[source.id] = (0, 0)
        try:
            yield
        finally:
            del self._running[source.id]

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def progress(self, source_id: int) -> tuple[int, int] | None:
        """Return how many documents of how many are read, while a source is being synced."""
        return self._running.get(source_id)

    def _visited(
        self,
        access: Access,
        source: Source,
        secret: str | None,
        *,
        confirmed: bool,
        check: Callable[[], None],
    ) -> tuple[Outcome, list[int]]:
        connector = self._kinds[source.source_type]
        # What was made by older rules, or could not be read, is looked at again.
        is_settled = source.sync_status not in _UNSETTLED and not confirmed
        is_settled = is_settled and not self._is_outdated(source)
        state = source.state if is_settled else nothing()
        with connector.visit(source.config, secret=secret, state=state) as given:
            visit = CleanVisit(given)
            listing = visit.listing()
            if isinstance(listing, Setback):
                self._call_stale(source, listing.message)
                return set_back(listing), []
            if isinstance(listing, Same):
                return self._unchanged(source), []
            return self._taken(access, source, visit, listing, confirmed=confirmed, check=check)

    def _is_outdated(self, source: Source) -> bool:
        with self._database.read() as transaction:
            known = documents.known(transaction, source)
        by, refuser = maker(), self._maker.refuser
        return any(not one.is_made_by(by, refuser) for one in known if not one.is_gone)

    def _call_stale(self, source: Source, reason: str) -> None:
        with self._database.write() as transaction:
            known = documents.known(transaction, source)
            documents.call_stale(transaction, [one.id for one in known], reason)

    def _unchanged(self, source: Source) -> Outcome:
        with self._database.write() as transaction:
            known = [one for one in documents.known(transaction, source) if not one.is_gone]
            if self._kinds[source.source_type].is_scheduled:
                same = [one.id for one in known if not one.is_refused]
                documents.touch(transaction, same, now=self._clock.now())
        refused = _refused(known)
        counts = Counter({"unchanged": len(known) - len(refused)})
        return concluded(counts, refused, state=source.state, is_settled=True)

    def _taken(
        self,
        access: Access,
        source: Source,
        visit: Visit,
        listing: Listing,
        *,
        confirmed: bool = False,
        check: Callable[[], None] = _go_on,
    ) -> tuple[Outcome, list[int]]:
        with self._database.read() as transaction:
            known = documents.known(transaction, source)
            waiting = staging.waiting(transaction, source)
            room = self._settings.most_documents - documents.count(transaction, access)
        refuser = None if confirmed else self._maker.refuser
        plan = planned(listing, known, maker=maker(), refuser=refuser)
        work = _Work(access, source, plan, {one.id: one for one in known}, moved=dict(plan.moved))
        wanted = self._not_waiting(work, waiting)
        wanted = self._within_quota(work, wanted, room)
        self._read(work, visit, wanted, check)
        return self._put_in_place(work, listing, confirmed=confirmed)

    def _not_waiting(self, work: _Work, waiting: dict[str, tuple[int, str, int]]) -> list[Item]:
        """Return what has to be read; of what waits already, drop what is old."""
        listed = {item.path: item for item in work.plan.read}
        usable = {
            path
            for path, (_, version, by) in waiting.items()
            if path in listed and listed[path].version == version and by == maker()
        }
        self._drop([number for path, (number, _, _) in waiting.items() if path not in usable])
        return [item for item in work.plan.read if item.path not in usable]

    def _drop(self, staged: Sequence[int]) -> None:
        if not staged:
            return
        with self._database.write() as transaction:
            gone = staging.drop(transaction, staged)
        self._index.delete([point_id(seq, 0) for seq in gone])

    def _within_quota(self, work: _Work, wanted: list[Item], room: int) -> list[Item]:
        paths = {one.path for one in work.known.values() if _is_served(one)}
        new = [item for item in wanted if item.path not in paths]
        beyond = {item.path for item in new[max(0, room) :]}
        reason = "the space has as many documents as it may; remove a source or raise the limit"
        work.problems += [
            (item, Problem(item.path, reason)) for item in wanted if item.path in beyond
        ]
        return [item for item in wanted if item.path not in beyond]

    def _read(
        self, work: _Work, visit: Visit, wanted: Sequence[Item], check: Callable[[], None]
    ) -> None:
        by_path = {one.path: one for one in work.known.values()}
        homeless = homeless_in(work.known, work.plan, maker=maker())
        drafts: list[Draft] = []
        for done, (item, raw) in enumerate(visit.read(wanted), start=1):
            made = self._made(work, item, raw, by_path.get(item.path), homeless)
            if isinstance(made, Problem):
                work.problems.append((item, made))
                if not isinstance(raw, Problem):
                    work.judged.add(item.path)
            elif made is not None:
                drafts.append(made)
            if sum(len(one.pieces) for one in drafts) >= _EMBEDDED_AT_ONCE:
                self._stage(work, drafts)
                drafts = []
            self._running[work.source.id] = (done, len(wanted))
            check()
        self._stage(work, drafts)

    def _made(
        self,
        work: _Work,
        item: Item,
        raw: bytes | Problem,
        known: Known | None,
        homeless: Mapping[str, list[int]],
    ) -> Draft | Problem | None:
        """Return a version to be served, or None if the very content is here already."""
        if isinstance(raw, Problem):
            return raw
        content = raw_hash(raw)
        if known and known.raw_hash == content and known.maker == maker():
            if known.is_gone:
                work.moved[known.id] = item
            else:
                work.seen.append((known.id, item.version))
            return None
        if known is None and homeless.get(content):
            work.moved[homeless[content].pop(0)] = item
            return None
        stored: dict[str, list[int]] = {}
        if known:
            with self._database.read() as transaction:
                stored = chunks.hashes(transaction, known.id, features.maker(self._embedder))
        return self._maker.made(
            item,
            raw,
            document_id=known.id if known else None,
            stored=stored,
            now=self._clock.now(),
        )

    def _stage(self, work: _Work, drafts: Sequence[Draft]) -> None:
        """Embed what is new of some documents, and let them wait."""
        if not drafts:
            return
        ready = embedded(self._embedder, drafts)
        work.counts["embedded"] += sum(len(made) for _, made in ready)
        with self._database.write() as transaction:
            stage(transaction, self._index, work.access, work.source, ready)

    def _put_in_place(
        self, work: _Work, listing: Listing, *, confirmed: bool
    ) -> tuple[Outcome, list[int]]:
        """Serve all that is ready, in one transaction."""
        now = self._clock.now()
        missing = [one for one in work.plan.missing if one not in work.moved]
        served = sum(not one.is_gone and one.is_readable for one in work.known.values())
        lost = [one for one in missing if work.known[one].is_readable]
        alarming = is_alarming(len(lost), served, most=self._settings.most_vanishing)
        waits = bool(alarming and not confirmed and listing.is_complete)
        if not listing.is_complete:
            missing = []
        with self._database.write() as transaction:
            changed, gone = staging.put_in_place(transaction, work.access, work.source)
            documents.touch(transaction, _as_they_were(work), now=now)
            documents.touch(transaction, [one for one, _ in work.seen], now=now)
            for one, version in work.seen:
                documents.seen_again(transaction, one, version)
            for one, item in work.moved.items():
                documents.move(transaction, one, item, now=now)
            self._refuse(transaction, work, now)
            if waits:
                documents.mark(
                    transaction, missing, "it was missing from its source's last listing"
                )
            else:
                documents.bury(transaction, missing, now=now)
        self._index.delete([point_id(seq, 0) for seq in gone])
        self._count(work, changed, [] if waits else missing)
        went = [] if waits else missing
        outcome = _concluded(work, listing, vanished=len(lost) if waits else 0)
        return outcome, [*work.moved, *changed, *went]

    def _refuse(self, transaction: Transaction, work: _Work, now: float) -> None:
        by_path = {one.path: one.id for one in work.known.values()}
        for item, problem in work.problems:
            by = self._maker.refuser if item.path in work.judged else None
            if item.path in by_path:
                documents.refuse_again(transaction, by_path[item.path], item, problem, by=by)
                continue
            documents.refuse(transaction, work.access, work.source, item, problem, by=by, now=now)

    def _count(self, work: _Work, changed: Sequence[int], gone: Sequence[int]) -> None:
        work.counts["new"] = sum(one not in work.known for one in changed)
        work.counts["changed"] = len(changed) - work.counts["new"]
        work.counts["moved"] = len(work.moved)
        work.counts["gone"] = len(gone)
        work.counts["unchanged"] = len(_as_they_were(work)) + len(work.seen)


def _as_they_were(work: _Work) -> list[int]:
    return [one for one in work.plan.unchanged if not work.known[one].is_refused]


def _concluded(work: _Work, listing: Listing, *, vanished: int) -> Outcome:
    still = _refused(work.known[one] for one in work.plan.unchanged)
    found = (problem for _, problem in work.problems)
    last = not listing.problems and all(item.path in work.judged for item, _ in work.problems)
    return concluded(
        work.counts,
        (*still, *found, *listing.problems),
        vanished=vanished,
        state=listing.state,
        is_settled=last,
        passed_over=listing.passed_over,
    )


def _refused(known: Iterable[Known]) -> tuple[Problem, ...]:
    return tuple(Problem(one.path, one.reason) for one in known if one.is_refused)


def _is_served(known: Known | None) -> bool:
    return known is not None and known.is_readable and not known.is_gone


@dataclass(frozen=True, slots=True)
class _Given:
    """A visit of one item that somebody brought."""

    given: Listing
    raw: bytes

    def listing(self) -> Listing:
        return self.given

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        for item in items:
            yield item, self.raw
