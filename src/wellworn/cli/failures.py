"""What went wrong, in words a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from wellworn import daemon, errors

if TYPE_CHECKING:
    from wellworn.client import WellwornClientError


class PortTaken(errors.WellwornError):
    """Another program listens where the server was to."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A failure as it is printed; `exit_code` is 1 (failed) or 2 (used wrongly)."""

    message: str
    remedy: str
    exit_code: int = 1


_REMEDIES = {
    "UNREACHABLE": "wellworn serve, or leave --url away to start a server when needed",
    "TIMED_OUT": "again in a moment; wellworn status says how the server is",
    "UNEXPECTED_ANSWER": "another --url; what answers there is not wellworn",
    "VALIDATION_ERROR": "wellworn --help for what a command takes",
    "THOUGHT_NOT_FOUND": "an id as printed by wellworn recall",
    "SESSION_NOT_FOUND": "a session as printed by wellworn recall, with the same --agent",
    "NOT_FOUND": "another --home; wellworn remember fills a new one",
    "PAYLOAD_TOO_LARGE": "a shorter text",
    "EMBEDDING_FAILED": "wellworn doctor",
    "QDRANT_ERROR": "wellworn doctor",
}
_DOCTOR = "wellworn doctor"


def explained(failure: Exception) -> Reason:
    """Return what to print for a failure, whatever it is."""
    if isinstance(failure, typer.Abort):
        return Reason("nothing was done", "again, and answer y, or pass --yes")
    if isinstance(failure, typer.TyperException):
        return Reason(_first_line(failure.format_message()), _help(failure), failure.exit_code)
    if isinstance(failure, errors.WellwornError):
        return Reason(failure.message, _remedy(failure))
    if isinstance(failure, OSError):
        return Reason(_about_file(failure), "another path, or its permissions")
    if isinstance(failure, _client_error()):
        return Reason(failure.message, _REMEDIES.get(failure.code, _DOCTOR))
    return Reason(f"a fault in wellworn itself ({type(failure).__name__}: {failure})", _DOCTOR)


def _client_error() -> type[WellwornClientError]:
    from wellworn.client import WellwornClientError

    return WellwornClientError


def _remedy(failure: errors.WellwornError) -> str:
    match failure:
        case PortTaken():
            return "wellworn serve --port 0, which takes any free one"
        case errors.StoreInUse():
            return "wellworn status, or wellworn stop"
        case daemon.DaemonFailed():
            return "wellworn serve, to see it start in this terminal"
        case errors.DamagedStore():
            return "wellworn doctor, which says what is damaged and what mends it"
        case _:
            return _REMEDIES.get(failure.code, _DOCTOR)


def _help(failure: typer.TyperException) -> str:
    context: object = getattr(failure, "ctx", None)
    return f"{getattr(context, 'command_path', 'wellworn')} --help"


def _about_file(failure: OSError) -> str:
    reason = failure.strerror or type(failure).__name__
    return f"{reason}: {failure.filename}" if failure.filename else reason


def _first_line(text: str) -> str:
    return " ".join(text.split())
