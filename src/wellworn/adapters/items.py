"""Values under a namespace and a key, kept as thoughts that other agents find.

A value with one text is the thought; any other is its JSON. Namespaces are tags, and the place of
a value stands in the thought's context. A new value replaces the old; a deleted one is history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from wellworn.client import Thought, Wellworn
from wellworn.client.models import ListedThought, Source
from wellworn.kit.text import LONGEST_KEYPHRASE, fingerprint

_ROOT: Final = "store"
_MOST_FOUND: Final = 50
_PAGE: Final = 100


@dataclass(frozen=True)
class Place:
    namespace: tuple[str, ...]
    key: str

    @property
    def tag(self) -> str:
        return f"item/{fingerprint(*self.namespace, self.key)[:32]}"

    @property
    def tags(self) -> list[str]:
        depths = range(len(self.namespace) + 1)
        return [*(_tag_namespace(self.namespace[:depth]) for depth in depths), self.tag]


@dataclass(frozen=True)
class StoredValue:
    """A value, where it is, when it was said, and how like a question it is."""

    place: Place
    value: dict[str, Any]
    said_at: datetime
    score: float | None


class Items:
    """The values that a memory holds; `erases` removes deleted ones for good."""

    def __init__(self, memory: Wellworn, *, erases: bool) -> None:
        self._memory = memory
        self._erases = erases

    def get(self, place: Place) -> StoredValue | None:
        live = self._find(place)
        stored = live and self._read(live.thought_id)
        return stored if stored and stored.place == place else None

    def put(self, place: Place, value: Mapping[str, Any]) -> None:
        live = self._find(place)
        field, text = _write(value)
        where = {"namespace": place.namespace, "key": place.key, "field": field}
        replaces = [live.thought_id] if live else []
        if (said := self._say(text, place, where, replaces)) is None:
            return
        # The same words are one thought wherever they are said, unless they say where.
        if any(link.thought_id in replaces for link in said.replaces):
            self._memory.withdraw_replacement(said.thought_id, replaces[0])
        path = "/".join((*place.namespace, place.key))
        suffix = f" ({path}, {datetime.now(UTC).isoformat()})"
        self._say(text + suffix, place, where | {"suffix": len(suffix)}, replaces)

    def delete(self, place: Place) -> None:
        # Two that put it at once leave two.
        for live in [*self._list(place.tag)]:
            if self._erases:
                self._memory.erase(live.thought_id, reason="deleted from its store")
            else:
                said = datetime.fromisoformat(live.created_at) + timedelta(milliseconds=1)
                self._memory.end(live.thought_id, max(datetime.now(UTC), said).isoformat())

    def recall(self, question: str, namespace: tuple[str, ...]) -> Iterator[StoredValue]:
        """Yield what is close to a question, best first; it counts as shown."""
        tag = _tag_namespace(namespace)
        found = self._memory.recall(question, filter_tags=[tag], limit=_MOST_FOUND).sources
        read = (self._read(each.thought_id, each.score) for each in found if _is_true_now(each))
        return _select_below(namespace, read)

    def list_all(self, namespace: tuple[str, ...]) -> Iterator[StoredValue]:
        """Yield the values in a namespace and below it, newest first."""
        listed = self._list(_tag_namespace(namespace))
        return _select_below(namespace, (self._read(thought.thought_id) for thought in listed))

    def _say(
        self, text: str, place: Place, where: Mapping[str, Any], replaces: list[str]
    ) -> Thought | None:
        """Remember a value; return the thought of another place that has the same words."""
        context = json.dumps(where, ensure_ascii=False)
        reply = self._memory.remember(text, context=context, tags=place.tags, replaces=replaces)
        if "affirm" not in reply.trace.operations or reply.thought_id is None:
            return None
        thought = self._memory.thought(reply.thought_id)
        return None if thought.context_metadata == context else thought

    def _find(self, place: Place) -> ListedThought | None:
        return next(self._list(place.tag), None)

    def _list(self, tag: str) -> Iterator[ListedThought]:
        """Yield what is true now of the thoughts with a tag, newest first."""
        cursor: str | None = None
        while True:
            page = self._memory.list_thoughts(tag=tag, limit=_PAGE, cursor=cursor)
            yield from filter(_is_true_now, page.thoughts)
            cursor = page.next_cursor
            if cursor is None:
                return

    def _read(self, thought_id: str, score: float | None = None) -> StoredValue | None:
        """Return the value that a thought is; None for a thought of others with the same tag."""
        thought = self._memory.thought(thought_id)
        try:
            where = json.loads(thought.context_metadata or "")
            place = Place(tuple(where["namespace"]), where["key"])
            text = thought.content[: len(thought.content) - where.get("suffix", 0)]
            value = dict(json.loads(text)) if where["field"] is None else {where["field"]: text}
        except (ValueError, KeyError, TypeError):
            return None
        return StoredValue(place, value, datetime.fromisoformat(thought.created_at), score)


def _select_below(
    namespace: tuple[str, ...], read: Iterable[StoredValue | None]
) -> Iterator[StoredValue]:
    """Yield the first value of each place in a namespace: tags fold what names tell apart."""
    seen: set[Place] = set()
    for stored in filter(None, read):
        place = stored.place
        if place not in seen and place.namespace[: len(namespace)] == namespace:
            seen.add(place)
            yield stored


def _tag_namespace(namespace: tuple[str, ...]) -> str:
    """Return the tag of a namespace: its path, or what stands for one too long for a tag."""
    path = "/".join((_ROOT, *(quote(label, safe="") for label in namespace)))
    return path if len(path) <= LONGEST_KEYPHRASE else f"{_ROOT}-{fingerprint(path)[:32]}"


def _write(value: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the one field of a value that is a text, and the words that stand for the value."""
    if len(value) == 1:
        [(field, text)] = value.items()
        if isinstance(text, str) and text.strip():
            return field, text
    return None, json.dumps(value, ensure_ascii=False)


def _is_true_now(thought: ListedThought | Source) -> bool:
    ends = thought.expires_at and datetime.fromisoformat(thought.expires_at) <= datetime.now(UTC)
    replaced = any(link.stated and not link.contested for link in thought.replaced_by or ())
    return not (ends or replaced or thought.outdated_at)
