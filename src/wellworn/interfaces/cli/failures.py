"""Explains what went wrong, in words a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from wellworn import errors
from wellworn.engines import daemon
from wellworn.interfaces.cli.output import fold_spaces

if TYPE_CHECKING:
    from wellworn.client import WellwornClientError


class PortTaken(errors.WellwornError):
    """Another program listens at the server's address."""


class NotServed(errors.WellwornError):
    """The server does not start with these settings."""


class InvitationEnded(errors.WellwornError):
    """An invitation lets nobody in, or not any more."""


class HistoryRefused(errors.Forbidden):
    """Who imports may not bring in what was replaced or has ended."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A failure as it is printed; `exit_code` is 1 (failed) or 2 (used wrongly)."""

    message: str
    remedy: str
    exit_code: int = 1


_REMEDIES = {
    "UNREACHABLE": "wellworn serve, or leave out --url to start a server when needed",
    "TIMED_OUT": "again in a moment; wellworn status says how the server is",
    "UNEXPECTED_ANSWER": "another --url; something other than wellworn answers there",
    "VALIDATION_ERROR": "again with that changed; --help shows what the command takes",
    "THOUGHT_NOT_FOUND": "an id as printed by wellworn recall",
    "SESSION_NOT_FOUND": "a session as printed by wellworn recall, with the same --agent",
    "UNAUTHENTICATED": "WELLWORN_KEY, with a key from wellworn credential create or space join",
    "FORBIDDEN": "a key with a greater role, or ask an admin of the space",
    "SPACE_NOT_FOUND": "wellworn space list, with WELLWORN_KEY set to a key of yours",
    "SPACE_LOCKED": "the key of a member of the space",
    "CREDENTIAL_NOT_FOUND": "an id as printed by wellworn space members or credential list",
    "SOURCE_NOT_FOUND": "wellworn source list",
    "DOCUMENT_NOT_FOUND": "wellworn knowledge documents",
    "TURN_NOT_FOUND": "wellworn turn list or turn files, with the same --agent",
    "SYNC_RUNNING": "again when that sync has ended; wellworn source runs shows it",
    "OVERLOADED": "again in a moment, with fewer calls at once",
    "RATE_LIMITED": "again in a moment",
    "NOT_FOUND": "wellworn outline, or knowledge conflicts, which list what is there",
    "PAYLOAD_TOO_LARGE": "a shorter text",
    "EMBEDDING_FAILED": "wellworn doctor",
    "QDRANT_ERROR": "wellworn doctor",
    "CONFIG_BROKEN": "again once the file is mended",
    "SERVICE_FAILED": "wellworn service status, or wellworn serve in this terminal",
    "CONFIG_REFUSED": "again once that is done; --dry-run shows what would change",
}
_REMEDIES_BY_KIND: dict[type[errors.WellwornError], str] = {
    PortTaken: "wellworn serve --port 0, which takes any free one",
    NotServed: "wellworn serve again, once that is done",
    InvitationEnded: "a new one from an admin of the space (wellworn space invite); if you joined"
    " with this one, WELLWORN_KEY with the key that was printed then",
    HistoryRefused: "--no-history, which leaves out what was replaced or has ended there, or ask an"
    " admin of the space",
    errors.StoreInUse: "wellworn status, or wellworn stop",
    errors.KeyUnavailable: "the WELLWORN_CRYPTO__KEY settings, which say where the server's key is",
    errors.DamagedStore: "wellworn doctor, which says what is damaged and how to repair it",
    daemon.DaemonFailed: "wellworn serve, to see it start in this terminal",
}
_DOCTOR = "wellworn doctor"


def explain(failure: Exception) -> Reason:
    """Return what to print for a failure, whatever it is."""
    if isinstance(failure, typer.Abort):
        return Reason("nothing was done", "again, and answer y, or pass --yes")
    if isinstance(failure, typer.TyperException):
        return Reason(fold_spaces(failure.format_message()), _help(failure), failure.exit_code)
    if isinstance(failure, errors.WellwornError):
        return Reason(failure.message, _remedy(failure))
    if isinstance(failure, OSError):
        return Reason(_describe_file_error(failure), "another path, or its permissions")
    if isinstance(failure, _client_error()):
        return Reason(failure.message, _client_remedy(failure))
    return Reason(f"a fault in wellworn itself ({type(failure).__name__}: {failure})", _DOCTOR)


def _client_error() -> type[WellwornClientError]:
    from wellworn.client import WellwornClientError

    return WellwornClientError


def _client_remedy(failure: WellwornClientError) -> str:
    if failure.retry_after_s is not None:
        return f"again in {failure.retry_after_s} s"
    return _REMEDIES.get(failure.code, _DOCTOR)


def _remedy(failure: errors.WellwornError) -> str:
    for kind, remedy in _REMEDIES_BY_KIND.items():
        if isinstance(failure, kind):
            return remedy
    return _REMEDIES.get(failure.code, _DOCTOR)


def _help(failure: typer.TyperException) -> str:
    context: object = getattr(failure, "ctx", None)
    return f"{getattr(context, 'command_path', 'wellworn')} --help"


def _describe_file_error(failure: OSError) -> str:
    reason = failure.strerror or type(failure).__name__
    return f"{reason}: {failure.filename}" if failure.filename else reason
