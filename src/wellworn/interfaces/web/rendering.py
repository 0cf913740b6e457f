"""Templates made into pages; whatever a template prints is text, and nothing hidden in it stays."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from wellworn import __version__
from wellworn.kit.clock import from_iso, to_iso
from wellworn.kit.neutralising import neutralise

_FOLDER: Final = Path(__file__).parent / "templates"


def create_environment(locate: Callable[[str], str]) -> Environment:
    """Return the templates; `locate` knows the addresses of static files."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        auto_reload=False,
    )
    environment.filters |= {"minute": format_minute, "iso": format_iso, "shell": shlex.quote}
    environment.globals.update(asset=locate, version=__version__)  # type: ignore[arg-type]
    return environment


def _finalize(value: object) -> object:
    """Return what is printed: of any text nothing hidden, and nothing of None."""
    if value is None:
        return ""
    return neutralise(value) if type(value) is str else value


def format_minute(moment: float | str) -> str:
    """Return a moment as people without scripts read it."""
    seconds = from_iso(moment) if isinstance(moment, str) else moment
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_iso(moment: float | str) -> str:
    """Return a moment as programs read it."""
    return moment if isinstance(moment, str) else to_iso(moment)


def render(environment: Environment, template: str, values: Mapping[str, Any]) -> str:
    """Return a page."""
    return environment.get_template(template).render(values)
