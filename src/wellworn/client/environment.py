"""Completes what the caller leaves open: the address, the key and the space."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wellworn.client.errors import UNREACHABLE, WellwornClientError
from wellworn.engines import daemon
from wellworn.engines.projects import find_project
from wellworn.errors import WellwornError

if TYPE_CHECKING:
    from collections.abc import Callable


def name_address(url: str | Callable[[], str] | None) -> str | Callable[[], str]:
    """Return the address that the caller or the environment names, or what finds one."""
    return url or os.environ.get("WELLWORN_URL") or ensure_server


def ensure_server() -> str:
    """Return the address of the data folder's server, which is started if need be.

    Raises:
        WellwornClientError: UNREACHABLE, no server can be started.
    """
    home = _get_home()
    try:
        return daemon.ensure_daemon(home).url
    except (WellwornError, OSError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else failure.message
        # The end of the log is for the terminal.
        reason = str(reason).partition(";")[0]
        raise WellwornClientError(
            UNREACHABLE, f"the server of {home} cannot be started: {reason}"
        ) from None


def is_there(address: str | Callable[[], str], url: str) -> bool:
    """Tell whether the data folder's server is still where it was found; of others we do not know.

    By then another program may listen there, which would be shown the key.
    """
    return address is not ensure_server or daemon.is_announced(_get_home(), url)


def _get_home() -> Path:
    return Path(os.environ.get("WELLWORN_HOME") or "~/.wellworn").expanduser().absolute()


def build_headers(
    key: str | None, space: str | None, *, is_project: bool = False
) -> dict[str, str]:
    """Return the headers that say who talks in which space, else in which project.

    Raises:
        WellwornClientError: the key, the id of the space or the `.wellworn` file is malformed.
    """
    key = (os.environ.get("WELLWORN_KEY") if key is None else key) or ""
    space = os.environ.get("WELLWORN_SPACE") if space is None else space
    if is_project and not key and space is None:
        space = _find_project()
    space = space or ""
    # The network's own complaints about a header repeat it.
    if not _is_plain(key):
        raise WellwornClientError("UNAUTHENTICATED", "a key has no blanks and no line ends")
    if not _is_plain(space):
        raise WellwornClientError("SPACE_NOT_FOUND", "the id of a space has no blanks")
    shown = {"Authorization": f"Bearer {key}" if key else "", "Wellworn-Space": space}
    return {name: value for name, value in shown.items() if value}


def _find_project() -> str | None:
    try:
        project = find_project()
    except WellwornError as failure:
        raise WellwornClientError(failure.code, failure.message) from None
    return project and project.space


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text
