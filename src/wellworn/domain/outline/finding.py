"""Finding a place: what stands at the top of an outline, and what an id or a name means."""

from __future__ import annotations

import re
from typing import Final

from wellworn.domain.outline.contents import SpaceContents
from wellworn.domain.outline.documents import DocumentPlace, SourcePlace
from wellworn.domain.outline.models import MOST_CANDIDATES, NodeKind
from wellworn.domain.outline.names import list_names
from wellworn.domain.outline.places import (
    KindPlace,
    OutlinePlace,
    SessionPlace,
    TagPlace,
    ThoughtPlace,
    TopicPlace,
)
from wellworn.domain.thoughts import tag_key
from wellworn.kit.ids import canonical_id

_LIKE: Final = 3
"""Characters of a name that names like it are looked for by."""
_HASHED: Final = re.compile(r"[0-9a-f]{16}(#[0-9]+)?")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,15}")
_WAITING: Final = "(topics are being sorted out; look again in a minute)"


def get_root(contents: SpaceContents) -> KindPlace:
    """Return the place that all others are below."""
    return KindPlace(NodeKind.SPACE, [branch(contents) for branch in _BRANCHES.values()])


def _documents(contents: SpaceContents) -> KindPlace:
    return KindPlace(
        NodeKind.DOCUMENTS, [DocumentPlace(contents, document) for document in contents.documents]
    )


def _sources(contents: SpaceContents) -> KindPlace:
    return KindPlace(
        NodeKind.SOURCES, [SourcePlace(contents, source) for source in contents.sources]
    )


def _sessions(contents: SpaceContents) -> KindPlace:
    return KindPlace(
        NodeKind.SESSIONS, [SessionPlace(contents, session) for session in contents.sessions]
    )


def _tags(contents: SpaceContents) -> KindPlace:
    return KindPlace(NodeKind.TAGS, [TagPlace(contents, tag) for tag in contents.tags])


def _topics(contents: SpaceContents) -> KindPlace:
    waiting = "" if contents.topic_map.is_made else _WAITING
    children = [TopicPlace(contents, topic) for topic in contents.topic_map.list_topics()]
    return KindPlace(NodeKind.TOPICS, children, contents.topic_map.count(), waiting)


_BRANCHES: Final = {
    NodeKind.DOCUMENTS: _documents,
    NodeKind.SOURCES: _sources,
    NodeKind.SESSIONS: _sessions,
    NodeKind.TAGS: _tags,
    NodeKind.TOPICS: _topics,
}


def find_by_id(contents: SpaceContents, text: str) -> OutlinePlace | None:
    """Return the place of an id.

    Of thoughts, sessions, documents and topics also by what follows the colon, theirs alone.
    """
    if text == NodeKind.SPACE:
        return get_root(contents)
    if text in _BRANCHES:
        return _BRANCHES[NodeKind(text)](contents)
    kind, colon, name = text.partition(":")
    if colon:
        find = _FINDERS.get(kind)
        return find(contents, name) if find else None
    if canonical := canonical_id(text):
        return _thought(contents, canonical) or _session(contents, canonical)
    if _HASHED.fullmatch(text):
        return _document(contents, text) or _topic(contents, text)
    return None


def find_by_name(
    contents: SpaceContents, name: str
) -> tuple[list[OutlinePlace], list[OutlinePlace]]:
    """Return the places that are called so, and those whose names only have it in them."""
    folded = name.casefold()
    exact: list[OutlinePlace] = [
        *_find_documents(contents, folded),
        *(
            SourcePlace(contents, source)
            for source in contents.sources
            if source.name.casefold() == folded
        ),
        *(
            SessionPlace(contents, session)
            for session in contents.sessions
            if session.name.casefold() == folded
        ),
        *(TagPlace(contents, tag) for tag in contents.tags if tag.key == tag_key(name)),
    ]
    exact = exact or _find_sections(contents, name)
    if exact or len(folded) < _LIKE:
        return exact, []
    # Topics are named by what is in them at the moment; nobody calls them so.
    branches = (_documents(contents), _sources(contents), _sessions(contents), _tags(contents))
    named = (place for branch in branches for place in branch.children)
    alike = [place for place in named if folded in place.title.casefold()]
    return [], [
        *alike,
        *(DocumentPlace(contents, document) for document in contents.find_similar(folded)),
    ]


def _find_documents(contents: SpaceContents, folded: str) -> list[DocumentPlace]:
    own = (document for document in contents.documents if folded in list_names(document.title))
    return [
        DocumentPlace(contents, document) for document in (*own, *contents.find_by_name(folded))
    ]


def _find_sections(contents: SpaceContents, name: str) -> list[OutlinePlace]:
    """Return the sections that a name means as `path#heading`."""
    path, mark, heading = name.rpartition("#")
    if not mark or not path or not heading:
        return []
    documents = _find_documents(contents, path.casefold())[:MOST_CANDIDATES]
    return [place for document in documents for place in document.find_sections(heading)]


def _document(contents: SpaceContents, name: str) -> OutlinePlace | None:
    handle, mark, number = name.partition("#")
    if _NUMBER.fullmatch(handle):
        document = contents.find_by_number(int(handle))
    else:
        document = next(
            (document for document in contents.documents if document.id == f"doc:{handle}"), None
        )
    place = None if document is None else DocumentPlace(contents, document)
    if place is None or not mark:
        return place
    return next((section for section in place.sections() if str(section.number) == number), None)


def _source(contents: SpaceContents, name: str) -> OutlinePlace | None:
    return next(
        (SourcePlace(contents, source) for source in contents.sources if str(source.id) == name),
        None,
    )


def _session(contents: SpaceContents, name: str) -> OutlinePlace | None:
    session = contents.find_session(name) if name else None
    return None if session is None else SessionPlace(contents, session)


def _tag(contents: SpaceContents, name: str) -> OutlinePlace | None:
    tag = contents.find_tag(name)
    return None if tag is None else TagPlace(contents, tag)


def _thought(contents: SpaceContents, name: str) -> OutlinePlace | None:
    canonical = canonical_id(name)
    excerpt = contents.catalogue.find_excerpt(canonical) if canonical else None
    return None if excerpt is None else ThoughtPlace(excerpt)


def _topic(contents: SpaceContents, name: str) -> OutlinePlace | None:
    topic = contents.topic_map.find(name)
    return None if topic is None else TopicPlace(contents, topic)


_FINDERS: Final = {
    "doc": _document,
    "session": _session,
    "source": _source,
    "tag": _tag,
    "thought": _thought,
    "topic": _topic,
}
