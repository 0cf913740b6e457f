"""Topics over HTTP: the tree of a space, one of them with its thoughts, and sorting it anew."""

from __future__ import annotations

from typing import Any

from wellworn.application.calls import CallContext
from wellworn.client.calls import TopicCalls
from wellworn.domain.audit import Action
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve

router = create_router("topics")


@serve(router, TopicCalls.topics, Action.THOUGHT_LISTED)
def list_topics(call: CallContext, **asked: Any) -> object:
    return call.services.thoughts.topic_browser.list_topics(call.access, **asked)


@serve(router, TopicCalls.topic)
def read_topic(app: Opened, access: Allowed, topic_id: str, **asked: Any) -> object:
    return app.read_topic(access, topic_id.removeprefix("topic:"), **asked)


@serve(router, TopicCalls.sort_topics)
def sort(app: Opened, access: Allowed) -> object:
    return app.topics.sort(access)
