"""A small graph about one thought: what it was built on, what was built on it, what is beside it.

Nodes are numbers, and the lists below say which thought each is, so that no words of others can
leave their place in it; without a picture the lists say it all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.client import models as shapes
from wellworn.domain.thoughts import Origin

_WIDTH: Final = 720
_COLUMN: Final = 110
_ROW: Final = 44
_MOST_COLUMNS: Final = 3
_MOST_IN_COLUMN: Final = 8
_TOP: Final = 34
_BESIDE: Final = 64


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A line of a list: how far a thought is, and its number, if it is in the picture."""

    depth: int
    link: shapes.Link
    number: int | None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A thought in the picture."""

    number: int
    thought_id: str
    words: str
    x: float
    y: float
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A line from one node to another; `width` tells how much it weighs."""

    x1: float
    y1: float
    x2: float
    y2: float
    is_beside: bool = False
    width: float = 1.5


@dataclass(frozen=True, slots=True)
class ThoughtGraph:
    """A picture with the lists that go with it."""

    width: int
    height: int
    x: float
    y: float
    nodes: tuple[GraphNode, ...]
    lines: tuple[GraphLine, ...]
    came_from: tuple[ListedLink, ...]
    built_into: tuple[ListedLink, ...]
    together: tuple[tuple[int | None, shapes.Thought, int], ...]


@dataclass(frozen=True, slots=True)
class _Step:
    origin: Origin
    depth: int
    parent: _Step | None


def draw_graph(
    came_from: Sequence[Origin],
    built_into: Sequence[Origin],
    together: Sequence[tuple[shapes.Thought, int]],
) -> ThoughtGraph:
    """Return the picture: what it came from on the left, what it went into on the right."""
    sides = [[*_walk(came_from)], [*_walk(built_into)]]
    columns = [_arrange(side) for side in sides]
    rows = max((len(column) for side in columns for column in side.values()), default=1)
    known = {each for side in columns for column in side.values() for each in column}
    beside = [(other, times) for other, times in together if other.thought_id not in known]
    height = 2 * _TOP + _ROW * rows + (_ROW + 12 if beside else 0)
    x, y = _WIDTH / 2, _TOP + _ROW * rows / 2
    nodes: dict[str, GraphNode] = {}
    lines: list[GraphLine] = []
    for way, side, steps in zip((-1, 1), columns, sides, strict=True):
        spots = {
            thought_id: (x + way * _COLUMN * depth, y + _ROW * (row - (len(column) - 1) / 2))
            for depth, column in side.items()
            for row, thought_id in enumerate(column)
        }
        for step in steps:
            origin, parent = step.origin, step.parent
            start = spots.get(parent.origin.thought_id) if parent else (x, y)
            if (spot := spots.get(origin.thought_id)) is None or start is None:
                continue
            lines.append(GraphLine(*start, *spot))
            node = GraphNode(len(nodes) + 1, origin.thought_id, origin.content_preview, *spot)
            nodes.setdefault(origin.thought_id, node)
    most = max((times for _, times in beside), default=1)
    for place, (other, times) in enumerate(beside):
        spot = x + _BESIDE * (place - (len(beside) - 1) / 2), float(height - _TOP)
        node = GraphNode(len(nodes) + 1, other.thought_id, other.content, *spot, is_beside=True)
        nodes[other.thought_id] = node
        lines.append(GraphLine(x, y, *spot, is_beside=True, width=1 + 3 * times / most))

    def number(thought_id: str) -> int | None:
        return nodes[thought_id].number if thought_id in nodes else None

    came, went = (
        tuple(
            ListedLink(each.depth - 1, _link(each), number(each.origin.thought_id))
            for each in steps
        )
        for steps in sides
    )
    numbered = tuple((number(other.thought_id), other, times) for other, times in together)
    drawn = tuple(nodes.values()), tuple(lines)
    return ThoughtGraph(_WIDTH, height, x, y, *drawn, came, went, numbered)


def _walk(origins: Iterable[Origin], parent: _Step | None = None) -> Iterator[_Step]:
    for origin in origins:
        step = _Step(origin, parent.depth + 1 if parent else 1, parent)
        yield step
        yield from _walk(origin.beyond, step)


def _arrange(steps: Iterable[_Step]) -> dict[int, list[str]]:
    """Return by depth the thoughts that have room, each once, where it is met first."""
    columns: defaultdict[int, list[str]] = defaultdict(list)
    known = set[str]()
    for step in steps:
        column, thought_id = columns[step.depth], step.origin.thought_id
        is_near = step.parent is None or step.parent.origin.thought_id in known
        has_room = step.depth <= _MOST_COLUMNS and len(column) < _MOST_IN_COLUMN
        if thought_id not in known and is_near and has_room:
            known.add(thought_id)
            column.append(thought_id)
    return dict(columns)


def _link(step: _Step) -> shapes.Link:
    return shapes.Link.of(step.origin, came_from=None, built_into=None)
