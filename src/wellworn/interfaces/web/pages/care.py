"""Care: how the server is, which settings hold, and which browsers are signed in."""

from __future__ import annotations

from wellworn.application.calls import require_care
from wellworn.application.settings import (
    EffectiveSetting,
    Settings,
    list_settings,
    read_settings,
)
from wellworn.errors import Forbidden
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen, WayOn
from wellworn.interfaces.web.sessions import LIFETIME_S

table = PageTable()


@table.get("/care")
def show_care(request: PageRequest) -> Screen:
    """Return the health, and to the machine's owner the settings."""
    session = request.session
    sessions = request.sessions.list_sessions(session.credential) if session else []
    try:
        require_care(request.access)
        settings = _group_settings()
    except Forbidden:
        settings = None
    return Screen(
        "care.html",
        {
            "health": request.app.health(request.access),
            "settings": settings,
            "browsers": sessions,
            "lifetime_s": LIFETIME_S,
        },
        command="wellworn status",
        call="GET /api/v1/health",
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
        request.sessions.end(request.form.get("id", ""), request.session.credential)
    return WayOn(f"{request.base}/care")
