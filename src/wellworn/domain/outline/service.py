"""Browsing a space: an outline of anything in it, and the text of any place in the outline.

The caller's own model decides where to look; nothing here judges what is near to what. Reading
leaves no trail: what is browsed was found by no search, so it tells nothing of searches.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from wellworn.domain.knowledge import Knowledge
from wellworn.domain.outline import finding
from wellworn.domain.outline.contents import SpaceContents
from wellworn.domain.outline.models import (
    DEEPEST,
    LONGEST_NAME,
    MOST_CANDIDATES,
    Node,
    OutlineAnswer,
    TextPage,
)
from wellworn.domain.outline.places import OutlinePlace
from wellworn.domain.sources.store import Library
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import Catalogue
from wellworn.domain.thoughts.topics import TopicIndex
from wellworn.engines.storage.sql import Database
from wellworn.errors import InvalidInput, NotFound

CHILDREN = 50
"""Children of the outlined node that are shown at once."""
GRANDCHILDREN = 20
"""Children shown of every node below it."""
MOST_NODES = 500
PAGE = 4_000
LONGEST_PAGE = 20_000


@dataclass(slots=True)
class _Budget:
    """The number of nodes that an answer may still have."""

    left: int = MOST_NODES


class Outline:
    """The outline of a space; every method needs an Access."""

    def __init__(self, database: Database, knowledge: Knowledge, topics: TopicIndex) -> None:
        self._database = database
        self._knowledge = knowledge
        self._topics = topics

    def outline(
        self, access: Access, of: str | None = None, *, depth: int = 1, offset: int = 0
    ) -> OutlineAnswer:
        """Return a node and what is below it; of the complete space when nothing is named.

        Args:
            access: who asks, and in which space.
            of: an id as an outline gives it, or the name of a document, a heading
                in one (`path#heading`), a source, a session or a tag.
            depth: levels below the node, 0 to 6.
            offset: how many of the node's children to pass over.

        Raises:
            NotFound: nothing has this id or name.
            InvalidInput: a number is out of range, or the name too long.
        """
        if not 0 <= depth <= DEEPEST or offset < 0:
            raise InvalidInput(f"depth must be 0 to {DEEPEST}, offset at least 0")
        with self._open(access) as contents:
            place, candidates = _resolve(contents, of)
            if place is None:
                return OutlineAnswer(None, candidates)
            return OutlineAnswer(_build_node(place, depth, offset, _Budget()))

    def read(self, access: Access, of: str, *, offset: int = 0, limit: int = PAGE) -> TextPage:
        """Return the text of a node, from `offset` on at most `limit` characters.

        Raises:
            NotFound: nothing has this id or name.
            InvalidInput: the node has no text of its own, or a number is out of range.
        """
        if offset < 0 or not 1 <= limit <= LONGEST_PAGE:
            raise InvalidInput(f"offset must be at least 0, limit 1 to {LONGEST_PAGE}")
        with self._open(access) as contents:
            place, candidates = _resolve(contents, of)
            if place is None:
                return TextPage(None, candidates=candidates)
            return _read_page(place, offset, limit)

    @contextmanager
    def _open(self, access: Access) -> Generator[SpaceContents]:
        with self._database.read() as transaction:
            yield SpaceContents(
                Catalogue(transaction, access),
                Library(transaction, access),
                self._knowledge.files(transaction, access),
                lambda file, limit: self._knowledge.chunks(transaction, access, file, limit=limit),
                lambda: self._topics.build_map(transaction, access),
            )


def _resolve(
    contents: SpaceContents, of: str | None
) -> tuple[OutlinePlace | None, tuple[Node, ...]]:
    """Return the one place that is meant, or else the nodes that may be."""
    name = (of or "").strip()
    if len(name) > LONGEST_NAME:
        raise InvalidInput(f"a node is named by at most {LONGEST_NAME} characters")
    place = finding.find_by_id(contents, name) if name else finding.get_root(contents)
    if place is not None:
        return place, ()
    exact, like = finding.find_by_name(contents, name)
    if len(exact) == 1:
        return exact[0], ()
    if not exact and not like:
        raise NotFound(
            "nothing here has this id or name; ask for an outline without one to see what there is"
        )
    return None, tuple(_build_leaf(place) for place in (exact or like)[:MOST_CANDIDATES])


def _build_node(
    place: OutlinePlace, depth: int, offset: int, budget: _Budget, most: int = CHILDREN
) -> Node:
    if depth == 0:
        return _build_leaf(place)
    below = place.list_children(offset, min(most, budget.left))
    if below is None:
        return _build_leaf(place)
    budget.left -= len(below.shown)
    children = tuple(
        _build_node(place, depth - 1, 0, budget, GRANDCHILDREN) for place in below.shown
    )
    end = offset + len(children)
    return Node(
        place.id,
        place.kind,
        place.title,
        count=below.total,
        size=place.size,
        opening=place.opening,
        children=children,
        next_offset=end if end < below.total else None,
    )


def _build_leaf(place: OutlinePlace) -> Node:
    return Node(
        place.id,
        place.kind,
        place.title,
        count=place.count,
        size=place.size,
        opening=place.opening,
    )


def _read_page(place: OutlinePlace, offset: int, limit: int) -> TextPage:
    text_range = place.find_range()
    if text_range is None:
        raise InvalidInput("this node has no text of its own; read one that its outline lists")
    start = min(text_range.start + offset, text_range.end)
    end = min(start + limit, text_range.end)
    return TextPage(
        _build_leaf(place),
        tuple(text_range.text.list_parts(start, end)),
        offset=start - text_range.start,
        characters=text_range.end - text_range.start,
        next_offset=end - text_range.start if end < text_range.end else None,
    )
