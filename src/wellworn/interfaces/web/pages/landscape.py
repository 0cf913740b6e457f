"""The map: thoughts as a landscape, with highways, what was used together, and a session's path."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import chain
from math import hypot
from typing import Any, Final

from wellworn.application.calls import CallContext
from wellworn.client import models as shapes
from wellworn.client.fields import Label, Offset, Uuid
from wellworn.domain.audit import Action
from wellworn.errors import SessionNotFound
from wellworn.interfaces.web.requests import (
    Data,
    Field,
    PageRequest,
    PageTable,
    Screen,
    format_call,
    format_command,
)
from wellworn.kit.neutralising import neutralise

table = PageTable()

_SESSION: Final = Field[str]("session", Uuid)
_MARK: Final = Field[str]("mark", Label)
_NUMBER: Final = Field[int]("number", Offset)
_MOST_CALLS: Final = 100
_MOST_SESSIONS: Final = 20
_MOST_NAMED: Final = 10
_MARGIN: Final = 1.05
_LEAST_SIZE: Final = 10.0


@table.get("/map")
def show_map(request: PageRequest) -> Screen:
    """Return the topics as a picture and as a table; a script adds the thoughts to the picture."""
    session_id = _SESSION.read(request.query)
    drawn = shapes.MemoryMap.of(request.app.draw_map(request.access, session_id=session_id))
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        thoughts = call.services.thoughts
        pairs = [(edge.thought_id, edge.other_id) for edge in drawn.edges[:_MOST_NAMED]]
        named = {*drawn.highways[:_MOST_NAMED], *chain.from_iterable(pairs)}
        words = thoughts.cartographer.read_words(call.access, sorted(named))
        path = _follow(call, session_id)
        calls = thoughts.decisions.list_decisions(call.access, limit=_MOST_CALLS).decisions
        call.touch(words)
    questions = Counter(each.session_id for each in calls)
    sessions = {each.session_id: each for each in reversed(calls)}
    return Screen(
        "map.html",
        {
            "map": drawn,
            "box": _find_box(drawn),
            "topics": _describe_topics(drawn),
            "words": words,
            "session_id": session_id,
            "path": path,
            "sessions": [
                (each, questions[name])
                for name, each in reversed(sessions.items())
                if questions[name] > 1 or name == session_id
            ][:_MOST_SESSIONS],
        },
        command=format_command("map", session=session_id),
        call=format_call("GET /api/v1/map", session_id=session_id),
    )


def _follow(call: CallContext, session_id: str | None) -> shapes.SessionPath | None:
    """Return how the session moved whose path is drawn, if the caller may know of it."""
    if session_id is None:
        return None
    with suppress(SessionNotFound):
        return shapes.SessionPath.of(call.services.thoughts.paths.follow(call.access, session_id))
    return None


@table.get("/map/points")
def list_points(request: PageRequest) -> Data:
    """Return the numbers that a script draws the map from."""
    drawn = request.app.draw_map(request.access, session_id=_SESSION.read(request.query))
    points = drawn.points
    places = {thought_id: place for place, thought_id in enumerate(points.thought_ids)}
    return Data(
        {
            "mark": drawn.mark,
            "x": list(map(_shorten, points.x)),
            "y": list(map(_shorten, points.y)),
            "weights": list(map(_shorten, points.weights)),
            "topics": [
                [neutralise(each.title), each.x, each.y, each.radius, each.parent_id is None]
                for each in drawn.topics
            ],
            "highways": [places[each] for each in drawn.highways],
            "edges": [
                [places[each.thought_id], places[each.other_id], each.sessions]
                for each in drawn.edges
            ],
            "path": [[each.x, each.y] for each in drawn.path],
        }
    )


@table.get("/map/point")
def show_point(request: PageRequest) -> Screen:
    """Return the words of a thought, found by its number on the map."""
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        cartographer = call.services.thoughts.cartographer
        thought_id = cartographer.find(
            call.access, _MARK.require(request.query), _NUMBER.require(request.query)
        )
        words = cartographer.read_words(call.access, [thought_id])
        call.touch(words)
    return Screen("_point.html", {"thought": words.get(thought_id)})


def _shorten(number: float) -> float:
    """Return a number with one digit behind the point, or none where that says nothing."""
    short = round(number, 1)
    return int(short) if short.is_integer() else short


def _find_box(drawn: shapes.MemoryMap) -> dict[str, float]:
    """Return what of the plane is to be seen."""
    reach = [(each, sign * each.radius) for each in drawn.topics for sign in (1, -1)]
    xs = [*drawn.points.x, *(each.x + radius for each, radius in reach)] or [0.0]
    ys = [*drawn.points.y, *(each.y + radius for each, radius in reach)] or [0.0]
    width, height = (max(_LEAST_SIZE, _MARGIN * (max(of) - min(of))) for of in (xs, ys))
    middle_x, middle_y = ((max(of) + min(of)) / 2 for of in (xs, ys))
    box = {"x": middle_x - width / 2, "y": middle_y - height / 2, "width": width, "height": height}
    return {name: round(number, 1) for name, number in box.items()}


def _describe_topics(drawn: shapes.MemoryMap) -> list[dict[str, Any]]:
    """Return the topics of the first level with what is on and beside them."""
    roots: dict[str, str] = {}
    for topic in drawn.topics:
        roots[topic.id] = roots[topic.parent_id] if topic.parent_id else topic.id
    worn, roads = dict.fromkeys(roots, 0.0), dict.fromkeys(roots, 0)
    points, highways = drawn.points, {*drawn.highways}
    for thought_id, weight, leaf in zip(
        points.thought_ids, points.weights, points.topics, strict=True
    ):
        if leaf >= 0:
            root = roots[drawn.topics[leaf].id]
            worn[root] += weight
            roads[root] += thought_id in highways
    tops = [topic for topic in drawn.topics if topic.parent_id is None]
    return [
        {
            "topic": topic,
            "worn": worn[topic.id] / topic.size if topic.size else 0.0,
            "highways": roads[topic.id],
            "beside": _list_beside(topic, tops),
        }
        for topic in tops
    ]


def _list_beside(topic: shapes.MapTopic, tops: list[shapes.MapTopic]) -> list[shapes.MapTopic]:
    """Return the two topics whose discs are nearest."""
    others = [other for other in tops if other is not topic]
    others.sort(key=lambda other: hypot(other.x - topic.x, other.y - topic.y) - other.radius)
    return others[:2]
