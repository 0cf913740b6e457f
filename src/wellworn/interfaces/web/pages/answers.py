"""Answers: what names stand for, where documents disagree, and what nothing explains."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.client.fields import Name, Note, Number
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
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

_MOST_CONFLICTS: Final = 50
_TERM: Final = Field[str]("term", Name)
_CONFLICT: Final = Field[int]("conflict_id", Number)
_CONTEXT: Final = Field[str]("context", Note)
_RESOLUTION: Final = Field[str]("resolution", Note)
_REASON: Final = Field[str]("reason", Note)


@table.get("/answers")
def show_answers(request: PageRequest) -> Screen:
    """Return what a name stands for, if one is asked, beside what is open."""
    term, context = _TERM.read(request.query), _CONTEXT.read(request.query) or ""
    answer = None
    if term:
        # Looking at an address leaves no trace, however often it is opened.
        answer = shapes.Answer.of(
            request.app.resolve(request.access, term, context=context, learn=False)
        )
    with request.app.call(request.access, Action.KNOWLEDGE_READ) as call:
        discovery = call.services.discovery
        conflicts = discovery.conflicts(call.access, with_closed=True)[:_MOST_CONFLICTS]
        unknowns = discovery.unknowns(call.access)
        pins = discovery.pins(call.access)
    return Screen(
        "answers.html",
        {
            "term": term or "",
            "context": context,
            "answer": answer,
            "conflicts": list(map(shapes.Conflict.of, conflicts)),
            "unknowns": unknowns,
            "pins": pins,
        },
        command=format_command("knowledge", "resolve", term)
        if term
        else "wellworn knowledge conflicts",
        call=format_call("GET /api/knowledge/resolve", term=term, context=context or None)
        if term
        else "GET /api/knowledge/conflicts",
    )


@table.post("/answers/conflicts/{conflict_id}")
def decide(request: PageRequest) -> WayOn:
    """Settle a conflict, or open it again."""
    conflict_id = _CONFLICT.require(request.path)
    with request.app.call(
        request.access, Action.KNOWLEDGE_DECIDED, Role.ADMIN, targets=[str(conflict_id)]
    ) as call:
        call.services.discovery.decide(
            call.access,
            conflict_id,
            _RESOLUTION.require(request.form),
            reason=_REASON.read(request.form) or "",
        )
    return WayOn(f"{request.base}/answers")
