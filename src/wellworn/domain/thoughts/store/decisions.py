"""Rows of decisions, one beside each call of the query log that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.decisions import (
    Answered,
    Decision,
    Fate,
    Judged,
    Outcome,
    pack,
    unpack,
)
from wellworn.domain.thoughts.tables import decisions, query_log, replacements, thoughts
from wellworn.engines.retrieval import Team
from wellworn.engines.storage.sql import select_in, write_rows

ExportedRow = dict[str, Any]
_LOOKED_THROUGH: Final = 5_000
_DROPPED_AT_ONCE: Final = 1_000
_SAVE = insert(decisions)


class LoggedCall(NamedTuple):
    """A call in the query log; `decided_at` is in epoch seconds."""

    query_id: str
    decided_at: float
    agent_id: str
    session_id: str
    question: str
    method: str
    policy_version: int
    contributed_seq: int | None


def save(
    connection: Connection, access: Access, query_seq: int, decision: Decision, *, now: float
) -> None:
    """Keep what a call decided."""
    row = {
        "query_seq": query_seq,
        "knowledge_space_id": access.space,
        "decided_at": now,
        "packed": pack(decision),
    }
    write_rows(connection, _SAVE, [row])


def list_decisions(
    connection: Connection,
    access: Access,
    *,
    owner: str | None,
    query_id: str | None,
    session_id: str | None,
    about: int | None,
    limit: int,
) -> list[tuple[LoggedCall, Decision]]:
    """Return the newest decisions, those of an owner if one is given.

    `about` is a thought that they showed or withheld: of the newest 5,000 that are.
    """
    log = query_log.c
    statement = (
        select(
            log.id,
            decisions.c.decided_at,
            log.agent_id,
            log.session_id,
            log.query_text,
            log.retrieval_method,
            log.policy_version,
            log.contributed_seq,
            decisions.c.packed,
        )
        .join_from(decisions, query_log, log.seq == decisions.c.query_seq)
        .where(decisions.c.knowledge_space_id == access.space)
        .order_by(decisions.c.decided_at.desc(), decisions.c.query_seq.desc())
    )
    if owner is not None:
        statement = statement.where(log.owner == owner)
    if query_id is not None:
        statement = statement.where(log.id == query_id, log.knowledge_space_id == access.space)
    if session_id is not None:
        statement = statement.where(log.session_id == session_id)
    found: list[tuple[LoggedCall, Decision]] = []
    for row in connection.execute(statement.limit(limit if about is None else _LOOKED_THROUGH)):
        decision = unpack(row.packed)
        if decision is None or (about is not None and about not in _list_judged(decision)):
            continue
        found.append((LoggedCall(*row[:-1]), decision))
        if len(found) == limit:
            break
    return found


def _list_judged(decision: Decision) -> list[int]:
    return [each.seq for each in decision.judged]


def list_linked(connection: Connection, seq: int | None, *, by: float) -> list[int]:
    """Return what a thought was linked to as its replacement when its call had been answered."""
    if seq is None:
        return []
    statement = (
        select(replacements.c.replaced_seq)
        .where(replacements.c.thought_seq == seq, replacements.c.made_at <= by)
        .order_by(replacements.c.replaced_seq)
    )
    return list(dict.fromkeys(connection.execute(statement).scalars()))


def find_first(connection: Connection, access: Access) -> float | None:
    """Return when the oldest decision of the space was made."""
    statement = select(func.min(decisions.c.decided_at)).where(
        decisions.c.knowledge_space_id == access.space
    )
    return connection.execute(statement).scalar()


def list_spaces(connection: Connection) -> list[str]:
    """Return the spaces that have decisions."""
    return list(connection.execute(select(decisions.c.knowledge_space_id).distinct()).scalars())


def find_cut(connection: Connection, space: str, *, before: float, most: int) -> float | None:
    """Return the moment up to which decisions are due to be dropped; None where none are.

    They are where they are older than another moment, or where more are newer than are stored.
    """
    c = decisions.c
    times = select(c.decided_at).where(c.knowledge_space_id == space)
    newest = times.order_by(c.decided_at.desc())
    beyond = connection.execute(newest.limit(1).offset(most)).scalar()
    oldest = connection.execute(times.with_only_columns(func.min(c.decided_at))).scalar()
    if beyond is None and (oldest is None or oldest >= before):
        return None
    return before if beyond is None else max(before, beyond)


def drop_old(connection: Connection, space: str, *, until: float) -> int:
    """Drop some of what was decided until a moment; return how many."""
    c = decisions.c
    due = (
        select(c.query_seq)
        .where(c.knowledge_space_id == space, c.decided_at <= until)
        .order_by(c.decided_at)
        .limit(_DROPPED_AT_ONCE)
    )
    return connection.execute(delete(decisions).where(c.query_seq.in_(due))).rowcount


def export_decisions(connection: Connection, query_seqs: Sequence[int]) -> dict[int, ExportedRow]:
    """Return decisions by their calls as exports write them, without thoughts that are erased."""
    found = select_in(connection, select(decisions), decisions.c.query_seq, query_seqs)
    read = [(row, unpack(row.packed)) for row in found]
    seqs = {seq for _, decision in read if decision is not None for seq in decision.seqs}
    statement = select(thoughts.c.seq, thoughts.c.id).where(thoughts.c.erased_at.is_(None))
    ids = {row.seq: row.id for row in select_in(connection, statement, thoughts.c.seq, seqs)}
    return {
        row.query_seq: _to_exported(row.decided_at, decision, ids)
        for row, decision in read
        if decision is not None
    }


def _to_exported(at: float, decision: Decision, ids: Mapping[int, str]) -> ExportedRow:
    return {
        "at": at,
        "ranked": decision.ranked,
        "answered": decision.answered.code,
        "reason": decision.reason,
        "outcome": decision.outcome.code,
        "propensity": decision.propensity,
        "thoughts": [_list_exported(each, ids) for each in decision.judged if each.seq in ids],
    }


def _list_exported(judged: Judged, ids: Mapping[int, str]) -> list[str | float | None]:
    by = judged.by and ids.get(judged.by)
    exported = [ids[judged.seq], judged.fate.code, judged.cosine, judged.score, by]
    if judged.team is None:
        return exported
    return [*exported, judged.team.code, judged.is_first]


def list_named(exported: ExportedRow | None) -> list[str]:
    """Return the ids of the thoughts that an exported decision names."""
    named = exported["thoughts"] if exported else ()
    return [named_id for each in named for named_id in (each[0], each[4]) if named_id]


def insert_exported(
    connection: Connection,
    access: Access,
    exported: Mapping[int, ExportedRow],
    seqs: Mapping[str, int],
) -> None:
    """Keep exported decisions by their calls, as far as their thoughts are here: `seqs` by id."""
    rows = [
        {
            "query_seq": query_seq,
            "knowledge_space_id": access.space,
            "decided_at": row["at"],
            "packed": pack(_from_exported(row, seqs)),
        }
        for query_seq, row in exported.items()
    ]
    write_rows(connection, _SAVE, rows)


def _from_exported(row: ExportedRow, seqs: Mapping[str, int]) -> Decision:
    judged = [
        Judged(
            seqs[each[0]],
            Fate.of(each[1]),
            each[2],
            each[3],
            each[4] and seqs.get(each[4]),
            Team[each[5].upper()] if each[5:] else None,
            is_first=any(each[6:]),
        )
        for each in row["thoughts"]
        if each[0] in seqs
    ]
    return Decision(
        ranked=row["ranked"],
        judged=tuple({each.seq: each for each in judged}.values()),
        reason=row["reason"],
        outcome=Outcome.of(row["outcome"]),
        answered=Answered.of(row["answered"]),
        propensity=row["propensity"],
    )
