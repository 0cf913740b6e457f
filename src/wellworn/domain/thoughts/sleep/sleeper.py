"""Sleep of a space: cores of its topics are found, and what is kept of them is made to agree.

Each core is written by itself, so a sleep that is broken off left nothing half done, and the next
one goes on where it ended: what is kept already is passed over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access, upkeep_access
from wellworn.domain.thoughts.sleep.bridges import BridgeKeeper
from wellworn.domain.thoughts.sleep.overviews import Overview, OverviewReader
from wellworn.domain.thoughts.sleep.retelling import Reteller, write_told
from wellworn.domain.thoughts.store import consolidations as store
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store import topics as topic_store
from wellworn.domain.thoughts.store.consolidations import Consolidation, Core, Sleep
from wellworn.domain.thoughts.topics import TopicIndex, TopicMap
from wellworn.engines.retrieval.topics import (
    FEWEST,
    MOST_COMPARED,
    TopicEncoder,
    find_cores,
    match_topics,
    pick_standing,
)
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id

MOST_QUOTED: Final = 3
MOST_RETOLD: Final = 50
"""Overviews that somebody is asked about in one sleep."""
MOST_HEARD: Final = 8
"""Thoughts that are told who is asked."""
MOST_TOLD: Final = 20
"""Consolidations that are told of a sleep."""
SOONEST_S: Final = 3_600.0
"""After that long a space that has grown sleeps again before its time."""
GROWN_BY: Final = 100
"""Thoughts that a space has grown by, to sleep before its time."""
_SAMPLED: Final = 2_000
"""Thoughts that what is usual in a space is read from."""
_SAME: Final = 0.5
"""Share of sources that a core has in common with the one of before whose id it gets."""
_AS_BEFORE: Final = 0.8
"""The same, from which on those that stood for it before still do."""

Pause = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Rest:
    """What a sleep did, or would do, to the consolidations of a space.

    Attributes:
        slept_at: when the space slept last, in epoch seconds; None before the first time.
        made, renewed, kept, removed: how many.
        bridges: how many there are between topics, proposed or taken; in a dry run there would be.
        overviews: the largest, as they are now, or as they would be.
        is_waiting: it goes on in the background.
        dry_run: nothing was changed.
    """

    slept_at: float | None
    made: int
    renewed: int
    kept: int
    removed: int
    overviews: tuple[Overview, ...]
    bridges: int = 0
    is_waiting: bool = False
    dry_run: bool = False

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        for overview in self.overviews:
            yield from overview.list_shown()


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done: new cores, those in the place of another, and what is no more."""

    new: list[Core]
    renewed: list[tuple[Consolidation, Core]]
    kept: list[Consolidation]
    removed: list[Consolidation]

    def count(self) -> tuple[int, int, int, int]:
        return len(self.new), len(self.renewed), len(self.kept), len(self.removed)

    def list_cores(self) -> list[Core]:
        """Return the cores there will be, the largest first."""
        cores = [*self.new, *(core for _, core in self.renewed), *(each.core for each in self.kept)]
        return sorted(cores, key=lambda core: -len(core.members))


