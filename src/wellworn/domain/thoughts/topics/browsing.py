"""Tells callers of topics: the tree, how each fares, one of them with its thoughts.

Everything is read as it is now, so nothing of it can outlive a thought. It leaves no trail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import Catalogue, ThoughtExcerpt
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import Seqs, TopicChange, TopicEvent
from wellworn.domain.thoughts.topics.index import TopicIndex, TopicMap
from wellworn.domain.thoughts.topics.layout import Topic
from wellworn.engines.retrieval.topics import (
    RECENT_DAYS,
    USUAL_DAYS,
    Course,
    Trend,
    judge_trends,
)
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import NotFound
from wellworn.kit.clock import Clock

MOST_TOPICS: Final = 500
"""Topics of one answer, at whatever depth."""
MOST_CHANGES: Final = 20
_MOST_STEPS: Final = 20
_DAY_S: Final = 86_400.0
_DAYS: Final = RECENT_DAYS + USUAL_DAYS


@dataclass(frozen=True, slots=True)
class TopicName:
    """A topic by its id and title."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """Some thoughts that are in one topic, by their seqs."""

    topic: TopicName
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """A topic as it is now.

    Attributes:
        title: at most three words that tell it from the rest of the space; may be empty.
        size: thoughts in it and in the topics inside.
        central: the most central of them.
        said: how many were said, of late and before.
        contributors: how many different users said what was said of late.
        asked: questions whose first result was in it, of late and before.
        first_made_at: when it was first made, in epoch seconds.
        count: topics inside, listed or not.
        children: those that are listed, the largest first.
    """

    id: str
    title: str
    size: int
    central: ThoughtExcerpt | None
    said: Trend
    contributors: int
    asked: Trend
    first_made_at: float
    count: int
    children: tuple[TopicSummary, ...]


@dataclass(frozen=True, slots=True)
class TopicOverview:
    """The topics of a space.

    Attributes:
        thoughts: how many there are that may be in topics.
        in_topics: how many are.
        made_at: when the topics were last stored, in epoch seconds; None before the first time.
        is_waiting: whether topics are still to be made, of a large space.
        said_since, asked_since: whence there is something to tell trends by.
        next_offset: where the list goes on.
        changes: what became of topics lately, the newest first.
    """

    topics: tuple[TopicSummary, ...]
    thoughts: int
    in_topics: int
    made_at: float | None
    is_waiting: bool
    said_since: float | None
    asked_since: float | None
    next_offset: int | None
    changes: tuple[TopicChange, ...]

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        return _list_central(self.topics)


def _list_central(topics: Iterable[TopicSummary]) -> Iterator[str]:
    waiting = [*topics]
    while waiting:
        topic = waiting.pop()
        waiting += topic.children
        if topic.central is not None:
            yield topic.central.thought_id


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A topic and a page of its thoughts, the most central first; `path` leads to it."""

    topic: TopicSummary
    path: tuple[TopicName, ...]
    thoughts: tuple[ThoughtExcerpt, ...]
    next_offset: int | None
    changes: tuple[TopicChange, ...]

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        yield from (thought.thought_id for thought in self.thoughts)
        yield from _list_central([self.topic])


