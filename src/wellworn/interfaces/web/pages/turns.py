"""Turns: questions that were worked on in phases, and what each of them left."""

from __future__ import annotations

from functools import partial
from typing import Final

from wellworn.client import models as shapes
from wellworn.client.fields import PromptText, Uuid
from wellworn.domain.turns import TurnQuery
from wellworn.interfaces.web.requests import (
    Field,
    PageRequest,
    PageTable,
    Screen,
    TurnToWait,
    format_call,
)

table = PageTable()

_PAGE: Final = 30
_DOCUMENT: Final = "context.md"
_QUERY: Final = Field[str]("query", PromptText)
_BEFORE: Final = Field[str]("before", Uuid)


@table.get("/turns")
def list_turns(request: PageRequest) -> Screen:
    """Return the turns, newest first."""
    before = _BEFORE.read(request.query)
    turns = request.app.turns.list_turns(request.access, limit=_PAGE + 1, before=before)
    page = turns[:_PAGE]
    return Screen(
        "turns.html",
        {
            "turns": list(map(shapes.Turn.of, page)),
            "next": page[-1].id if len(turns) > _PAGE else None,
        },
        command="wellworn turn list",
        call=format_call("GET /api/v1/turns", before=before),
    )


@table.post("/turns")
def ask(request: PageRequest) -> TurnToWait:
    """Work on a question in a turn of its own."""
    query = TurnQuery(_QUERY.require(request.form), request.agent_id, request.agent_name)
    return TurnToWait(
        partial(request.app.turns.ask, request.access, query), f"{request.base}/turns"
    )


@table.get("/turns/{turn_id}")
def show_turn(request: PageRequest) -> Screen:
    """Return a turn: its answer, what it stands on, and its document as it was written."""
    turn_id = request.path["turn_id"]
    answer = shapes.TurnAnswer.of(request.app.turns.read(request.access, turn_id))
    files = request.app.turns.list_files(request.access, turn_id)
    has_document = _DOCUMENT in files
    return Screen(
        "turn.html",
        {
            "answer": answer,
            "files": files,
            "document": request.app.turns.read_file(request.access, turn_id, _DOCUMENT)
            if has_document
            else None,
        },
        command=f"wellworn turn read {turn_id}",
        call=f"GET /api/v1/turns/{turn_id}",
    )
