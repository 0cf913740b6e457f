"""Care: how the server is, which settings hold, and which browsers are signed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from wellworn.application.settings import read_settings
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen, WayOn
from wellworn.interfaces.web.sessions import LIFETIME_S

table = PageTable()


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting as it holds; `is_set` tells whether the environment says so."""

    variable: str
    value: str
    is_set: bool
    description: str


@table.get("/care")
def show_care(request: PageRequest) -> Screen:
    """Return the health, and to the machine's owner the settings."""
    session = request.session
    sessions = request.sessions.list_sessions(session.credential) if session else []
    is_operator = request.access.owner is None
    return Screen(
        "care.html",
        {
            "health": request.app.health(request.access),
            "settings": list(_list_settings()) if is_operator else None,
            "browsers": sessions,
            "lifetime_s": LIFETIME_S,
        },
        command="wellworn status",
        call="GET /api/v1/health",
    )


def _list_settings() -> Iterator[tuple[str, str, list[SettingLine]]]:
    """Yield each section with what it is about and its settings."""
    settings = read_settings()
    for name, about in type(settings).model_fields.items():
        section: BaseModel = getattr(settings, name)
        lines = [
            SettingLine(
                f"WELLWORN_{name}__{field}".upper(),
                str(getattr(section, field)),
                field in section.model_fields_set,
                described.description or "",
            )
            for field, described in type(section).model_fields.items()
        ]
        yield name, about.description or "", lines


@table.post("/care/sign-out")
def end_session(request: PageRequest) -> WayOn:
    """End the session of another browser with the same key."""
    if request.session is not None:
        request.sessions.end(request.form.get("id", ""), request.session.credential)
    return WayOn(f"{request.base}/care")