class TopicBrowser:
    """Tells of the topics of the spaces of one database."""

    def __init__(self, database: Database, index: TopicIndex, clock: Clock) -> None:
        self._database = database
        self._index = index
        self._clock = clock

    def list_topics(
        self,
        access: Access,
        *,
        depth: int = 1,
        surging: bool = False,
        offset: int = 0,
        limit: int = 50,
    ) -> TopicOverview:
        """Return the topics of a space, the largest first; at most 500 at once.

        Args:
            access: who asks, and in which space.
            depth: levels of topics inside one another.
            surging: only those of any level of which more is said or asked than usual, each by
                itself, the surest first.
            offset: topics that are passed over, of the first level.
            limit: topics of the first level.
        """
        with self._database.read() as transaction:
            report = _Report(transaction, access, self._index, self._clock.now())
            known = report.list_surging() if surging else report.map.list_topics()
            shown = known[offset : offset + limit]
            built = report.summarise(shown, 0 if surging else depth - 1)
            is_over = offset + len(shown) >= len(known)
            return TopicOverview(
                built,
                thoughts=len(report.map.shown),
                in_topics=report.map.count(),
                made_at=report.map.made_at,
                is_waiting=not report.map.is_made,
                said_since=report.said.since,
                asked_since=report.asked.since,
                next_offset=None if is_over else offset + len(shown),
                changes=tuple(store.list_changes(transaction, access, limit=MOST_CHANGES)),
            )

    def list_names(self, access: Access, *, limit: int = 100) -> list[tuple[TopicName, ...]]:
        """Return topics by name, each after those that it is inside of; those outside come first.

        It costs a fraction of `list_topics`, which tells how each of them fares.
        """
        with self._database.read() as transaction:
            layout = self._index.build_map(transaction, access)
            return [
                tuple(TopicName(topic.id, layout.find_title(topic)) for topic in path)
                for path in islice(layout.list_paths(), limit)
            ]

    def group(self, access: Access, seqs: Sequence[int]) -> list[TopicGroup]:
        """Return the topics that divide thoughts, the one with most of them first.

        Each has its thoughts in their order; what is in none of them is left out. A topic that has
        them all is divided further, and where none divides them there are no groups.
        """
        with self._database.read() as transaction:
            layout = self._index.build_map(transaction, access)
            level, groups = layout.list_topics(), list[tuple[Topic, tuple[int, ...]]]()
            while level:
                groups = [(topic, _keep_order(seqs, layout.list_members(topic))) for topic in level]
                groups = [(topic, chosen) for topic, chosen in groups if chosen]
                if len(groups) != 1:
                    break
                level = layout.list_topics(groups[0][0])
            groups.sort(key=lambda group: -len(group[1]))
            named = [
                TopicGroup(TopicName(topic.id, layout.find_title(topic)), chosen)
                for topic, chosen in groups
            ]
        named = [group for group in named if group.topic.title]
        return named if len(named) > 1 else []

    def list_members(self, access: Access, topic_id: str) -> Seqs:
        """Return the thoughts of a topic, or of what it went into, the most central first.

        Raises:
            NotFound: the space has no such topic.
        """
        with self._database.read() as transaction:
            layout = self._index.build_map(transaction, access)
            return layout.list_members(_follow(layout, transaction, access, topic_id)[-1])

    def get_topic(
        self, access: Access, topic_id: str, *, offset: int = 0, limit: int = 20
    ) -> TopicPage:
        """Return a topic, or what it went into, with some of its thoughts.

        Raises:
            NotFound: the space has no such topic.
        """
        with self._database.read() as transaction:
            report = _Report(transaction, access, self._index, self._clock.now())
            path = _follow(report.map, transaction, access, topic_id)
            topic = path[-1]
            members = report.map.list_members(topic)
            shown = Catalogue(transaction, access).list_excerpts(
                members[offset : offset + limit].tolist()
            )
            is_over = offset + limit >= len(members)
            return TopicPage(
                report.summarise([topic], 1)[0],
                tuple(TopicName(each.id, report.map.find_title(each)) for each in path[:-1]),
                tuple(shown),
                None if is_over else offset + limit,
                tuple(store.list_changes(transaction, access, topic.id, limit=MOST_CHANGES)),
            )


def _follow(
    layout: TopicMap, transaction: Transaction, access: Access, topic_id: str
) -> tuple[Topic, ...]:
    """Return the path to a topic, or to the one that it went into since."""
    name: str | None = topic_id
    for _ in range(_MOST_STEPS):
        if name is None:
            break
        if path := layout.find_path(name):
            return path
        name = store.find_successor(transaction, access, name)
    raise NotFound("no topic has this id; list the topics to see what there is")


