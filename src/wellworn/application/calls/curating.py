"""Curates a selection of thoughts: first checks that all of it may be, then does each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from wellworn.application.calls.guard import CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.truth import parse_end
from wellworn.errors import InvalidInput

_ACTIONS: Final = {
    "outdated": Action.THOUGHT_ENDED,
    "end": Action.THOUGHT_ENDED,
    "merge": Action.THOUGHT_MERGED,
    "erase": Action.THOUGHT_READ,
}
"""Actions in the trail; an erasure has a line of its own beside this one."""


@dataclass(frozen=True, slots=True)
class Curated:
    """The thoughts that were curated, or would be, and how; `expires_at` is in epoch seconds."""

    action: str
    thought_ids: tuple[str, ...]
    into: str | None
    expires_at: float | None
    dry_run: bool


@dataclass(frozen=True, slots=True)
class CurationOrder:
    """One thing to do with thoughts.

    Attributes:
        action: `outdated`, `end`, `merge` or `erase`.
        into: of a merge, the one that stays.
        expires_at: of an end, a date or a time; None takes an end back.
        reason: of an erasure.
        dry_run: leave nothing but whether it may be done.
    """

    action: str
    thought_ids: Sequence[str]
    agent_id: str
    into: str | None = None
    expires_at: str | None = None
    reason: str | None = None
    dry_run: bool = False

    def check(self) -> None:
        """Check that it says what its action needs, and nothing that goes with another one.

        Raises:
            InvalidInput: it does not.
        """
        if self.action == "merge" and self.into is None:
            raise InvalidInput("merge needs into, the id of the thought that stays")
        for name, action in (("into", "merge"), ("expires_at", "end"), ("reason", "erase")):
            if getattr(self, name) is not None and self.action != action:
                raise InvalidInput(f"{name} goes with {action} alone, not with {self.action}")


class _How(TypedDict):
    agent_id: str
    dry_run: bool


def curate(
    guard: CallGuard, access: Access, order: CurationOrder, forget: Callable[..., object]
) -> Curated:
    """Do one thing with thoughts; `forget` erases them.

    Raises:
        InvalidInput: something goes with another action than this one, or is missing.
        Forbidden, ThoughtNotFound: one of the thoughts may not be changed; none was.
    """
    order.check()
    ids, into, end = list(dict.fromkeys(order.thought_ids)), order.into, parse_end(order.expires_at)
    written = Action.THOUGHT_READ if order.dry_run else _ACTIONS[order.action]
    how: _How = {"agent_id": order.agent_id, "dry_run": order.dry_run}
    with guard.call(
        access, written, Role.CONTRIBUTOR, targets=[*ids, *filter(None, [into])]
    ) as call:
        curator, by = call.services.thoughts.curator, call.access
        if order.action == "outdated":
            end = curator.outdate(by, ids, **how)
        elif order.action == "end":
            curator.end(by, ids, end, **how)
        elif into is not None:
            curator.merge(by, ids, into, **how)
        else:
            curator.require_own(by, ids)
    if order.action == "erase" and not order.dry_run:
        forget(access, *ids, agent_id=order.agent_id, reason=order.reason)
    return Curated(order.action, tuple(ids), into, end, order.dry_run)
