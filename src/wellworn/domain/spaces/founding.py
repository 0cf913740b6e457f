"""A new space: who may make one, and what it is called."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from wellworn.domain.spaces.models import (
    SEALED_PREFIX,
    Issued,
    Mode,
    Principal,
    Role,
    Space,
)
from wellworn.domain.spaces.sealing import UnlockedSpace
from wellworn.errors import Forbidden
from wellworn.kit.text import check_name

_NOT_IN_AN_ID = re.compile(r"[^a-z0-9]+")
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
        raise Forbidden("this credential is limited to its spaces; it cannot make or join another")


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


def _make_id(name: str, *, sealed: bool) -> str:
    beginning = SEALED_PREFIX.removesuffix("-") if sealed else "ks"
    word = _NOT_IN_AN_ID.sub("-", name.lower()).strip("-")[:40]
    return "-".join(filter(None, (beginning, word, secrets.token_hex(_ID_RANDOM_BYTES))))
