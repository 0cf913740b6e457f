"""Thoughts: the list with its filters, and what is done with a selection of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wellworn.application.calls import CurationOrder
from wellworn.client import models as shapes
from wellworn.client.fields import AgentId, Moment, PromptText, Tag, Uuid
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import CurationReason
from wellworn.domain.thoughts.truth import TimeScope, parse_scope
from wellworn.errors import InvalidInput
from wellworn.interfaces.web.requests import (
    Field,
    PageRequest,
    PageTable,
    Screen,
    WayOn,
    format_call,
    format_command,
)

table = PageTable()

_PAGE: Final = 30
_MOST_FOUND: Final = 50
_MOST_CHOSEN: Final = 100
_WORDS: Final = Field[str]("q", PromptText)
_TAG: Final = Field[str]("tag", Tag)
_CURSOR: Final = Field[str]("cursor", Uuid)
_SCOPE: Final = (
    Field[str]("since", Moment),
    Field[str]("until", Moment),
    Field[str]("by", AgentId),
)
_ID: Final = Field[str]("id", Uuid)
_ACTIONS: Final = ("outdated", "erase")
_SHOWN: Final = ("held", *CurationReason)


@table.get("/thoughts")
def list_thoughts(request: PageRequest) -> Screen:
    """Return what was said, newest first, or what fits the filters best."""
    since, until, by = (field.read(request.query) for field in _SCOPE)
    scope = parse_scope(since=since, until=until, by=by)
    words, show = _WORDS.read(request.query), request.query.get("show", "")
    if show in _SHOWN:
        screen = _list_waiting(request, show)
    elif words:
        screen = _search(request, words, scope)
    else:
        screen = _list_newest(request, scope)
    filters = [pair for pair in request.query.multi_items() if pair[0] != "cursor"]
    values = {"filters": dict(filters), "shown": _SHOWN, **screen.values}
    return Screen("thoughts.html", values, command=screen.command, call=screen.call)


def _list_newest(request: PageRequest, scope: TimeScope) -> Screen:
    tag, cursor = _TAG.read(request.query), _CURSOR.read(request.query)
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        listed = call.services.thoughts.searcher.list_newest(
            call.access, scope, tag=tag, after=cursor, limit=_PAGE + 1
        )
        page = listed[:_PAGE]
        call.touch(thought.thought_id for thought in page)
    following = page[-1].thought_id if len(listed) > _PAGE else None
    asked = {name: request.query.get(name) for name in ("since", "until", "by", "tag")}
    return Screen(
        "",
        {
            "thoughts": list(map(shapes.ListedThought.of, page)),
            "next": str(request.query_url(cursor=following)) if following else None,
        },
        command=format_command("recent", **asked),
        call=format_call("GET /api/v1/thoughts", **asked, cursor=cursor),
    )


def _search(request: PageRequest, words: str, scope: TimeScope) -> Screen:
    tag = _TAG.read(request.query)
    found = request.app.look_up(
        request.access,
        words,
        limit=_MOST_FOUND,
        filter_tags=[tag] if tag else (),
        scope=scope,
    )
    return Screen(
        "",
        {"thoughts": list(map(shapes.ListedThought.of, found)), "next": None},
        command=format_command("recall", words),
        call=format_call("GET /api/v1/search", q=words, filter_tags=tag),
    )


def _list_waiting(request: PageRequest, show: str) -> Screen:
    """Return what is held back, or what may have had its day."""
    with request.app.call(
        request.access, Action.THOUGHT_LISTED, Role.ADMIN if show == "held" else Role.READER
    ) as call:
        if show == "held":
            held = call.services.thoughts.list_held(call.access)
            call.touch(thought.thought_id for thought in held)
            values: Mapping[str, Any] = {"held": list(map(shapes.HeldThought.of, held))}
        else:
            curator = call.services.thoughts.curator
            found = curator.list_candidates(
                call.access,
                older_than_days=90,
                reasons=[CurationReason(show)],
                limit=_MOST_CHOSEN,
            )
            call.touch(candidate.thought.thought_id for candidate in found.candidates)
            values = {"curation": shapes.Curation.of(found)}
    return Screen(
        "",
        {"thoughts": (), "next": None, **values},
        command="wellworn thought held"
        if show == "held"
        else format_command("curate", reason=show),
        call="GET /api/v1/held"
        if show == "held"
        else format_call("GET /api/v1/curation", reason=show),
    )


@table.get("/confirm")
def confirm(request: PageRequest) -> Screen:
    """Show what is about to be done with which words; nothing is done yet."""
    order = _read_order(request, request.query.getlist("id"), request.query.get("action", ""))
    request.app.curate(request.access, CurationOrder(**order, dry_run=True))
    chosen = [request.app.read_thought(request.access, each) for each in order["thought_ids"]]
    return Screen(
        "confirm.html",
        {"action": order["action"], "chosen": list(map(shapes.Thought.of, chosen))},
        command=format_command("curate", order["action"], *order["thought_ids"]),
        call="POST /api/v1/curation",
    )


@table.post("/curate")
def curate(request: PageRequest) -> WayOn:
    """Do one thing with all that was chosen, or with none."""
    order = _read_order(request, request.form.getlist("id"), request.form.get("action", ""))
    request.app.curate(request.access, CurationOrder(**order))
    if len(order["thought_ids"]) == 1:
        return WayOn(f"{request.base}/thoughts/{order['thought_ids'][0]}")
    return WayOn(f"{request.base}/thoughts")


def _read_order(request: PageRequest, chosen: list[str], action: str) -> dict[str, Any]:
    if action not in _ACTIONS:
        raise InvalidInput("choose what is to be done: outdated or erase")
    if not 1 <= len(chosen) <= _MOST_CHOSEN:
        raise InvalidInput("choose 1 to 100 thoughts")
    ids = tuple(_ID.require({"id": each}) for each in dict.fromkeys(chosen))
    return {"action": action, "thought_ids": ids, "agent_id": request.agent_id}
