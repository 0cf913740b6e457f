"""Finding a place: what stands at the top of an outline, and what an id or a name means.

Source: issue 4, point 6.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.domain.outline.documents import DocumentPlace, SourcePlace
from wellworn.domain.outline.models import MOST_CANDIDATES, NodeKind
from wellworn.domain.outline.names import called
from wellworn.domain.outline.places import (
    Place,
    Room,
    SessionPlace,
    TagPlace,
    ThoughtPlace,
    TopicPlace,
)
from wellworn.domain.outline.shelf import Shelf
from wellworn.domain.thoughts import tag_key
from wellworn.kit.ids import canonical_id

_LIKE: Final = 3
"""Characters of a name that names like it are looked for by."""
_HASHED: Final = re.compile(r"[0-9a-f]{16}(#[0-9]+)?")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,14}")
_WAITING: Final = "(topics are being sorted out; look again in a minute)"


def space(shelf: Shelf) -> Room:
    """Return the place that all others are below."""
    return Room(NodeKind.SPACE, [room(shelf) for room in _ROOMS.values()])


def _documents(shelf: Shelf) -> Room:
    return Room(NodeKind.DOCUMENTS, [DocumentPlace(shelf, one) for one in shelf.documents])


def _sources(shelf: Shelf) -> Room:
    return Room(NodeKind.SOURCES, [SourcePlace(shelf, one) for one in shelf.sources])


def _sessions(shelf: Shelf) -> Room:
    return Room(NodeKind.SESSIONS, [SessionPlace(shelf, one) for one in shelf.sessions])


def _tags(shelf: Shelf) -> Room:
    return Room(NodeKind.TAGS, [TagPlace(shelf, one) for one in shelf.labels])


def _topics(shelf: Shelf) -> Room:
    waiting = "" if shelf.laid.is_made else _WAITING
    children = [TopicPlace(shelf, one) for one in shelf.laid.list_topics()]
    return Room(NodeKind.TOPICS, children, shelf.laid.count(), waiting)


_ROOMS: Final = {
    NodeKind.DOCUMENTS: _documents,
    NodeKind.SOURCES: _sources,
    NodeKind.SESSIONS: _sessions,
    NodeKind.TAGS: _tags,
    NodeKind.TOPICS: _topics,
}


def by_id(shelf: Shelf, text: str) -> Place | None:
    """Return the place of an id.

    Of thoughts, sessions, documents and topics also by what stands behind the colon, which is
    theirs alone.
    """
    if text == NodeKind.SPACE:
        return space(shelf)
    if text in _ROOMS:
        return _ROOMS[NodeKind(text)](shelf)
    kind, colon, name = text.partition(":")
    if colon:
        find = _FINDERS.get(kind)
        return find(shelf, name) if find else None
    if canonical := canonical_id(text):
        return _thought(shelf, canonical) or _session(shelf, canonical)
    if _HASHED.fullmatch(text):
        return _document(shelf, text) or _topic(shelf, text)
    return None


def by_name(shelf: Shelf, name: str) -> tuple[list[Place], list[Place]]:
    """Return the places that are called so, and those whose names only have it in them."""
    folded = name.casefold()
    exact: list[Place] = [
        *_called(shelf, folded),
        *(SourcePlace(shelf, one) for one in shelf.sources if one.name.casefold() == folded),
        *(SessionPlace(shelf, one) for one in shelf.sessions if one.name.casefold() == folded),
        *(TagPlace(shelf, one) for one in shelf.labels if one.key == tag_key(name)),
    ]
    exact = exact or _headed(shelf, name)
    if exact or len(folded) < _LIKE:
        return exact, []
    # Topics are named by what is in them at the moment; nobody calls them so.
    rooms = (_documents(shelf), _sources(shelf), _sessions(shelf), _tags(shelf))
    named = (place for room in rooms for place in room.children)
    alike = [place for place in named if folded in place.title.casefold()]
    return [], [*alike, *(DocumentPlace(shelf, one) for one in shelf.alike(folded))]


def _called(shelf: Shelf, folded: str) -> list[DocumentPlace]:
    own = (one for one in shelf.documents if folded in called(one.title))
    return [DocumentPlace(shelf, one) for one in (*own, *shelf.named(folded))]


def _headed(shelf: Shelf, name: str) -> list[Place]:
    """Return the sections that a name means as `path#heading`."""
    path, mark, heading = name.rpartition("#")
    if not mark or not path or not heading:
        return []
    documents = _called(shelf, path.casefold())[:MOST_CANDIDATES]
    return [place for one in documents for place in one.headed(heading)]


def _document(shelf: Shelf, name: str) -> Place | None:
    handle, mark, number = name.partition("#")
    if _NUMBER.fullmatch(handle):
        one = shelf.numbered(int(handle))
    else:
        one = next((one for one in shelf.documents if one.id == f"doc:{handle}"), None)
    found = None if one is None else DocumentPlace(shelf, one)
    if found is None or not mark:
        return found
    return next((one for one in found.sections() if str(one.number) == number), None)


def _source(shelf: Shelf, name: str) -> Place | None:
    return next((SourcePlace(shelf, one) for one in shelf.sources if str(one.id) == name), None)


def _session(shelf: Shelf, name: str) -> Place | None:
    found = shelf.session(name) if name else None
    return None if found is None else SessionPlace(shelf, found)


def _tag(shelf: Shelf, name: str) -> Place | None:
    found = shelf.label(name)
    return None if found is None else TagPlace(shelf, found)


def _thought(shelf: Shelf, name: str) -> Place | None:
    canonical = canonical_id(name)
    found = shelf.catalogue.find_excerpt(canonical) if canonical else None
    return None if found is None else ThoughtPlace(found)


def _topic(shelf: Shelf, name: str) -> Place | None:
    found = shelf.laid.find(name)
    return None if found is None else TopicPlace(shelf, found)


_FINDERS: Final = {
    "doc": _document,
    "session": _session,
    "source": _source,
    "tag": _tag,
    "thought": _thought,
    "topic": _topic,
}
