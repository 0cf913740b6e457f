"""Topics: what a space is about, and the highways that agents come back to."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.domain.audit import Action
from wellworn.domain.thoughts import HighwayOrder
from wellworn.interfaces.web.requests import (
    PageRequest,
    PageTable,
    Screen,
    format_call,
    read_offset,
)

table = PageTable()

_PAGE: Final = 30
_HIGHWAYS: Final = 15
_DEPTH: Final = 2


@table.get("/topics")
def list_topics(request: PageRequest) -> Screen:
    """Return the topics, the largest first, beside the highways."""
    offset = read_offset(request)
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        thoughts = call.services.thoughts
        found = thoughts.topic_browser.list_topics(
            call.access, depth=_DEPTH, offset=offset, limit=_PAGE
        )
        highways = thoughts.list_highways(
            call.access, limit=_HIGHWAYS, sort_by=HighwayOrder.TRAFFIC
        )
        call.touch(found.list_shown())
        call.touch(each.thought_id for each in highways)
    return Screen(
        "topics.html",
        {
            "topics": shapes.Topics.of(found),
            "highways": list(map(shapes.Highway.of, highways)),
            "offset": offset,
        },
        command="wellworn topics",
        call=format_call("GET /api/v1/topics", offset=offset or None),
    )


@table.get("/topics/{topic_id}")
def show_topic(request: PageRequest) -> Screen:
    """Return a topic with its thoughts, the most central first."""
    topic_id, offset = request.path["topic_id"], read_offset(request)
    page, passages = request.app.read_topic(
        request.access, topic_id.removeprefix("topic:"), offset=offset, limit=_PAGE
    )
    return Screen(
        "topic.html",
        {"page": shapes.TopicPage.of(page, documents=()), "passages": passages},
        command="wellworn topics",
        call=f"GET /api/v1/topics/{page.topic.id}",
    )
