"""Jobs: what runs in the background, what became of it, and which upkeep fails."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.errors import Forbidden
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen

table = PageTable()

_MOST: Final = 100


@table.get("/care/jobs")
def show_jobs(request: PageRequest) -> Screen:
    """Return the newest jobs and the upkeep that fails, to the machine's owner."""
    try:
        work = shapes.BackgroundWork.of(request.app.list_jobs(request.access, limit=_MOST))
    except Forbidden:
        work = None
    return Screen("jobs.html", {"work": work}, command="wellworn jobs", call="GET /api/v1/jobs")
