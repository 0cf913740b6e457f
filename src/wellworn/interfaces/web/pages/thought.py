"""A thought: its words, what replaced it, what it came from, and how worn its trail is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from wellworn.application.calls import CallContext
from wellworn.client import models as shapes
from wellworn.client.fields import Moment, PromptText, Uuid
from wellworn.domain.audit import Action
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts.truth import parse_end
from wellworn.errors import Forbidden
from wellworn.interfaces.web.graph import draw_graph
from wellworn.interfaces.web.requests import (
    Field,
    PageRequest,
    PageTable,
    Screen,
    WayOn,
)
from wellworn.kit.clock import from_iso, to_iso

table = PageTable()

_DEPTH: Final = 5
_A_DAY_S: Final = 86_400.0
_MOST_BARS: Final = 30
_TOGETHER: Final = 5
_END: Final = Field[str]("expires_at", Moment)
_INSTEAD: Final = Field[str]("prompt", PromptText)
_ID: Final = Field[str]("thought_id", Uuid)


@table.get("/thoughts/{thought_id}")
def show_thought(request: PageRequest) -> Screen:
    """Return a thought with its full trace."""
    thought = shapes.Thought.of(
        request.app.read_thought(request.access, request.path["thought_id"])
    )
    with request.app.call(
        request.access, Action.THOUGHT_READ, targets=[thought.thought_id]
    ) as call:
        chain = call.services.thoughts.get_provenance(call.access, thought.thought_id, depth=_DEPTH)
        thoughts = call.services.thoughts
        is_held = request.is_admin and thoughts.is_held(call.access, thought.thought_id)
        together = [
            (shapes.Thought.of(thoughts.get_record(call.access, other.thought_id)), other.count)
            for other in thought.co_retrieved_with[:_TOGETHER]
        ]
        may_change = _may_change(request, call, thought.thought_id)
        call.touch(chain.list_shown())
        call.touch(other.thought_id for other, _ in together)
    return Screen(
        "thought.html",
        {
            "thought": thought,
            "last_day": _find_last_day(thought),
            "trail": draw_trail(thought),
            "is_held": is_held,
            "graph": draw_graph(chain.came_from, chain.built_into, together),
            "may_change": may_change,
        },
        command=f"wellworn thought show {thought.thought_id[:8]}",
        call=f"GET /api/v1/thoughts/{thought.thought_id}",
    )


@dataclass(frozen=True, slots=True)
class TrailBar:
    """Reads of a thought in some days, which begin with `day`."""

    day: str
    reads: int


def draw_trail(thought: shapes.Thought) -> list[TrailBar]:
    """Return the reads that are known one by one, by days or longer, from its first day on.

    Of a trail of more than a hundred reads the newest hundred are known.
    """
    if not thought.access_log:
        return []
    days = [int(from_iso(access.timestamp) // _A_DAY_S) for access in thought.access_log]
    is_whole = thought.access_count <= len(days)
    # A clock that was set back may have read it before it was said.
    first = min([int(from_iso(thought.created_at) // _A_DAY_S), *days] if is_whole else days)
    step = (max(days) - first) // _MOST_BARS + 1
    counts = Counter((day - first) // step for day in days)
    return [
        TrailBar(to_iso((first + number * step) * _A_DAY_S)[:10], counts[number])
        for number in range((max(days) - first) // step + 1)
    ]


def _may_change(request: PageRequest, call: CallContext, thought_id: str) -> bool:
    """Tell whether the caller may end or erase a thought: an admin, or who said it."""
    if request.is_admin or not request.can_write:
        return request.is_admin
    try:
        call.services.thoughts.require_own(call.access, thought_id)
    except Forbidden:
        return False
    return True


def _find_last_day(thought: shapes.Thought) -> str:
    """Return the day at whose end it ends; empty where none is given, or it is over."""
    if thought.expires_at is None or thought.outdated_at is not None:
        return ""
    return to_iso(from_iso(thought.expires_at) - 1.0)[:10]


@table.post("/thoughts/{thought_id}/end")
def end(request: PageRequest) -> WayOn:
    """Say until when a thought is true."""
    thought_id = _ID.require(request.path)
    moment = parse_end(_END.read(request.form))
    with request.app.call(
        request.access, Action.THOUGHT_ENDED, Role.CONTRIBUTOR, targets=[thought_id]
    ) as call:
        call.services.thoughts.curator.end(
            call.access, [thought_id], moment, agent_id=request.agent_id
        )
    return WayOn(f"{request.base}/thoughts/{thought_id}")


@table.post("/thoughts/{thought_id}/replace")
def replace(request: PageRequest) -> WayOn:
    """Say what is true instead; the old words stay, as history."""
    thought_id = _ID.require(request.path)
    prompt = Prompt(
        _INSTEAD.require(request.form),
        request.agent_id,
        request.agent_name,
        contribute=Contribute.ALWAYS,
        replaces=(thought_id,),
    )
    reply = request.app.converse(request.access, prompt)
    return WayOn(f"{request.base}/thoughts/{reply.trace.thought_id or thought_id}")


@table.post("/thoughts/{thought_id}/withdraw")
def withdraw(request: PageRequest) -> WayOn:
    """Take back that a thought replaces another."""
    thought_id, replaced_id = _ID.require(request.path), request.form.get("replaced_id", "")
    replaced_id = _ID.require({"thought_id": replaced_id})
    with request.app.call(
        request.access,
        Action.REPLACEMENT_WITHDRAWN,
        Role.CONTRIBUTOR,
        targets=[thought_id, replaced_id],
    ) as call:
        call.services.thoughts.withdraw_replacement(
            call.access, thought_id, replaced_id, agent_id=request.agent_id
        )
    return WayOn(f"{request.base}/thoughts/{thought_id}")


@table.post("/thoughts/{thought_id}/release")
def release(request: PageRequest) -> WayOn:
    """Let a thought be found that was held back."""
    thought_id = _ID.require(request.path)
    with request.app.call(
        request.access, Action.QUARANTINE_RELEASED, Role.ADMIN, targets=[thought_id]
    ) as call:
        call.services.thoughts.release(call.access, thought_id)
    return WayOn(f"{request.base}/thoughts/{thought_id}")
