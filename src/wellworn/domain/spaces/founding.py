"""A new space: who may make one, and what it is called."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from wellworn.domain.spaces.models import (
    LOCAL,
    SEALED_PREFIX,
    Issued,
    Mode,
    Principal,
    Role,
    Space,
)
from wellworn.domain.spaces.sealing import UnlockedSpace
from wellworn.errors import Forbidden
from wellworn.kit.project_ids import make_word, read_project_name
from wellworn.kit.text import check_name

_ID_RANDOM_BYTES = 4


@dataclass(frozen=True, slots=True)
class NewSpace:
    """A new space; `issued` has the key of the member that was made for it, if one was."""

    space: Space
    issued: Issued | None
    unlocked: UnlockedSpace | None = field(default=None, repr=False)


def require_unlimited(actor: Principal | None) -> None:
    """Refuse a credential that reaches only some spaces, or only as a lesser role.

    Raises:
        Forbidden: it is one.
    """
    if actor is not None and (actor.spaces is not None or actor.role is not Role.ADMIN):
        raise Forbidden(
            "this credential is limited to its spaces; it cannot make, join or leave one"
        )


def build_space(
    name: str, founder: str, *, sealed: bool, settings: Mapping[str, object], now: float
) -> Space:
    """Return a space that is not stored yet.

    Raises:
        InvalidInput: the name is empty, too long or has unprintable characters.
    """
    name = check_name(name)
    mode = Mode.SEALED if sealed else Mode.OPEN
    space_id = _make_id(name, sealed=sealed)
    return Space(space_id, name, mode, now, founder, int(sealed), settings)


def build_project(project: str, *, now: float) -> Space:
    """Return the space of a project, called as its id says."""
    return Space(project, read_project_name(project), Mode.OPEN, now, LOCAL, 0, {})


def _make_id(name: str, *, sealed: bool) -> str:
    beginning = SEALED_PREFIX.removesuffix("-") if sealed else "ks"
    return "-".join(filter(None, (beginning, make_word(name), secrets.token_hex(_ID_RANDOM_BYTES))))
