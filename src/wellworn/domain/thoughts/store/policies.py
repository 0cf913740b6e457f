"""Stores the weights that spaces learned, version by version: numbers alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import learned_policies, query_log
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import POLICY_STEP, TrainingResult

MOST: Final = 50
"""Versions that a space keeps."""
_LESSON: Final = ("gain", "low", "high", "queries")
_STATE: Final = ("withdrawn_at", "withdrawn_to", "tried_at", "taken_at")


class KeptPolicy(NamedTuple):
    """A version of the weights of a space.

    Attributes:
        version: the number that answers are logged with.
        learned_at: in epoch seconds.
        lesson: what it was learned from; without factors, the shipped weights.
        withdrawn_at: when somebody went back to the version before; None if nobody did.
        withdrawn_to: the newest question then, by its seq.
        tried_at: since when it was on trial beside what is in use; None if it never was.
        taken_at: when it took the place of that; None if it did not.
    """

    version: int
    learned_at: float
    lesson: TrainingResult
    withdrawn_at: float | None = None
    withdrawn_to: int | None = None
    tried_at: float | None = None
    taken_at: float | None = None

    @property
    def is_current(self) -> bool:
        """Whether the rules of ranking are still those that it was learned with."""
        return self.version % POLICY_STEP == POLICY_VERSION

    @property
    def is_on_trial(self) -> bool:
        """Whether it is shown beside what is in use, and has not taken its place."""
        is_open = self.withdrawn_at is None and self.taken_at is None
        return self.is_current and is_open and self.tried_at is not None


def find_in_use(kept: Sequence[KeptPolicy]) -> KeptPolicy | None:
    """Return the newest version, of those in order, that holds and was not withdrawn."""
    standing = (each for each in kept if each.is_current and each.withdrawn_at is None)
    return next((each for each in standing if not each.is_on_trial), None)


def find_on_trial(kept: Sequence[KeptPolicy]) -> KeptPolicy | None:
    """Return the version that is on trial; None where none is."""
    return next((each for each in kept if each.is_on_trial), None)


def find_triable(kept: Sequence[KeptPolicy], version: int | None) -> KeptPolicy | None:
    """Return the newest learned version that is not in use, or the one with a number."""
    in_use = find_in_use(kept)
    return next(
        (
            each
            for each in kept
            if each.is_current and each.lesson.factors and version in {None, each.version}
            if each is not in_use
        ),
        None,
    )


def list_policies(connection: Connection, space: str) -> list[KeptPolicy]:
    """Return the versions of a space, the newest first."""
    c = learned_policies.c
    statement = select(learned_policies).where(c.knowledge_space_id == space)
    return [_read(row) for row in connection.execute(statement.order_by(c.seq.desc()))]


def _read(row: Any) -> KeptPolicy:
    lesson = TrainingResult(json.loads(row.factors), *(getattr(row, name) for name in _LESSON))
    return KeptPolicy(row.version, row.learned_at, lesson, *(getattr(row, name) for name in _STATE))


def list_spaces(connection: Connection) -> list[str]:
    """Return the spaces that ever learned weights."""
    return [*connection.execute(select(learned_policies.c.knowledge_space_id).distinct()).scalars()]


def add_policy(connection: Connection, space: str, policy: KeptPolicy) -> None:
    """Store a version; of a space the last fifty stay, and those that an admin withdrew."""
    row = {
        "knowledge_space_id": space,
        "version": policy.version,
        "learned_at": policy.learned_at,
        "factors": json.dumps(dict(policy.lesson.factors)),
        **{name: getattr(policy.lesson, name) for name in _LESSON},
        **{name: getattr(policy, name) for name in _STATE},
    }
    connection.execute(insert(learned_policies), row)
    c = learned_policies.c
    of_space = c.knowledge_space_id == space
    newest_first = select(c.seq).where(of_space).order_by(c.seq.desc())
    last = connection.execute(newest_first.offset(MOST).limit(1)).scalar()
    if last is not None:
        is_over = c.seq <= last
        connection.execute(
            delete(learned_policies).where(of_space, is_over, c.withdrawn_at.is_(None))
        )


def withdraw(connection: Connection, access: Access, policy: KeptPolicy, *, now: float) -> None:
    """Note that a version is not in use any more, and which question was the newest then."""
    of_space = query_log.c.knowledge_space_id == access.space
    newest = select(func.coalesce(func.max(query_log.c.seq), 0)).where(of_space).scalar_subquery()
    change = update(learned_policies).where(*_is(access, policy))
    connection.execute(change.values(withdrawn_at=now, withdrawn_to=newest))


def put_on_trial(connection: Connection, access: Access, policy: KeptPolicy, *, now: float) -> None:
    """Note that a version is on trial from now on, withdrawn or not."""
    change = update(learned_policies).where(*_is(access, policy))
    fresh = dict.fromkeys(_STATE) | {"tried_at": now}
    connection.execute(change.values(**fresh))


def take(connection: Connection, access: Access, policy: KeptPolicy, *, now: float) -> None:
    """Put a version that is on trial in use: it is the newest from now on."""
    connection.execute(delete(learned_policies).where(*_is(access, policy)))
    add_policy(connection, access.space, policy._replace(taken_at=now))


def _is(access: Access, policy: KeptPolicy) -> tuple[ColumnElement[bool], ...]:
    c = learned_policies.c
    return (
        c.knowledge_space_id == access.space,
        c.version == policy.version,
        c.learned_at == policy.learned_at,
    )


def forget(connection: Connection, access: Access, *, since: float | None) -> None:
    """Delete what a space learned since a moment, whose evidence was taken back, or all of it.

    Of a moment, what an admin withdrew stays withdrawn, and what was learned before and taken since
    is on trial again.
    """
    c = learned_policies.c
    statement = delete(learned_policies).where(c.knowledge_space_id == access.space)
    if since is not None:
        stands = (c.knowledge_space_id == access.space, c.withdrawn_at.is_(None))
        statement = statement.where(c.learned_at >= since, c.withdrawn_at.is_(None))
        returned = update(learned_policies).where(*stands, c.taken_at >= since)
        connection.execute(returned.values(taken_at=None))
    connection.execute(statement)
