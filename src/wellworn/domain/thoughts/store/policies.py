"""Stores the weights that spaces learned, version by version: numbers alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import learned_policies, query_log
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import POLICY_STEP, TrainingResult

MOST: Final = 50
"""Versions that a space keeps."""
_LESSON: Final = ("gain", "low", "high", "queries")


class KeptPolicy(NamedTuple):
    """A version of the weights of a space.

    Attributes:
        version: the number that answers are logged with.
        learned_at: in epoch seconds.
        lesson: what it was learned from; without factors, the shipped weights.
        withdrawn_at: when somebody went back to the version before; None if nobody did.
        withdrawn_to: the newest question then, by its seq.
    """

    version: int
    learned_at: float
    lesson: TrainingResult
    withdrawn_at: float | None = None
    withdrawn_to: int | None = None

    @property
    def is_current(self) -> bool:
        """Whether the rules of ranking are still those that it was learned with."""
        return self.version % POLICY_STEP == POLICY_VERSION


def find_in_use(kept: Sequence[KeptPolicy]) -> KeptPolicy | None:
    """Return the newest version, of those in order, that holds and was not withdrawn."""
    return next((each for each in kept if each.is_current and each.withdrawn_at is None), None)


def list_policies(connection: Connection, space: str) -> list[KeptPolicy]:
    """Return the versions of a space, the newest first."""
    c = learned_policies.c
    statement = select(learned_policies).where(c.knowledge_space_id == space)
    return [_read(row) for row in connection.execute(statement.order_by(c.seq.desc()))]


def _read(row: Any) -> KeptPolicy:
    lesson = TrainingResult(json.loads(row.factors), *(getattr(row, name) for name in _LESSON))
    return KeptPolicy(row.version, row.learned_at, lesson, row.withdrawn_at, row.withdrawn_to)


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
    c = learned_policies.c
    connection.execute(
        update(learned_policies)
        .where(
            c.knowledge_space_id == access.space,
            c.version == policy.version,
            c.learned_at == policy.learned_at,
        )
        .values(withdrawn_at=now, withdrawn_to=newest)
    )


def forget(connection: Connection, access: Access, *, since: float | None) -> None:
    """Delete what a space learned since a moment, whose evidence was taken back, or all of it.

    Of a moment, what an admin withdrew stays withdrawn.
    """
    c = learned_policies.c
    statement = delete(learned_policies).where(c.knowledge_space_id == access.space)
    if since is not None:
        statement = statement.where(c.learned_at >= since, c.withdrawn_at.is_(None))
    connection.execute(statement)