class _Report:
    """The topics of a space at one moment, with how they fare."""

    def __init__(
        self, transaction: Transaction, access: Access, index: TopicIndex, now: float
    ) -> None:
        self._catalogue = Catalogue(transaction, access)
        self.map: TopicMap = index.build_map(transaction, access)
        self._all = [*_iterate(self.map.list_topics(), self.map)]
        self._places = {topic.id: place for place, topic in enumerate(self._all)}
        since = now - _DAYS * _DAY_S
        members = [self.map.list_members(topic) for topic in self._all]

        def judge(
            read: Callable[..., list[TopicEvent]], find: Callable[..., float | None]
        ) -> _Events:
            events = read(transaction, access, since=since)
            return _Events.build(events, members, find(transaction, access), now)

        self.said = judge(store.list_said, store.find_first_said)
        self.asked = judge(store.list_asked, store.find_first_asked)

    def list_surging(self) -> list[Topic]:
        """Return the topics of which more is said or asked than usual, the surest first."""
        probable = {
            place: min(trend.p or 0.0 for trend in both if trend.course is Course.SURGING)
            for place, both in enumerate(zip(self.said.trends, self.asked.trends, strict=True))
            if any(trend.course is Course.SURGING for trend in both)
        }
        return [self._all[place] for place in sorted(probable, key=lambda at: probable[at])]

    def summarise(self, topics: Sequence[Topic], depth: int) -> tuple[TopicSummary, ...]:
        """Return topics with those inside them, to a depth and at most 500 in all."""
        chosen = _choose(topics, depth, self.map)
        central = [int(self.map.list_members(topic)[0]) for topic in chosen.values()]
        excerpts = {each.seq: each for each in self._catalogue.list_excerpts(central)}
        return tuple(
            self._summarise(topic, chosen, excerpts) for topic in topics if topic.id in chosen
        )

    def _summarise(
        self, topic: Topic, chosen: dict[str, Topic], excerpts: dict[int, ThoughtExcerpt]
    ) -> TopicSummary:
        place, members = self._places[topic.id], self.map.list_members(topic)
        inside = self.map.list_topics(topic)
        return TopicSummary(
            topic.id,
            self.map.find_title(topic),
            size=len(members),
            central=excerpts.get(int(members[0])),
            said=self.said.trends[place],
            contributors=self.said.voices[place],
            asked=self.asked.trends[place],
            first_made_at=topic.first_made_at,
            count=len(inside),
            children=tuple(
                self._summarise(child, chosen, excerpts) for child in inside if child.id in chosen
            ),
        )


@dataclass(frozen=True, slots=True)
class _Events:
    """Counts of how each topic fares by one kind of event.

    Attributes:
        trends: of each topic.
        voices: how many different users are behind the events of late.
        since: the first event of the space, in epoch seconds.
    """

    trends: list[Trend]
    voices: list[int]
    since: float | None

    @classmethod
    def build(
        cls, events: Sequence[TopicEvent], topics: Sequence[Seqs], since: float | None, now: float
    ) -> _Events:
        """Count the events of topics, given by their members, by day."""
        # What is dated later than now was said by a clock that ran ahead.
        aged = [(event, max(0, int((now - event.at) // _DAY_S))) for event in events]
        aged = [(event, age) for event, age in aged if age < _DAYS]
        seqs = np.unique(np.array([event.seq for event, _ in aged], np.int64))
        places = np.searchsorted(seqs, [event.seq for event, _ in aged])
        by_day = np.zeros((len(seqs), _DAYS), np.intp)
        for place, (_, age) in zip(places.tolist(), aged, strict=True):
            by_day[place, age] += 1
        recent: dict[int, set[str]] = {}
        for event, age in aged:
            if age < RECENT_DAYS:
                recent.setdefault(event.seq, set()).add(event.by)
        counts = np.zeros((len(topics), _DAYS), np.intp)
        voices: list[int] = []
        for at, members in enumerate(topics):
            rows = _find_places(seqs, members)
            counts[at] = by_day[rows].sum(axis=0)
            heard = set[str]()
            heard.update(*(recent.get(seq, ()) for seq in seqs[rows].tolist()))
            voices.append(len(heard))
        known_days = 0.0 if since is None else (now - since) / _DAY_S
        return cls(judge_trends(counts, known_days), voices, since)


def _keep_order(seqs: Sequence[int], members: Seqs) -> tuple[int, ...]:
    of_topic = np.isin(np.array(seqs, np.int64), members)
    return tuple(compress(seqs, of_topic.tolist()))


def _find_places(seqs: Seqs, members: Seqs) -> NDArray[np.intp]:
    """Return where members are among ascending seqs, those that are."""
    if not len(seqs):
        return np.empty(0, np.intp)
    places = np.minimum(np.searchsorted(seqs, members), len(seqs) - 1)
    return places[seqs[places] == members]


def _iterate(topics: Sequence[Topic], layout: TopicMap) -> Iterator[Topic]:
    for topic in topics:
        yield topic
        yield from _iterate(layout.list_topics(topic), layout)


def _choose(topics: Sequence[Topic], depth: int, layout: TopicMap) -> dict[str, Topic]:
    """Return by id what is listed: level by level, so that none of a higher one is left out."""
    chosen: dict[str, Topic] = {}
    level = [*topics]
    for _ in range(depth + 1):
        level = level[: MOST_TOPICS - len(chosen)]
        chosen |= {topic.id: topic for topic in level}
        level = [child for topic in level for child in layout.list_topics(topic)]
    return chosen
