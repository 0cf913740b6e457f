"""Bridges of a space: topics that lie far apart, and that sessions needed together all the same.

Sleep finds them, as proposals: an admin takes one or declines it, or it expires a month after it
was last found. They stand in one place, with their evidence, and move no result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.store import ThoughtExcerpt, co_use
from wellworn.domain.thoughts.store import bridges as store
from wellworn.domain.thoughts.store import topics as topic_store
from wellworn.domain.thoughts.store.bridges import KeptBridge
from wellworn.domain.thoughts.store.catalogue import Catalogue
from wellworn.domain.thoughts.store.consolidations import find_sleep
from wellworn.domain.thoughts.store.topics import Seqs
from wellworn.domain.thoughts.topics import Topic, TopicIndex, TopicMap
from wellworn.engines.retrieval.co_use import FoundBridge, find_bridges
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput, NotFound
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id

EXPIRES_S: Final = 30 * 86_400.0
_BRIDGES: Final = "bridges"


@dataclass(frozen=True, slots=True)
class BridgeEnd:
    """A topic at one end of a bridge, as it is now."""

    topic_id: str
    title: str
    size: int
    central: ThoughtExcerpt | None


@dataclass(frozen=True, slots=True)
class Bridge:
    """Two topics that were needed together.

    Attributes:
        kept: how that is known.
        expires_at: when it is gone if it is not found again, in epoch seconds; None if taken.
    """

    kept: KeptBridge
    expires_at: float | None
    ends: tuple[BridgeEnd, BridgeEnd]


@dataclass(frozen=True, slots=True)
class Bridges:
    """The bridges of a space, the surest first; it slept last at `slept_at`, in epoch seconds."""

    bridges: tuple[Bridge, ...]
    slept_at: float | None

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        for bridge in self.bridges:
            yield from (end.central.thought_id for end in bridge.ends if end.central is not None)


class BridgeKeeper:
    """Finds and keeps the bridges of the spaces of one database."""

    def __init__(self, database: Database, topics: TopicIndex, clock: Clock) -> None:
        self._database = database
        self._topics = topics
        self._clock = clock
        self._taken_back = 0
        database.follow(_BRIDGES, lambda _, __: self._stop(), lambda _: self._stop())

    def _stop(self) -> None:
        """Keep nothing that is being found in a log that was rolled back."""
        self._taken_back += 1

    def renew(self, access: Access) -> None:
        """Find the bridges of a space, keep them, and drop those that are over."""
        since, space, before = self._taken_back, access.space, self._clock.now() - EXPIRES_S
        found = self.find(access)
        with self._database.write() as transaction:
            if self._taken_back == since and topic_store.filter_existing(transaction, [space]):
                store.save_found(transaction, space, found)
                store.drop_old(transaction, space, before=before)

    def find(self, access: Access) -> list[KeptBridge]:
        """Return the bridges that the log of a space has now, the surest first."""
        with self._database.read() as transaction:
            layout = self._topics.build_map(transaction, access, for_caller=False)
            known = [*layout.list_lowest()]
            sessions = co_use.load_sessions(transaction, access.space)
        groups = {seq: at for at, (_, of) in enumerate(known) for seq in of.tolist()}
        now = self._clock.now()
        return [
            _keep(bridge, [topic.id for topic, _ in known], now)
            for bridge in find_bridges(sessions, groups)
        ]

    def count(self, access: Access) -> int:
        """Return how many bridges would hold if they were found now."""
        told = [bridge.kept for bridge in self.tell(access).bridges]
        with self._database.read() as transaction:
            kept = store.list_bridges(transaction, access.space)
        declined = {_name_ends(each) for each in kept if each.is_taken is False}
        return len({_name_ends(each) for each in [*told, *self.find(access)]} - declined)

    def tell(self, access: Access) -> Bridges:
        """Return the bridges that hold now, proposals and those taken."""
        with self._database.read() as transaction:
            last = find_sleep(transaction, access.space)
            slept_at = last and last.slept_at
            kept = store.list_bridges(transaction, access.space)
            if not kept:
                return Bridges((), slept_at)
            layout = self._topics.build_map(transaction, access)
            topics = {topic.id: (topic, seqs) for topic, seqs in layout.list_lowest()}
            told = [self._tell(transaction, access, layout, topics, each) for each in kept]
        return Bridges(tuple(bridge for bridge in told if bridge is not None), slept_at)

    def decide(self, access: Access, *, take: Collection[str], decline: Collection[str]) -> None:
        """Take some bridges and decline others; all or none.

        Raises:
            Forbidden: the caller is not an admin of the space.
            InvalidInput: one is both taken and declined.
            NotFound: one of them is not there.
        """
        access.require(Role.ADMIN)
        if not {*take}.isdisjoint(decline):
            raise InvalidInput("a bridge is taken or declined, not both")
        now = self._clock.now()
        with self._database.write() as transaction:
            for ids, is_taken in (({*take}, True), ({*decline}, False)):
                decided = ids and store.decide(transaction, access, ids, is_taken=is_taken, now=now)
                if ids and decided != len(ids):
                    raise NotFound("no bridge has one of these ids; list them to see what there is")

    def forget(self, transaction: Transaction, access: Access, *, since: float = 0.0) -> None:
        """Drop what was found since a moment, in the caller's transaction."""
        self._stop()
        store.forget(transaction, access, since=since)
        self._database.note_change(_BRIDGES, [access.space])

    def _tell(
        self,
        transaction: Transaction,
        access: Access,
        layout: TopicMap,
        topics: Mapping[str, tuple[Topic, Seqs]],
        kept: KeptBridge,
    ) -> Bridge | None:
        expires_at = None if kept.is_taken else kept.last_found_at + EXPIRES_S
        ends = [topics.get(name) for name in (kept.topic_id, kept.other_id)]
        is_over = expires_at is not None and expires_at <= self._clock.now()
        if None in ends or is_over or kept.is_taken is False:
            return None
        first, second = (
            _describe(transaction, access, layout, *end) for end in ends if end is not None
        )
        return Bridge(kept, expires_at, (first, second))


def _keep(bridge: FoundBridge, names: Sequence[str], now: float) -> KeptBridge:
    """Return a bridge between topics, of which the groups have the names, as it is kept."""
    first, second = sorted(names[group] for group in bridge.groups)
    expected = round(bridge.expected, 3)
    counts = (bridge.sessions, bridge.users, expected, bridge.p)
    return KeptBridge(new_id(), first, second, *counts, found_at=now, last_found_at=now)


def _name_ends(bridge: KeptBridge) -> tuple[str, str]:
    return bridge.topic_id, bridge.other_id


def _describe(
    transaction: Transaction, access: Access, layout: TopicMap, topic: Topic, seqs: Seqs
) -> BridgeEnd:
    """Tell of a topic by those of its thoughts that are in no topic inside, as it was found."""
    central = Catalogue(transaction, access).list_excerpts(seqs[:1].tolist())
    return BridgeEnd(topic.id, layout.find_title(topic), len(seqs), next(iter(central), None))
