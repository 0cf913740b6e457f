"""Names in place of ids, where they are clear: of spaces, of their members, of sources.

Names are free to repeat and ids are not, so a name that fits several is refused, never guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import UUID

import typer

from wellworn.errors import CredentialNotFound, SourceNotFound, SpaceNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wellworn.client import Wellworn
    from wellworn.client.models import Invitation, KnowledgeSource, Membership, Space

_SPACE_ID = re.compile(r"ks-default|kss?-(?:[a-z0-9-]+-)?[0-9a-f]{8}")


def is_space_id(text: str) -> bool:
    """Tell an id of a space from a name."""
    return _SPACE_ID.fullmatch(text) is not None


def space_id(memory: Wellworn, text: str) -> str:
    """Return the id for a space's name; ids are returned unasked.

    Raises:
        SpaceNotFound: no space of the caller has that name.
        typer.BadParameter: several have.
    """
    return text if is_space_id(text) else space_of(memory, text).id


def space_of(memory: Wellworn, text: str) -> Space:
    """Return the space with an id or a name; raises like `space_id`."""
    if is_space_id(text):
        return memory.space(text)
    found = [one for one in memory.spaces() if one.name == text]
    if not found:
        raise SpaceNotFound("no space that you may enter has this name")
    _require_one("spaces", (one.id for one in found))
    return found[0]


def source_of(memory: Wellworn, text: str) -> KnowledgeSource:
    """Return the source with a name or a number; a name that is a number comes first.

    Raises:
        SourceNotFound: the caller sees none that is called so.
        typer.BadParameter: several have that name.
    """
    known = memory.sources()
    named = [one for one in known if one.name == text]
    found = named or [one for one in known if str(one.id) == text]
    if not found:
        raise SourceNotFound("no source that you may see is called so")
    _require_one("sources", (str(one.id) for one in found))
    return found[0]


def member_id(memory: Wellworn, space: str, text: str) -> str:
    """Return the id for a member's name; what is no member's name is returned as it is.

    Raises:
        typer.BadParameter: several members have that name.
    """
    if _is_uuid(text):
        return text
    named = [one.member_id for one in memory.members(space).members if one.name == text]
    _require_one("members", named)
    return named[0] if named else text


def belonging(memory: Wellworn, space: str, text: str) -> Membership | Invitation:
    """Return the member or the open invitation that an id or a member's name stands for.

    Raises:
        CredentialNotFound: there is none in the space.
        typer.BadParameter: it fits several.
    """
    known = memory.members(space)
    named = {one.member_id: one for one in known.members if text in {one.member_id, one.name}}
    offered = {one.id: one for one in known.invitations if one.id == text}
    found: list[Membership | Invitation] = [*named.values(), *offered.values()]
    if not found:
        raise CredentialNotFound("no member and no open invitation of this space is called so")
    _require_one("members or invitations", (*named, *offered))
    return found[0]


def _require_one(kind: str, ids: Iterable[str]) -> None:
    several = list(ids)
    if len(several) > 1:
        message = f"several {kind} are called so; say which: {', '.join(several)}"
        raise typer.BadParameter(message)


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
