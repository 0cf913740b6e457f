"""Imports ledger rows: per kind, rows that are known already are skipped, the rest is inserted.

Accesses and counts are derived from the imported queries, so they cannot contradict them.
Rows of a thought that is missing here are skipped: its words were stored earlier under another id.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, bindparam, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.pheromone import Pheromone, order_key
from wellworn.domain.thoughts.store import decisions
from wellworn.domain.thoughts.store.exports import TRAIL_COLUMNS, AnySelect, LedgerRow
from wellworn.domain.thoughts.store.rows import find_seqs
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    erasures,
    feedback,
    query_log,
    replacements,
    sessions,
    thought_ends,
    thoughts,
    trail_agents,
    trails,
    uses,
)
from wellworn.domain.thoughts.truth import ReplacementOrigin
from wellworn.engines.storage.sql import add_up, insert_new, select_in
from wellworn.kit.clock import from_iso


class LedgerImport:
    """Imports the ledger of one space within the caller's transaction."""

    def __init__(self, transaction: Connection, access: Access) -> None:
        self._connection = transaction
        self._access = access

    def find_seqs(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the seq of each id that names a thought of the space, erased ones included."""
        return find_seqs(self._connection, self._access, ids)

    def insert_new(self, kind: str, rows: Sequence[LedgerRow]) -> int:
        """Insert the new rows of a kind; return how many were new."""
        importers: dict[str, Callable[[Sequence[LedgerRow]], int]] = {
            "affirmation": self._insert_affirmations,
            "session": self._insert_sessions,
            "trail": self._update_trails,
            "trail_agent": self._insert_trail_agents,
            "query": self._insert_queries,
            "use": self._insert_uses,
            "feedback": self._insert_feedback,
            "erasure": self._insert_erasures,
            "replacement": self._insert_replacements,
            "end": self._insert_ends,
        }
        return importers[kind](rows) if rows else 0

    def _insert_affirmations(self, rows: Sequence[LedgerRow]) -> int:
        names = ("contributor_id", "contributor_name", "affirmed_at", "owner")
        resolved = self._resolve_ids(rows)
        counts = Counter(self._read_keys(affirmations, ("thought_seq", *names), resolved))
        new: list[LedgerRow] = []
        for row in resolved:
            key = _get_key(row, ("thought_seq", *names))
            if row["repeat"] >= counts[key]:
                counts[key] += 1
                new.append(_pick(row, ("thought_seq", *names)))
        return self._insert(affirmations, new)

    def _insert_sessions(self, rows: Sequence[LedgerRow]) -> int:
        of_space = select(sessions.c.id).where(sessions.c.knowledge_space_id == self._access.space)
        known = {row.id for row in self._read_matching(of_space, sessions.c.id, rows, "id")}
        new = {row["id"]: row for row in reversed(rows) if row["id"] not in known}
        space = {"knowledge_space_id": self._access.space}
        return self._insert(sessions, [{**row, **space} for row in reversed(new.values())])

    def _update_trails(self, rows: Sequence[LedgerRow]) -> int:
        imported = {row["thought_seq"]: row for row in self._resolve_ids(rows)}
        updates = [
            _to_trail_update(imported[trail.thought_seq])
            for trail in select_in(
                self._connection, select(trails), trails.c.thought_seq, imported.keys()
            )
            # A trail in use keeps the weight it has here.
            if trail.last_accessed is None
            and not (trail.uses or trail.use_score)
            and any(
                getattr(trail, name) != imported[trail.thought_seq][name] for name in TRAIL_COLUMNS
            )
        ]
        if updates:
            self._connection.execute(_UPDATE_TRAIL, updates)
        return len(updates)

    def _insert_trail_agents(self, rows: Sequence[LedgerRow]) -> int:
        names = ("thought_seq", "agent_id")
        new = self._select_new(trail_agents, names, self._resolve_ids(rows))
        zero = {"accesses": 0, "uses": 0}
        insert_new(self._connection, trail_agents, [{**row, **zero} for row in new])
        return len(new)

    def _insert_queries(self, rows: Sequence[LedgerRow]) -> int:
        known = self._find_query_seqs([row["id"] for row in rows])
        new = {row["id"]: row for row in reversed(rows) if row["id"] not in known}
        if not new:
            return 0
        ordered = list(reversed(new.values()))
        seqs = self.find_seqs(
            {
                id_
                for row in ordered
                for id_ in (
                    *row["returned_ids"],
                    row["contributed_id"],
                    *decisions.list_named(row["decision"]),
                )
                if id_
            }
        )
        shown = {row["id"]: _map_shown(row, seqs) for row in ordered}
        space = self._access.space
        self._connection.execute(
            insert(query_log),
            [_to_query_row(row, shown[row["id"]], seqs, space) for row in ordered],
        )
        query_seqs = self._find_query_seqs(list(new))
        decided = {query_seqs[row["id"]]: row["decision"] for row in ordered if row["decision"]}
        decisions.insert_exported(self._connection, self._access, decided, seqs)
        self._insert(
            accesses,
            [
                {
                    "query_seq": query_seqs[row["id"]],
                    "thought_seq": seq,
                    "rank": rank,
                    "deposited": deposits.get(thought_id),
                }
                for row in ordered
                for deposits in [_map_deposits(row)]
                for rank, (thought_id, seq) in enumerate(shown[row["id"]].items())
            ],
        )
        self._count(ordered, shown)
        return len(ordered)

    def _count(self, rows: Sequence[LedgerRow], shown: Mapping[str, Mapping[str, int]]) -> None:
        """Update counts by what the new queries returned."""
        first_accessed: dict[tuple[int, str], float] = {}
        access_counts: Counter[tuple[int, str]] = Counter()
        deposited: dict[tuple[int, str], list[float]] = defaultdict(list)
        for row in rows:
            results, deposits = shown[row["id"]], _map_deposits(row)
            user = row["owner"] or row["agent_id"]
            for thought_id, seq in results.items():
                access_counts[seq, user] += 1
                first_accessed.setdefault((seq, user), from_iso(row["timestamp"]))
                if deposits.get(thought_id):
                    deposited[seq, user].append(deposits[thought_id])
        known_users = self._find_users({seq for seq, _ in access_counts})
        newcomers = Counter(seq for seq, user in access_counts if (seq, user) not in known_users)
        totals = Counter(dict.fromkeys((seq for seq, _ in access_counts), 0))
        for (seq, _), times in access_counts.items():
            totals[seq] += times
        agents = [
            {
                "thought_seq": seq,
                "agent_id": user,
                "accesses": times,
                "uses": 0,
                "first_accessed": first_accessed[seq, user],
                "deposits": len(deposited[seq, user]),
                "deposited": sum(deposited[seq, user]),
            }
            for (seq, user), times in access_counts.items()
        ]
        add_up(
            self._connection,
            trail_agents,
            agents,
            "accesses",
            "deposits",
            "deposited",
            earliest=("first_accessed",),
        )
        if totals:
            self._connection.execute(
                _ADD_COUNTS,
                [{"seq": seq, "more": n, "users": newcomers[seq]} for seq, n in totals.items()],
            )

    def _find_users(self, seqs: Iterable[int]) -> set[tuple[int, str]]:
        statement = select(trail_agents.c.thought_seq, trail_agents.c.agent_id).where(
            trail_agents.c.accesses > 0
        )
        rows = select_in(self._connection, statement, trail_agents.c.thought_seq, seqs)
        return {(row.thought_seq, row.agent_id) for row in rows}

    def _insert_uses(self, rows: Sequence[LedgerRow]) -> int:
        new = self._select_new(
            uses, ("thought_seq", "agent_id", "used_at"), self._resolve_ids(rows)
        )
        queries = self._find_query_seqs([row["query_id"] for row in new if row["query_id"]])
        names = ("thought_seq", "agent_id", "kind", "session_id", "used_at")
        self._insert(
            uses, [{**_pick(row, names), "query_seq": queries.get(row["query_id"])} for row in new]
        )
        counts = [
            {**_pick(row, names[:2]), "accesses": 0, "uses": 1, "first_accessed": None}
            for row in new
        ]
        add_up(self._connection, trail_agents, counts, "uses")
        return len(new)

    def _insert_feedback(self, rows: Sequence[LedgerRow]) -> int:
        new = self._select_new(feedback, ("thought_seq", "session_id"), self._resolve_ids(rows))
        statement = select(uses.c.seq, uses.c.thought_seq, uses.c.agent_id, uses.c.used_at)
        use_seqs = {
            (row.thought_seq, row.agent_id, row.used_at): row.seq
            for row in self._read_matching(statement, uses.c.thought_seq, new, "thought_seq")
        }
        names = ("thought_seq", "session_id", "signal", "effect", "given_at", "by_admin")
        use_key = ("thought_seq", "used_by", "used_at")
        return self._insert(
            feedback,
            [{**_pick(row, names), "use_seq": use_seqs.get(_get_key(row, use_key))} for row in new],
        )

    def _insert_erasures(self, rows: Sequence[LedgerRow]) -> int:
        resolved = self._resolve_ids(rows)
        statement = select(thoughts.c.seq).where(thoughts.c.erased_at.is_not(None))
        erased = {
            row.seq
            for row in self._read_matching(statement, thoughts.c.seq, resolved, "thought_seq")
        }
        new = self._select_new(erasures, ("thought_seq",), resolved)
        return self._insert(erasures, [row for row in new if row["thought_seq"] in erased])

    def _insert_replacements(self, rows: Sequence[LedgerRow]) -> int:
        older = self.find_seqs({row["replaced_id"] for row in rows})
        resolved = [
            {
                **{name: row[name] for name in row if name != "replaced_id"},
                "replaced_seq": older[row["replaced_id"]],
            }
            for row in self._resolve_ids(rows)
            if row["replaced_id"] in older
        ]
        others = [row for row in resolved if row["thought_seq"] != row["replaced_seq"]]
        inferred = [row for row in others if row["origin"] == ReplacementOrigin.INFERRED]
        stated = [row for row in others if row["origin"] != ReplacementOrigin.INFERRED]
        pair = ("thought_seq", "replaced_seq")
        count = self._insert(
            replacements, self._select_new(replacements, (*pair, "made_by"), stated)
        )
        return count + self._insert(replacements, self._select_new(replacements, pair, inferred))

    def _insert_ends(self, rows: Sequence[LedgerRow]) -> int:
        names = ("contributor_id", "expires_at", "given_at", "owner", "by_admin")
        key = ("thought_seq", *names)
        return self._insert(
            thought_ends, self._select_new(thought_ends, key, self._resolve_ids(rows))
        )

    def _resolve_ids(self, rows: Sequence[LedgerRow]) -> list[LedgerRow]:
        """Return the rows whose thought exists, with its seq instead of its id."""
        seqs = self.find_seqs({row["thought_id"] for row in rows})
        return [
            {**{name: row[name] for name in row if name != "thought_id"}, "thought_seq": seq}
            for row in rows
            if (seq := seqs.get(row["thought_id"])) is not None
        ]

    def _read_keys(
        self, table: Table, names: Sequence[str], rows: Sequence[LedgerRow]
    ) -> Iterator[tuple[Any, ...]]:
        statement = select(*(table.c[name] for name in names))
        for row in self._read_matching(statement, table.c[names[0]], rows, names[0]):
            yield tuple(row)

    def _select_new(
        self, table: Table, names: Sequence[str], rows: Sequence[LedgerRow]
    ) -> list[LedgerRow]:
        """Return the rows whose key is neither in the table nor earlier among the rows."""
        seen = set(self._read_keys(table, names, rows))
        new: list[LedgerRow] = []
        for row in rows:
            if (key := _get_key(row, names)) not in seen:
                seen.add(key)
                new.append(row)
        return new

    def _read_matching(
        self, statement: AnySelect, column: Any, rows: Iterable[LedgerRow], name: str
    ) -> Iterator[Row[*tuple[Any, ...]]]:
        return select_in(self._connection, statement, column, {row[name] for row in rows})

    def _find_query_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the seq of each id that names a query of this space, never of another."""
        statement = select(query_log.c.id, query_log.c.seq).where(
            query_log.c.knowledge_space_id == self._access.space
        )
        rows = select_in(self._connection, statement, query_log.c.id, ids)
        return {row.id: row.seq for row in rows}

    def _insert(self, table: Table, rows: Sequence[LedgerRow]) -> int:
        if rows:
            self._connection.execute(insert(table), list(rows))
        return len(rows)


_UPDATE_TRAIL = (
    update(trails)
    .where(trails.c.thought_seq == bindparam("seq"))
    .values({name: bindparam(name) for name in (*TRAIL_COLUMNS, "order_key")})
)
_ADD_COUNTS = (
    update(trails)
    .where(trails.c.thought_seq == bindparam("seq"))
    .values(
        access_count=trails.c.access_count + bindparam("more"),
        unique_users=trails.c.unique_users + bindparam("users"),
        traffic_score=(trails.c.access_count + bindparam("more"))
        * (trails.c.unique_users + bindparam("users")),
    )
)


def _get_key(row: LedgerRow, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _pick(row: LedgerRow, names: Sequence[str]) -> LedgerRow:
    return {name: row[name] for name in names}


def _to_trail_update(row: LedgerRow) -> LedgerRow:
    strength = Pheromone(row["weight"], row["frozen_until_h"])
    return {
        "seq": row["thought_seq"],
        **_pick(row, TRAIL_COLUMNS),
        "order_key": order_key(strength),
    }


def _map_shown(row: LedgerRow, seqs: Mapping[str, int]) -> dict[str, int]:
    return {id_: seqs[id_] for id_ in row["returned_ids"] if id_ in seqs}


def _map_deposits(row: LedgerRow) -> dict[str, float]:
    """Return what an owner's query added to the weight of each thought it returned."""
    return dict(zip(row["returned_ids"], row["deposits"] or (), strict=False))


def _to_query_row(
    row: LedgerRow, shown: Mapping[str, int], seqs: Mapping[str, int], space: str
) -> LedgerRow:
    vector, offered = row["query_vector"], row["offered_tags"]
    names = ("id", "agent_id", "session_id", "query_text", "context_text", "timestamp")
    return {
        **_pick(row, (*names, "retrieval_method", "policy_version")),
        "query_vector": None if vector is None else base64.b64decode(vector),
        "returned_ids": json.dumps(list(shown)),
        "result_count": len(shown),
        "knowledge_space_id": space,
        "offered_tags": None if offered is None else json.dumps(offered),
        "contributed_seq": seqs.get(row["contributed_id"]),
        "owner": row["owner"],
    }
