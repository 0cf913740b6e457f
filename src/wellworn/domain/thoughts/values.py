"""Tells who gave what others used, and which topics hang on one person.

What somebody uses of their own never counts. Admins of the space see everybody, others themselves.

Source: `docs/how-to/see-what-belongs-together.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.store.events import Use, list_uses
from wellworn.domain.thoughts.topics import TopicIndex
from wellworn.engines.storage.sql import Database

FEWEST_USES: Final = 5
FEWEST_USERS: Final = 2
"""Of a topic, before anything is said of how many carry it."""
MOST_TOPICS: Final = 10
"""Topics that are listed of one contributor."""


@dataclass(frozen=True, slots=True)
class UseByOthers:
    """The thoughts that others used, how often, by how many, and when last."""

    thoughts: int
    uses: int
    users: int
    last_at: float

    @classmethod
    def of(cls, found: Sequence[Use]) -> UseByOthers:
        return cls(
            len({use.seq for use in found}),
            sum(use.times for use in found),
            len({use.user for use in found}),
            max(use.last_at for use in found),
        )


@dataclass(frozen=True, slots=True)
class TopicValue:
    """A contributor's thoughts on one topic.

    Attributes:
        topic_id, title: of a topic of the first level; None for what is in no topic.
        is_alone: whether all that others used of the topic is theirs; None where too little was
            used to tell, or of no topic.
    """

    topic_id: str | None
    title: str | None
    usage: UseByOthers
    is_alone: bool | None


@dataclass(frozen=True, slots=True)
class ContributorValue:
    """A contributor's thoughts that others used; `topics` those of which most was used."""

    contributor_id: str
    name: str
    usage: UseByOthers
    topics: tuple[TopicValue, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """The contributors of what others used, who gave most first.

    Attributes:
        contributors: how many there are in all that the caller may see.
        alone: how many of the topics hang on one of them.
    """

    values: tuple[ContributorValue, ...]
    contributors: int
    alone: int


class Appraiser:
    """Reads what the thoughts of a space were worth to others; every method needs an Access."""

    def __init__(self, database: Database, topics: TopicIndex) -> None:
        self._database = database
        self._topics = topics

    def list_values(self, access: Access, *, since: float = 0.0, limit: int = 20) -> Values:
        """Return who gave what others used since a moment: all for admins, else the caller alone.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            found = list_uses(transaction, access, since=since)
            tree = self._topics.build_map(transaction, access)
            topics = tree.list_topics()
            place_of = {
                seq: topic.id for topic in topics for seq in tree.list_members(topic).tolist()
            }
            titles = {topic.id: tree.find_title(topic) for topic in topics}
        by_topic = _group(found, lambda use: place_of.get(use.seq, ""))
        by_giver = _group(found, lambda use: use.giver)
        if not access.role.allows(Role.ADMIN):
            own = access.owner or ""
            by_giver = {own: by_giver[own]} if own in by_giver else {}
        carried = {
            topic: {use.giver for use in of_topic}
            for topic, of_topic in by_topic.items()
            if topic and _is_enough(UseByOthers.of(of_topic))
        }
        everybody = [
            ContributorValue(
                giver,
                max(given, key=lambda use: use.seq).name,
                UseByOthers.of(given),
                _list_topics(giver, given, place_of, titles, carried),
            )
            for giver, given in by_giver.items()
        ]
        everybody.sort(key=lambda one: (-one.usage.users, -one.usage.uses, one.contributor_id))
        alone = sum(len(by) == 1 and by <= by_giver.keys() for by in carried.values())
        return Values(tuple(everybody[:limit]), len(everybody), alone)


def _group(found: Iterable[Use], key: Callable[[Use], str]) -> dict[str, list[Use]]:
    groups: defaultdict[str, list[Use]] = defaultdict(list)
    for use in found:
        groups[key(use)].append(use)
    return dict(groups)


def _is_enough(usage: UseByOthers) -> bool:
    """Tell whether enough of a topic was used to say how many carry it."""
    return usage.uses >= FEWEST_USES and usage.users >= FEWEST_USERS


def _list_topics(
    giver: str,
    given: Sequence[Use],
    place_of: Mapping[int, str],
    titles: Mapping[str, str],
    carried: Mapping[str, set[str]],
) -> tuple[TopicValue, ...]:
    """Return the topics to which somebody gave what was used, those of which most was, first."""
    topics = [
        TopicValue(
            topic or None,
            titles.get(topic),
            UseByOthers.of(of_topic),
            carried[topic] == {giver} if topic in carried else None,
        )
        for topic, of_topic in _group(given, lambda use: place_of.get(use.seq, "")).items()
    ]
    topics.sort(key=lambda one: (-one.usage.users, -one.usage.uses, one.topic_id or ""))
    return tuple(topics[:MOST_TOPICS])