class Sleeper:
    """Lets the spaces of one database sleep, each once at a time."""

    def __init__(
        self,
        database: Database,
        topics: TopicIndex,
        overviews: OverviewReader,
        bridges: BridgeKeeper,
        clock: Clock,
        *,
        version: int,
        every_hours: float,
    ) -> None:
        self._database = database
        self._topics = topics
        self._overviews = overviews
        self._bridges = bridges
        self._clock = clock
        self._version = version
        self._every_s = every_hours * 3_600.0
        self._sleeping = defaultdict[str, Lock](Lock)
        self.reteller: Reteller | None = None
        """What is asked what overviews say, beside their quotes."""
        self.hand_over: Callable[[str], object] | None = None
        """What is given the large spaces that are due instead of letting them sleep here."""

    def sleep_if_due(self) -> None:
        """Let every space sleep that is due; may take a minute.

        Raises:
            StorageUnavailable: the database failed; what was not reached waits.
        """
        if not self._every_s:
            return
        with self._database.read() as transaction:
            spaces = topic_store.list_spaces(transaction)
        for space in spaces:
            if not self._is_due(space):
                continue
            access = upkeep_access(space)
            if self.hand_over is not None and self._topics.is_large(access):
                self.hand_over(space)
            else:
                self.sleep(access)

    def _is_due(self, space: str) -> bool:
        now = self._clock.now()
        with self._database.read() as transaction:
            last = store.find_sleep(transaction, space)
            first_said = topic_store.find_first_said(transaction, upkeep_access(space))
            slept_at = last.slept_at if last else first_said or now
            # One that lies ahead was noted by a clock that ran ahead.
            passed_s = now - slept_at
            if not 0.0 <= passed_s < self._every_s:
                return True
            newest = last.newest if last else 0
            is_soon = last is not None and passed_s < SOONEST_S
            return not is_soon and store.count_later(transaction, space, newest) >= GROWN_BY

    def tell(self, access: Access, *, limit: int = MOST_TOLD) -> Rest:
        """Return what the last sleep of a space left."""
        with self._database.read() as transaction:
            kept = len(store.load_consolidations(transaction, access.space))
        overviews = tuple(self._overviews.list_largest(access, limit=limit))
        told = self._bridges.tell(access)
        return Rest(told.slept_at, 0, 0, kept, 0, overviews, len(told.bridges))

    def sleep(
        self,
        access: Access,
        *,
        dry_run: bool = False,
        limit: int = MOST_TOLD,
        pause: Pause = lambda: None,
    ) -> Rest:
        """Let a space sleep; a `dry_run` says what would be done.

        `pause` is called again and again, to make way for others.

        Raises:
            StorageUnavailable: the database failed; what was done until then stays.
        """
        space = access.space
        with self._sleeping[space]:
            cores, newest, is_made = self._find_cores(access, pause)
            if not is_made and not dry_run:
                self._topics.sort(space, pause)
                cores, newest, is_made = self._find_cores(access, pause)
            with self._database.read() as transaction:
                last = store.find_sleep(transaction, space)
                plan = _plan(store.load_consolidations(transaction, space), cores)
            # Nothing is taken away for want of topics.
            if dry_run or not is_made:
                with self._database.read() as transaction:
                    sketched = self._overviews.sketch(
                        transaction, access, plan.list_cores()[:limit]
                    )
                slept_at = last and last.slept_at
                return Rest(
                    slept_at,
                    *plan.count(),
                    tuple(sketched),
                    self._bridges.count(access) if is_made else 0,
                    is_waiting=not is_made,
                    dry_run=dry_run,
                )
            now = self._clock.now()
            self._carry_out(space, plan, now, pause)
            self._retell(space, pause)
            pause()
            self._bridges.renew(access)
            with self._database.write() as transaction:
                if topic_store.filter_existing(transaction, [space]):
                    store.save_sleep(transaction, space, Sleep(now, newest))
        made, renewed, kept, removed = plan.count()
        rest = self.tell(access, limit=limit)
        return replace(rest, slept_at=now, made=made, renewed=renewed, kept=kept, removed=removed)

    def _carry_out(self, space: str, plan: _Plan, now: float, pause: Pause) -> None:
        """Write each change by itself; what vanished meanwhile is no source."""
        for gone in plan.removed:
            pause()
            with self._database.write() as transaction:
                store.remove(transaction, [gone.seq])
        changes = [*((None, core) for core in plan.new), *plan.renewed]
        for before, core in changes:
            pause()
            with self._database.write() as transaction:
                living = _limit(core, rows.filter_living(transaction, core.members))
                if len(living.members) < FEWEST or not living.quoted:
                    continue
                if before is None:
                    store.add(transaction, space, living, new_id=new_id(), now=now)
                else:
                    store.renew(transaction, before, living, now=now)

    def _retell(self, space: str, pause: Pause) -> None:
        """Have said what is new, the largest first, as far as somebody can be asked."""
        if self.reteller is None:
            return
        with self._database.read() as transaction:
            untold = store.list_untold(transaction, space, most=MOST_RETOLD)
        for kept in untold:
            pause()
            with self._database.read() as transaction:
                first = [*kept.core.quoted, *kept.core.members]
                seqs = [*dict.fromkeys(first)][:MOST_HEARD]
                settled = store.filter_settled(transaction, space, seqs, at=self._clock.now())
                sayings = store.load_quotes(transaction, space, [s for s in seqs if s in settled])
            retelling = self.reteller.retell(sayings)
            if retelling.is_away:
                return
            with self._database.write() as transaction:
                heard = {each.seq for each in sayings}
                # What was erased meanwhile is not told after all.
                if heard <= rows.filter_living(transaction, sorted(heard)):
                    store.save_told(transaction, kept, write_told(retelling.claims))

    def _find_cores(self, access: Access, pause: Pause) -> tuple[list[Core], int, bool]:
        """Return the cores of a space, the newest of its thoughts, and whether it has topics."""
        with self._database.read() as transaction:
            layout = self._topics.build_map(transaction, access, for_caller=False)
            topics = [*_list_groups(layout)]
            shown = layout.shown
            sample = shown[np.linspace(0, len(shown) - 1, min(len(shown), _SAMPLED)).astype(int)]
            gists = topic_store.load_gists(transaction, sample.tolist(), self._version)
        newest = int(shown.max(initial=0))
        lens = TopicEncoder.fit([each.codes for each in gists], [each.counts for each in gists])
        cores: list[Core] = []
        for topic_id, members in topics:
            pause()
            cores += self._find_in(access.space, topic_id, members, lens)
        return cores, newest, layout.is_made

    def _find_in(
        self, space: str, topic_id: str, members: Sequence[int], lens: TopicEncoder
    ) -> list[Core]:
        with self._database.read() as transaction:
            settled = store.filter_settled(transaction, space, members, at=self._clock.now())
            gists = topic_store.load_gists(transaction, settled, self._version)
        if len(gists) < FEWEST:
            return []
        places = {seq: place for place, seq in enumerate(members)}
        gists.sort(key=lambda gist: places[gist.seq])
        vectors = lens.encode([each.codes for each in gists], [each.counts for each in gists])
        seqs = np.array([gist.seq for gist in gists], np.int64)
        found: list[Core] = []
        for core in find_cores(vectors):
            standing = core[pick_standing(vectors[core], MOST_QUOTED)]
            found.append(
                Core(
                    topic_id,
                    tuple(seqs[core].tolist()),
                    tuple(seqs[standing].tolist()),
                )
            )
        return found


