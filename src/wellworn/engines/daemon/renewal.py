"""Replaces the image of the serving process, so that the system takes back all its memory.

The process keeps its id, the folder's lock, the listening socket and quiet connections: callers who
come meanwhile wait, and nobody else gets the folder. No secret passes to the new image.

Source: `docs/adr/0018-renewal.md`, execve(2).
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final, NamedTuple, NoReturn

from wellworn.engines.daemon.launch import CALLER_VARIABLES

_VARIABLE: Final = "WELLWORN_INHERITED"


class Inheritance(NamedTuple):
    """Descriptors that a server leaves to the image that takes its place."""

    lock: int
    listener: int
    connections: tuple[int, ...]


def renew_process(left: Inheritance) -> NoReturn:
    """Run the command of this process again in its place; nothing of its memory is left."""
    for descriptor in (left.lock, left.listener, *left.connections):
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - no name
    environment = {k: value for k, value in os.environ.items() if k not in CALLER_VARIABLES}
    environment[_VARIABLE] = json.dumps({"pid": os.getpid(), **left._asdict()})
    os.execve(sys.executable, sys.orig_argv, environment)  # noqa: S606 - the same command again


def take_inheritance() -> Inheritance | None:
    """Return what the former image of this process left, the first time it is asked."""
    fields = json.loads(os.environ.pop(_VARIABLE, "{}"))
    if fields.pop("pid", None) != os.getpid():
        return None
    left = Inheritance(fields["lock"], fields["listener"], tuple(fields["connections"]))
    for descriptor in (left.lock, left.listener, *left.connections):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - no name
    return left
