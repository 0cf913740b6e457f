"""Names in place of ids, where they are clear: of spaces, members, sources and conflicts.

Names are free to repeat and ids are not, so a name that fits several is refused, never guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import typer

from wellworn.errors import (
    CredentialNotFound,
    NotFound,
    SourceNotFound,
    SpaceNotFound,
    TurnNotFound,
)
from wellworn.kit.project_ids import is_space_id

_MOST_OF_A_PAGE = 100

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wellworn.client import Wellworn
    from wellworn.client.models import Invitation, KnowledgeSource, Membership, Space, Turn


def find_space_id(memory: Wellworn, text: str) -> str:
    """Return the id for a space's name; ids are returned unasked.

    Raises:
        SpaceNotFound: no space of the caller has that name.
        typer.BadParameter: several have.
    """
    return text if is_space_id(text) else find_space(memory, text).id


def find_space(memory: Wellworn, text: str) -> Space:
    """Return the space with an id or a name; raises like `find_space_id`."""
    if is_space_id(text):
        return memory.space(text)
    spaces = [space for space in memory.spaces() if space.name == text]
    if not spaces:
        raise SpaceNotFound("no space that you may enter has this name")
    _refuse_several("spaces", (space.id for space in spaces))
    return spaces[0]


def find_source(memory: Wellworn, text: str) -> KnowledgeSource:
    """Return the source with a name or a number; a name that is a number comes first.

    Raises:
        SourceNotFound: the caller sees none that is called so.
        typer.BadParameter: several have that name.
    """
    sources = memory.sources()
    matches = [source for source in sources if source.name == text]
    matches = matches or [source for source in sources if str(source.id) == text]
    if not matches:
        raise SourceNotFound("no source that you may see has this name or number")
    _refuse_several("sources", (str(source.id) for source in matches))
    return matches[0]


def find_conflict_id(memory: Wellworn, text: str) -> int:
    """Return the number for the term that a conflict is about; numbers are returned unasked.

    Raises:
        NotFound: nothing disagrees about that term.
        typer.BadParameter: there are several conflicts about it.
    """
    if text.isascii() and text.isdigit():
        return int(text)
    ids = [conflict.id for conflict in memory.conflicts() if conflict.term == text]
    if not ids:
        raise NotFound("there is no conflict about this; wellworn knowledge conflicts lists them")
    _refuse_several("conflicts", map(str, ids))
    return ids[0]


def find_member_id(memory: Wellworn, space: str, text: str) -> str:
    """Return the id for a member's name; what is no member's name is returned as it is.

    Raises:
        typer.BadParameter: several members have that name.
    """
    if _is_uuid(text):
        return text
    members = memory.members(space).members
    ids = [member.member_id for member in members if member.name == text]
    _refuse_several("members", ids)
    return ids[0] if ids else text


def find_member_or_invitation(memory: Wellworn, space: str, text: str) -> Membership | Invitation:
    """Return the member or the open invitation that an id or a member's name stands for.

    Raises:
        CredentialNotFound: there is none in the space.
        typer.BadParameter: it fits several.
    """
    everybody = memory.members(space)
    matches: dict[str, Membership | Invitation] = {
        member.member_id: member
        for member in everybody.members
        if text in {member.member_id, member.name}
    }
    matches |= {
        invitation.id: invitation for invitation in everybody.invitations if invitation.id == text
    }
    if not matches:
        raise CredentialNotFound(
            "no member and no open invitation of this space has this name or id"
        )
    _refuse_several("members or invitations", matches)
    return next(iter(matches.values()))


def find_thought_id(memory: Wellworn, text: str) -> str:
    """Return the id for its beginning; full ids are returned unasked.

    Raises:
        ThoughtNotFound, InvalidInput: no id begins so, or several do.
    """
    return text if _is_uuid(text) else memory.thought(text).thought_id


def find_turn_id(memory: Wellworn, text: str) -> str:
    """Return the id for the number of one of the agent's turns; ids are returned unasked.

    Raises:
        TurnNotFound: the agent has no turn of that number.
        typer.BadParameter: it is neither an id nor a number.
    """
    if _is_uuid(text.lower()):
        return text.lower()
    if not (text.isascii() and text.isdigit()):
        raise typer.BadParameter("a turn is named by its id or its number")
    for archived in (False, True):
        turn_id = _find_turn_of_number(memory, int(text), archived=archived)
        if turn_id is not None:
            return turn_id
    message = "this agent has no turn of that number"
    raise TurnNotFound(message)


def find_turn_ids(memory: Wellworn, words: Sequence[str]) -> list[str]:
    """Return the ids for ids, numbers and ranges of numbers, such as 12-20, of the agent's turns.

    Raises:
        TurnNotFound: the agent has no turn of a number, or none within a range.
        typer.BadParameter: a word is none of these.
    """
    found: dict[str, None] = {}
    for word in words:
        first, _, last = word.partition("-")
        if not all(each.isascii() and each.isdigit() for each in (first, last)):
            found[find_turn_id(memory, word)] = None
            continue
        turns = [*_list_turns_between(memory, int(first), int(last))]
        if not turns:
            raise TurnNotFound("this agent has no turn within that range")
        found.update(dict.fromkeys(turns))
    return [*found]


def _find_turn_of_number(memory: Wellworn, number: int, *, archived: bool) -> str | None:
    found = (turn for turn in _list_turns(memory, number, archived=archived))
    return next((turn.id for turn in found if turn.number == number), None)


def _list_turns_between(memory: Wellworn, first: int, last: int) -> Iterator[str]:
    for archived in (False, True):
        for turn in _list_turns(memory, first, archived=archived):
            if first <= turn.number <= last:
                yield turn.id


def _list_turns(memory: Wellworn, down_to: int, *, archived: bool) -> Iterator[Turn]:
    """Yield the agent's turns, newest first, at least down to a number."""
    before = None
    while True:
        page = memory.list_turns(
            agent_id=memory.agent_id, limit=_MOST_OF_A_PAGE, before=before, archived=archived
        )
        yield from page.turns
        before = page.next_before
        if before is None or page.turns[-1].number < down_to:
            return


def _refuse_several(kind: str, ids: Iterable[str]) -> None:
    candidates = list(ids)
    if len(candidates) > 1:
        message = f"several {kind} have this name; use an id: {', '.join(candidates)}"
        raise typer.BadParameter(message)


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
