"""Thoughts: the list with its filters, and what is done with some of them or all that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wellworn.application.calls import CurationOrder
from wellworn.client import models as shapes
from wellworn.client.fields import AgentId, Moment, Offset, Tag, TopicId, Uuid, Words
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import (
    CurationReason,
    FoundThought,
    ThoughtFilter,
    ThoughtState,
    parse_filter,
)
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
from wellworn.kit.clock import from_iso, to_iso

table = PageTable()

_PAGE: Final = 30
_MOST_CHOSEN: Final = 100
_WORDS: Final = Field[str]("words", Words)
_CURSOR: Final = Field[str]("cursor", Uuid)
_CONDITIONS: Final = (
    Field[str]("since", Moment),
    Field[str]("until", Moment),
    Field[str]("by", AgentId),
    _WORDS,
    Field[str]("tag", Tag),
    Field[str]("topic", TopicId),
)
_ID: Final = Field[str]("id", Uuid)
_END: Final = Field[str]("expires_at", Moment)
_EXPECTED: Final = Field[int]("expected", Offset)
_COUNT: Final = Field[int]("count", Offset)
_DONE_AT: Final = Field[str]("done_at", Moment)
_ACTIONS: Final = ("outdated", "end", "release", "erase")
_WAITING: Final = ("held", *CurationReason)
"""What is shown with why it is, and not by when it was said."""
_FILTERS: Final = ("words", "by", "tag", "topic", "since", "until", "show")


@table.get("/thoughts")
def list_thoughts(request: PageRequest) -> Screen:
    """Return what was said and fits the filters, newest first."""
    show = request.query.get("show", "")
    screen = _list_waiting(request, show) if show in _WAITING else _list_newest(request)
    marked = _read_chosen(request.query.getlist("id"))
    listed = {each.thought_id for each in screen.values["thoughts"]}
    with request.app.call(request.access, Action.THOUGHT_LISTED) as call:
        topics = call.services.thoughts.topic_browser.list_names(call.access)
    values = {
        "filters": {name: request.query[name] for name in _FILTERS if name in request.query},
        "topics": topics,
        "waiting": _WAITING,
        "states": (*ThoughtState, *_WAITING),
        "marked": marked,
        "matching": None,
        "is_near": False,
        "elsewhere": [each for each in marked if each not in listed],
        **screen.values,
    }
    return Screen("thoughts.html", values, command=screen.command, call=screen.call)


def _list_newest(request: PageRequest) -> Screen:
    cursor, wanted = _CURSOR.read(request.query), _read_filter(request.query)
    with request.app.call(request.access, Action.THOUGHT_LISTED) as opened:
        page = opened.services.thoughts.selector.list_page(
            opened.access,
            wanted,
            after=cursor,
            limit=_PAGE,
            counts=cursor is None and wanted != parse_filter(),
        )
        opened.touch(thought.thought_id for thought in page.thoughts)
    near = () if page.thoughts or cursor else _find_near(request, wanted)
    asked = {field.name: request.query.get(field.name) for field in _CONDITIONS}
    asked["state"] = wanted.state
    command = format_command("recent", **asked)
    call = format_call("GET /api/v1/thoughts", **asked, cursor=cursor)
    if near:
        command = format_command("recall", wanted.words or "")
        call = format_call("GET /api/v1/search", q=wanted.words, filter_tags=wanted.tag)
    values = {
        "thoughts": list(map(shapes.ListedThought.of, near or page.thoughts)),
        "next": page.next_cursor,
        "matching": page.matching,
        "is_near": bool(near),
    }
    return Screen("", values, command=command, call=call)


def _find_near(request: PageRequest, wanted: ThoughtFilter) -> Sequence[FoundThought]:
    """Return what says words in other words, where nothing holds them; a topic leaves no choice."""
    if not wanted.words or wanted.topic or wanted.state:
        return ()
    return request.app.look_up(
        request.access,
        wanted.words,
        limit=_PAGE,
        filter_tags=[wanted.tag] if wanted.tag else (),
        scope=wanted.scope,
    )


def _list_waiting(request: PageRequest, show: str) -> Screen:
    """Return what is held back, or what may have had its day."""
    with request.app.call(
        request.access, Action.THOUGHT_LISTED, Role.ADMIN if show == "held" else Role.READER
    ) as call:
        thoughts, wanted = call.services.thoughts, _read_filter(request.query)
        fitting = thoughts.selector.list_fitting(call.access, wanted)
        if show == "held":
            held = [each for each in thoughts.list_held(call.access) if each.thought_id in fitting]
            rows: Sequence[Any] = list(map(shapes.HeldThought.of, held))
        else:
            found = shapes.Curation.of(
                thoughts.curator.list_candidates(
                    call.access, reasons=[CurationReason(show)], limit=_MOST_CHOSEN
                )
            ).candidates
            rows = [each for each in found if each.thought_id in fitting]
        call.touch(each.thought_id for each in rows)
    return Screen(
        "",
        {"thoughts": rows, "next": None},
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
    action = _read_action(request.query)
    values: dict[str, Any] = {"action": action, "matching": None}
    if request.query.get("all"):
        order = CurationOrder(action, (), request.agent_id, dry_run=True)
        found = shapes.CuratedSelection.of(
            request.app.curate_matching(request.access, order, _read_filter(request.query))
        )
        values |= {
            "matching": found,
            "filters": [(name, request.query[name]) for name in _FILTERS if name in request.query],
            "count": found.changeable,
            "chosen": found.examples,
        }
        given = dict(values["filters"])
        shown = given.pop("show", None)
        if shown and shown != "held":
            given["state" if shown in [*ThoughtState] else "candidates"] = shown
        line = format_command("tidy", action, **given)
        return Screen(
            "confirm.html",
            values,
            command=f"{line} --held" if shown == "held" else line,
            call="POST /api/v1/curation/matching",
        )
    ids = _require_chosen(request.query.getlist("id"))
    request.app.curate(request.access, CurationOrder(action, ids, request.agent_id, dry_run=True))
    thoughts = [request.app.read_thought(request.access, each) for each in ids]
    chosen = list(map(shapes.Thought.of, thoughts))
    return Screen(
        "confirm.html",
        {**values, "count": len(chosen), "chosen": chosen},
        command=format_command("curate", *ids, f"--{action}"),
        call="POST /api/v1/curation",
    )


@table.post("/curate")
def curate(request: PageRequest) -> WayOn:
    """Do one thing with all that was chosen, or with none."""
    form = request.form
    action, end = _read_action(form), _END.read(form)
    if action == "end" and end is None:
        raise InvalidInput("say until when they are true")
    ids = () if form.get("all") else _require_chosen(form.getlist("id"))
    order = CurationOrder(action, ids, request.agent_id, expires_at=end)
    if form.get("all"):
        selection = request.app.curate_matching(
            request.access, order, _read_filter(form), expected=_EXPECTED.require(form)
        )
        done, left = selection.done, selection.changeable - len(selection.done.thought_ids)
    else:
        done, left = request.app.curate(request.access, order), 0
    if len(ids) == 1:
        return WayOn(f"{request.base}/thoughts/{ids[0]}")
    told = {"action": action, "count": len(done.thought_ids), "left": left or None}
    told["done_at"] = None if done.done_at is None else to_iso(done.done_at)
    return WayOn(format_call(f"{request.base}/curated", **told))


@table.get("/curated")
def show_curated(request: PageRequest) -> Screen:
    """Say what was done with many thoughts, and offer to take it back where that is possible."""
    done_at = _DONE_AT.read(request.query)
    taken = None
    if done_at is not None:
        taken = request.app.take_back(
            request.access, from_iso(done_at), agent_id=request.agent_id, dry_run=True
        )
    return Screen(
        "curated.html",
        {
            "action": _read_action(request.query, "back"),
            "count": _COUNT.read(request.query) or 0,
            "left": Field[int]("left", Offset).read(request.query),
            "done_at": done_at,
            "revocable": len(taken.thought_ids) if taken else 0,
        },
        command=format_command("take-back", done_at) if done_at else "",
        call="POST /api/v1/curation/take-back" if done_at else "",
    )


@table.post("/take-back")
def take_back(request: PageRequest) -> WayOn:
    """Take back the ends that were given at once."""
    moment = from_iso(_DONE_AT.require(request.form))
    taken = request.app.take_back(request.access, moment, agent_id=request.agent_id)
    told = {"action": "back", "count": len(taken.thought_ids)}
    return WayOn(format_call(f"{request.base}/curated", **told))


def _read_action(values: Mapping[str, str], *more: str) -> str:
    action = values.get("action", "")
    if action not in {*_ACTIONS, *more}:
        raise InvalidInput("choose what is to be done: outdated, end, release or erase")
    return action


def _read_filter(values: Mapping[str, str]) -> ThoughtFilter:
    show = values.get("show", "")
    return parse_filter(
        **{field.name: field.read(values) for field in _CONDITIONS},
        state=show if show in [*ThoughtState] else None,
        candidates=show if show in [*CurationReason] else None,
        held=show == "held",
    )


def _require_chosen(chosen: list[str]) -> tuple[str, ...]:
    if not chosen:
        raise InvalidInput("choose at least one thought")
    return _read_chosen(chosen)


def _read_chosen(chosen: list[str]) -> tuple[str, ...]:
    if len(chosen) > _MOST_CHOSEN:
        raise InvalidInput("choose at most 100 thoughts, or all that fit a filter")
    return tuple(_ID.require({"id": each}) for each in dict.fromkeys(chosen))
