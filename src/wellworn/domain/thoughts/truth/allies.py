"""Finds members who count as one: those who only ever confirm each other. Pure.

They may be one person with several keys. Nobody can tell, so nothing of theirs is refused; against
anybody else they have one voice together.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Final

MOST_ALLIES: Final = 6
"""Members who confirm each other and nobody else; more are a space's public."""

Confirmed = Callable[[str], Set[str]]
"""Returns the members whose thoughts a member ever confirmed, themselves not among them."""


def find_allies(members: Iterable[str], confirmed: Confirmed) -> Mapping[str, frozenset[str]]:
    """Return for each of the members that has allies who they are, itself among them."""
    allies: dict[str, frozenset[str]] = {}
    for member in members:
        if member not in allies and (group := _find_group(member, confirmed)):
            allies.update(dict.fromkeys(group, group))
    return allies


def _find_group(member: str, confirmed: Confirmed) -> frozenset[str]:
    """Return all whom a member confirms, in any number of steps, if they all confirm it so, too."""
    group = _reach(member, confirmed)
    is_closed = 1 < len(group) <= MOST_ALLIES and all(
        member in _reach(other, confirmed) for other in group
    )
    return group if is_closed else frozenset()


def _reach(member: str, confirmed: Confirmed) -> frozenset[str]:
    """Return a member with those whom it confirms, and whom they do; more than the most suffice."""
    reached, frontier = {member}, [member]
    while frontier and len(reached) <= MOST_ALLIES:
        new = confirmed(frontier.pop()) - reached
        reached |= new
        frontier += new
    return frozenset(reached)