def _list_groups(layout: TopicMap) -> Iterator[tuple[str, list[int]]]:
    """Yield what is compared with one another: members of a topic that are in none inside."""
    for topic, members in layout.list_lowest():
        if len(members) >= FEWEST:
            yield topic.id, members[:MOST_COMPARED].tolist()


def _limit(core: Core, seqs: set[int]) -> Core:
    return Core(
        core.topic_id,
        tuple(seq for seq in core.members if seq in seqs),
        tuple(seq for seq in core.quoted if seq in seqs),
    )


def _plan(before: Sequence[Consolidation], cores: Sequence[Core]) -> _Plan:
    """Return what makes that which is kept agree with the cores that were found.

    Where a core is nearly what it was, the thoughts that stood for it go on to do so.
    """
    plan, matches = _Plan([], [], [], []), _match(before, cores)
    for at, core in enumerate(cores):
        if at not in matches:
            plan.new.append(core)
            continue
        kept = before[matches[at]]
        old = kept.core
        if _overlap(core, old) >= _AS_BEFORE and {*old.quoted} <= {*core.members}:
            core = core._replace(quoted=old.quoted)  # noqa: PLW2901 - the same, told as before
        is_same = core.topic_id == old.topic_id and {*core.members} == {*old.members}
        if is_same and core.quoted == old.quoted:
            plan.kept.append(kept)
        else:
            plan.renewed.append((kept, core))
    going_on = {*matches.values()}
    plan.removed.extend(each for number, each in enumerate(before) if number not in going_on)
    return plan


def _match(before: Sequence[Consolidation], cores: Sequence[Core]) -> Mapping[int, int]:
    """Return by core which consolidation it is: that with most, and at least half, in common."""
    old = [np.array(kept.core.members, np.int64) for kept in before]
    new = [np.array(core.members, np.int64) for core in cores]
    units = np.unique(np.concatenate([*old, *new, np.empty(0, np.int64)]))
    return match_topics(old, new, was_there=units, is_there=units, least=_SAME).same


def _overlap(core: Core, other: Core) -> float:
    """Return the Jaccard index of the members of two cores."""
    both = len({*core.members} & {*other.members})
    return both / (len(core.members) + len(other.members) - both)
