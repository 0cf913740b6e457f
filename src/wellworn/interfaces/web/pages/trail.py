"""The audit trail of a space: the newest first, verified, and taken out as a file."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.client.fields import Label, Number
from wellworn.interfaces.web.requests import (
    Download,
    Field,
    PageRequest,
    PageTable,
    Screen,
    format_call,
    format_command,
)

table = PageTable()

_PAGE: Final = 50
_BEFORE: Final = Field[int]("before", Number)
_OF: Final = Field[str]("of", Label)


@table.get("/spaces/trail")
def show_trail(request: PageRequest) -> Screen:
    """Return who did what, and whether the trail is as it was written, if that is asked."""
    of = _OF.read(request.query)
    trails = request.app.trails
    is_verified = request.query.get("verify") == "1"
    entries = trails.show_newest(
        request.access, of, before=_BEFORE.read(request.query), limit=_PAGE + 1
    )
    names = {}
    if of is None:
        members, _ = request.app.administration.members(request.access)
        names = {each.member.id: each.member.name for each in members}
    page = entries[:_PAGE]
    return Screen(
        "trail.html",
        {
            "entries": list(map(shapes.AuditEntry.of, page)),
            "next": request.query_url(before=page[-1].seq) if len(entries) > _PAGE else None,
            "verdict": shapes.Verdict.of(trails.verify(request.access, of))
            if is_verified
            else None,
            "names": names,
            "of": of,
        },
        command="wellworn audit verify" if is_verified else format_command("audit", "show", of=of),
        call=format_call(f"GET /api/v1/audit{'/verify' if is_verified else ''}", of=of),
    )


@table.get("/spaces/trail/export")
def export_trail(request: PageRequest) -> Download:
    """Return the trail as a file that is verified without a server."""
    of = _OF.read(request.query)
    lines = request.app.trails.export(request.access, of)
    return Download(lines, f"wellworn-audit-{request.access.space}.jsonl")
