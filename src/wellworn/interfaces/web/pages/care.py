"""Care: how the server is, its settings, the browsers that are signed in, and its jobs."""

from __future__ import annotations

from typing import Final

from wellworn.application.calls import require_care
from wellworn.application.settings import (
    EffectiveSetting,
    Settings,
    list_settings,
    read_settings,
)
from wellworn.client import models as shapes
from wellworn.domain.spaces import SESSION_S
from wellworn.errors import Forbidden
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen, WayOn

table = PageTable()

_MOST_JOBS: Final = 100


@table.get("/care")
def show_care(request: PageRequest) -> Screen:
    """Return the browsers that are signed in; what takes longer comes as parts of the page."""
    session = request.session
    sessions = request.sessions.list_sessions(session.holder) if session else []
    return Screen(
        "care.html",
        {"browsers": sessions, "lifetime_s": SESSION_S},
        command="wellworn status",
        call="GET /api/v1/health",
    )


@table.get("/care/health")
def show_health(request: PageRequest) -> Screen:
    """Return how every part of the server is."""
    return Screen(
        "health.html",
        {"health": request.app.health(request.access)},
        part="_health.html",
        command="wellworn status",
        call="GET /api/v1/health",
    )


@table.get("/care/settings")
def show_settings(request: PageRequest) -> Screen:
    """Return the settings, to the machine's owner."""
    try:
        require_care(request.access)
        settings = _group_settings()
    except Forbidden:
        settings = None
    return Screen(
        "settings.html",
        {"settings": settings},
        part="_settings.html",
        command="wellworn settings",
        call="GET /api/v1/settings",
    )


def _group_settings() -> dict[tuple[str, str], list[EffectiveSetting]]:
    """Return the settings by their sections, each with what it is about."""
    grouped: dict[tuple[str, str], list[EffectiveSetting]] = {}
    for each in list_settings(read_settings()):
        about = Settings.model_fields[each.section].description or ""
        grouped.setdefault((each.section, about), []).append(each)
    return grouped


@table.post("/care/sign-out")
def end_session(request: PageRequest) -> WayOn:
    """End the session of another browser with the same key."""
    if request.session is not None:
        request.sessions.end(request.form.get("id", ""), request.session.holder)
    return WayOn(f"{request.base}/care")


@table.get("/care/jobs")
def show_jobs(request: PageRequest) -> Screen:
    """Return the newest jobs and the upkeep that fails, to the machine's owner."""
    try:
        work = shapes.BackgroundWork.of(request.app.list_jobs(request.access, limit=_MOST_JOBS))
    except Forbidden:
        work = None
    return Screen("jobs.html", {"work": work}, command="wellworn jobs", call="GET /api/v1/jobs")
