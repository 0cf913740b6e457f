"""Curates a selection of thoughts: first checks that all of it may be, then does each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from wellworn.application.calls.guard import CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import Example, ThoughtFilter
from wellworn.domain.thoughts.truth import parse_end
from wellworn.errors import InvalidInput

_ACTIONS: Final = {
    "outdated": Action.THOUGHT_ENDED,
    "end": Action.THOUGHT_ENDED,
    "merge": Action.THOUGHT_MERGED,
    "release": Action.QUARANTINE_RELEASED,
    "erase": Action.THOUGHT_READ,
}
"""Actions in the trail; an erasure has a line of its own beside this one."""


@dataclass(frozen=True, slots=True)
class Curated:
    """The thoughts that were curated, or would be, and how; times are in epoch seconds.

    Attributes:
        done_at: when ends were given, by which all of them are taken back.
    """

    action: str
    thought_ids: tuple[str, ...]
    into: str | None
    expires_at: float | None
    dry_run: bool
    done_at: float | None = None


@dataclass(frozen=True, slots=True)
class CuratedSelection:
    """What was done, or would be, with all thoughts that fit a filter.

    Attributes:
        matching: how many fit; `changeable` how many of them the caller may change.
        examples: some of those that were changed, with their words before it.
    """

    done: Curated
    matching: int
    changeable: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The thoughts whose ends were taken back, or would be."""

    thought_ids: tuple[str, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class CurationOrder:
    """One thing to do with thoughts.

    Attributes:
        action: `outdated`, `end`, `merge`, `release` or `erase`.
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
    done_at = None
    role = Role.ADMIN if order.action == "release" else Role.CONTRIBUTOR
    with guard.call(access, written, role, targets=[*ids, *filter(None, [into])]) as call:
        thoughts, by = call.services.thoughts, call.access
        curator = thoughts.curator
        if order.action == "outdated":
            end = done_at = curator.outdate(by, ids, **how)
        elif order.action == "end":
            done_at = curator.end(by, ids, end, **how)
        elif into is not None:
            curator.merge(by, ids, into, **how)
        elif order.action == "release" and not order.dry_run:
            thoughts.release(by, *ids)
        else:
            curator.require_own(by, ids)
    if order.action == "erase" and not order.dry_run:
        forget(access, *ids, agent_id=order.agent_id, reason=order.reason)
    done_at = None if order.dry_run or end is None else done_at
    return Curated(order.action, tuple(ids), into, end, order.dry_run, done_at)


def curate_matching(
    guard: CallGuard,
    access: Access,
    order: CurationOrder,
    wanted: ThoughtFilter,
    forget: Callable[..., object],
    *,
    expected: int | None = None,
) -> CuratedSelection:
    """Do one thing with all thoughts that fit a filter and the caller may change, 2,000 at once.

    Raises:
        InvalidInput: as `curate`, or there are not as many as were expected.
    """
    order.check()
    if order.action == "end" and order.expires_at is None and not order.dry_run:
        raise InvalidInput("end needs expires_at, until when they are true")
    if (order.action == "release") != wanted.is_held and order.action != "erase":
        raise InvalidInput("release goes with what is held, and of other actions erase alone")
    if wanted.is_held and wanted.reason is not None:
        raise InvalidInput("what is held back is no candidate: leave out held or candidates")
    wanted = replace(wanted, is_current=order.action in {"outdated", "end"})
    with guard.call(access, Action.THOUGHT_LISTED, Role.CONTRIBUTOR) as call:
        selection = call.services.thoughts.selector.select(call.access, wanted)
        call.touch(example.thought_id for example in selection.examples)
    if expected not in {None, selection.changeable}:
        raise InvalidInput(
            f"{selection.changeable} thoughts fit by now and not {expected}; look again before"
            " you change them"
        )
    order = replace(order, thought_ids=selection.thought_ids)
    if selection.thought_ids:
        done = curate(guard, access, order, forget)
    else:
        done = Curated(order.action, (), None, parse_end(order.expires_at), order.dry_run)
    return CuratedSelection(done, selection.matching, selection.changeable, selection.examples)


def take_back(
    guard: CallGuard, access: Access, done_at: float, *, agent_id: str, dry_run: bool = False
) -> TakenBack:
    """Take back the ends that one call gave: each thought has the end again that it had before.

    What was given another end since is left as it is.
    """
    action = Action.THOUGHT_READ if dry_run else Action.THOUGHT_ENDED
    with guard.call(access, action, Role.CONTRIBUTOR) as call:
        curator = call.services.thoughts.curator
        ids = curator.take_back(call.access, done_at, agent_id=agent_id, dry_run=dry_run)
        call.touch(ids)
    return TakenBack(tuple(ids), dry_run)
