"""Reads what became of the questions that weights on trial answered beside those in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.decisions import Fate, Judged, unpack
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.store.labels import USED, load_grades
from wellworn.domain.thoughts.tables import decisions, query_log, thoughts
from wellworn.engines.retrieval import Team
from wellworn.engines.storage.sql import select_in

MOST: Final = 5_000
"""The newest questions of a trial that are read."""
_DAY_S: Final = 86_400.0
_SIGNS: Final = {Team.IN_USE: -1.0, Team.TRIED: 1.0}


class TriedQuestion(NamedTuple):
    """What a question of a trial came to.

    Attributes:
        user: who counts as one user.
        session: its session, of one day.
        first: whose weights picked what was put first.
        propensity: how likely that was put first.
        is_used: whether what was put first was used.
        lead: what the picks of the weights on trial gained above the others: 1 for what was used,
            -1 for what was called irrelevant. None where nobody said anything of any pick.
    """

    user: str
    session: tuple[str, int]
    first: Team
    propensity: float
    is_used: bool
    lead: float | None


def load_questions(
    connection: Connection, access: Access, version: int, *, since: float
) -> list[TriedQuestion]:
    """Return the newest questions of the trial of a version that began at a moment."""
    log, user = query_log.c, owner_or_label(query_log, "agent_id").label("user")
    statement = (
        select(log.seq, log.session_id, user, decisions.c.decided_at, decisions.c.packed)
        .join_from(decisions, query_log, log.seq == decisions.c.query_seq)
        .where(decisions.c.knowledge_space_id == access.space)
        .where(log.policy_version == version, decisions.c.decided_at >= since)
        .order_by(decisions.c.decided_at.desc(), decisions.c.query_seq.desc())
        .limit(MOST)
    )
    grades = load_grades(connection, access)
    seqs = {seq for of_query in grades.values() for seq in of_query}
    author = owner_or_label(thoughts, "contributor_id")
    named = select_in(connection, select(thoughts.c.seq, author), thoughts.c.seq, seqs)
    authors: dict[int, str] = {row[0]: row[1] for row in named}
    found: list[TriedQuestion] = []
    for row in connection.execute(statement):
        decision = unpack(row.packed)
        picked = [each for each in decision.judged if each.team] if decision else []
        first = next((each for each in picked if each.is_first), None)
        if decision is None or first is None or first.team is None:
            continue
        said = {
            seq: grade
            for seq, grade in grades.get(row.seq, {}).items()
            if grade is not None and authors.get(seq) != row.user
        }
        found.append(
            TriedQuestion(
                row.user,
                (row.session_id, int(row.decided_at // _DAY_S)),
                first.team,
                decision.propensity,
                said.get(first.seq) == USED,
                _measure_lead(picked, said),
            )
        )
    return found


def _measure_lead(picked: Sequence[Judged], said: Mapping[int, float]) -> float | None:
    shown = [each for each in picked if each.fate is Fate.SHOWN and each.seq in said]
    if not shown:
        return None
    return sum(_SIGNS.get(each.team, 0.0) * said[each.seq] for each in shown if each.team)
