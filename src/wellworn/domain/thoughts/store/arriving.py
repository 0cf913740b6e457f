"""Ledger rows that arrive: each kind knows what it has already, and stores the rest in order.

Accesses, pairs and counts are not read from outside but follow from the queries, so they cannot
disagree with them. A row of a thought that is not here is passed over: its words are here already,
under the id of whoever said them first.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row, Table, bindparam, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.pheromone import Pheromone, order_key
from wellworn.domain.thoughts.store.leaving import TRAIL, Anything, Fields
from wellworn.domain.thoughts.store.units import seqs_of
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    co_uses,
    erasures,
    feedback,
    pairs,
    query_log,
    sessions,
    thoughts,
    trail_agents,
    trails,
    uses,
)
from wellworn.engines.storage.sql import add_up, insert_new
from wellworn.kit.clock import epoch

_MOST_IN_A_LIST = 10_000


def parts(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield the values in lists that a statement can hold."""
    every = list(values)
    for start in range(0, len(every), _MOST_IN_A_LIST):
        yield every[start : start + _MOST_IN_A_LIST]


class Arriving:
    """What arrives of one space's ledger, within a transaction of the caller."""

    def __init__(self, transaction: Connection, access: Access) -> None:
        self._connection = transaction
        self._access = access

    def seqs(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the seq of each id that names a thought of the space, erased ones included."""
        found: dict[str, int] = {}
        for part in parts(ids):
            found |= seqs_of(self._connection, self._access, part)
        return found

    def take(self, kind: str, rows: Sequence[Fields]) -> int:
        """Store those rows of a kind that are new; return how many were."""
        takers: dict[str, Callable[[Sequence[Fields]], int]] = {
            "affirmation": self._take_affirmations,
            "session": self._take_sessions,
            "trail": self._take_trails,
            "trail_agent": self._take_trail_agents,
            "query": self._take_queries,
            "use": self._take_uses,
            "co_use": self._take_co_uses,
            "feedback": self._take_feedback,
            "erasure": self._take_erasures,
        }
        return takers[kind](rows) if rows else 0

    def _take_affirmations(self, rows: Sequence[Fields]) -> int:
        names = ("contributor_id", "contributor_name", "affirmed_at", "owner")
        placed = self._placed(rows)
        alike = Counter(self._known(affirmations, ("thought_seq", *names), placed))
        new: list[Fields] = []
        for row in placed:
            key = _key(row, ("thought_seq", *names))
            if row["repeat"] >= alike[key]:
                alike[key] += 1
                new.append(_only(row, ("thought_seq", *names)))
        return self._insert(affirmations, new)

    def _take_sessions(self, rows: Sequence[Fields]) -> int:
        ours = select(sessions.c.id).where(sessions.c.knowledge_space_id == self._access.space)
        taken = {row.id for row in self._among(ours, sessions.c.id, rows, "id")}
        new = {row["id"]: row for row in reversed(rows) if row["id"] not in taken}
        space = {"knowledge_space_id": self._access.space}
        return self._insert(sessions, [{**row, **space} for row in reversed(new.values())])

    def _take_trails(self, rows: Sequence[Fields]) -> int:
        placed = {row["thought_seq"]: row for row in self._placed(rows)}
        statement = select(trails)
        found = self._among(statement, trails.c.thought_seq, placed.values(), "thought_seq")
        new = [
            _worn(placed[here.thought_seq])
            for here in found
            # What has been worn here keeps the weight it has here.
            if here.last_accessed is None
            and not (here.uses or here.use_score)
            and any(getattr(here, name) != placed[here.thought_seq][name] for name in TRAIL)
        ]
        if new:
            self._connection.execute(_WEAR, new)
        return len(new)

    def _take_trail_agents(self, rows: Sequence[Fields]) -> int:
        names = ("thought_seq", "agent_id")
        new = self._unknown(trail_agents, names, self._placed(rows))
        zero = {"accesses": 0, "uses": 0}
        insert_new(self._connection, trail_agents, [{**row, **zero} for row in new])
        return len(new)

    def _take_queries(self, rows: Sequence[Fields]) -> int:
        known = self._query_seqs([row["id"] for row in rows])
        new = {row["id"]: row for row in reversed(rows) if row["id"] not in known}
        if not new:
            return 0
        ordered = list(reversed(new.values()))
        seqs = self.seqs(
            {one for row in ordered for one in (*row["returned_ids"], row["contributed_id"]) if one}
        )
        shown = {row["id"]: _shown(row, seqs) for row in ordered}
        space = self._access.space
        self._connection.execute(
            insert(query_log), [_query_row(row, shown[row["id"]], seqs, space) for row in ordered]
        )
        query_seqs = self._query_seqs(list(new))
        self._insert(
            accesses,
            [
                {
                    "query_seq": query_seqs[row["id"]],
                    "thought_seq": seq,
                    "rank": rank,
                    "deposited": amounts.get(one),
                }
                for row in ordered
                for amounts in [_amounts(row)]
                for rank, (one, seq) in enumerate(shown[row["id"]].items())
            ],
        )
        self._count(ordered, shown)
        return len(ordered)

    def _count(self, rows: Sequence[Fields], shown: Mapping[str, Mapping[str, int]]) -> None:
        """Add to counts and pairs what new queries showed."""
        first_seen: dict[tuple[int, str], float] = {}
        visits: Counter[tuple[int, str]] = Counter()
        added: dict[tuple[int, str], list[float]] = defaultdict(list)
        together: Counter[tuple[int, int]] = Counter()
        for row in rows:
            found, amounts = shown[row["id"]], _amounts(row)
            counted = row["owner"] or row["agent_id"]
            for one, seq in found.items():
                visits[seq, counted] += 1
                first_seen.setdefault((seq, counted), epoch(row["timestamp"]))
                if amounts.get(one):
                    added[seq, counted].append(amounts[one])
            together.update(combinations(sorted(found.values()), 2))
        visited = self._visited({seq for seq, _ in visits})
        newcomers = Counter(seq for seq, agent in visits if (seq, agent) not in visited)
        counts = Counter(dict.fromkeys((seq for seq, _ in visits), 0))
        for (seq, _), times in visits.items():
            counts[seq] += times
        agents = [
            {
                "thought_seq": seq,
                "agent_id": agent,
                "accesses": times,
                "uses": 0,
                "first_accessed": first_seen[seq, agent],
                "deposits": len(added[seq, agent]),
                "deposited": sum(added[seq, agent]),
            }
            for (seq, agent), times in visits.items()
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
        counted = [{"seq": seq, "more": n, "users": newcomers[seq]} for seq, n in counts.items()]
        if counted:
            self._connection.execute(_COUNT, counted)
        paired = [
            {"low_seq": low, "high_seq": high, "together": times}
            for (low, high), times in together.items()
        ]
        add_up(self._connection, pairs, paired, "together")

    def _visited(self, seqs: Iterable[int]) -> set[tuple[int, str]]:
        statement = select(trail_agents.c.thought_seq, trail_agents.c.agent_id).where(
            trail_agents.c.accesses > 0
        )
        rows = [{"thought_seq": seq} for seq in seqs]
        found = self._among(statement, trail_agents.c.thought_seq, rows, "thought_seq")
        return {(row.thought_seq, row.agent_id) for row in found}

    def _take_uses(self, rows: Sequence[Fields]) -> int:
        new = self._unknown(uses, ("thought_seq", "agent_id", "used_at"), self._placed(rows))
        queries = self._query_seqs([row["query_id"] for row in new if row["query_id"]])
        names = ("thought_seq", "agent_id", "kind", "session_id", "used_at")
        self._insert(
            uses, [{**_only(row, names), "query_seq": queries.get(row["query_id"])} for row in new]
        )
        counted = [
            {**_only(row, names[:2]), "accesses": 0, "uses": 1, "first_accessed": None}
            for row in new
        ]
        add_up(self._connection, trail_agents, counted, "uses")
        return len(new)

    def _take_co_uses(self, rows: Sequence[Fields]) -> int:
        seqs = self.seqs({one for row in rows for one in (row["thought_id"], row["other_id"])})
        placed: list[Fields] = []
        for row in rows:
            both = {seqs.get(row["thought_id"]), seqs.get(row["other_id"])} - {None}
            if len(both) == 2:  # noqa: PLR2004 - a pair
                low, high = sorted(seq for seq in both if seq is not None)
                placed.append({"low_seq": low, "high_seq": high, "together": row["together"]})
        return self._insert(co_uses, self._unknown(co_uses, ("low_seq", "high_seq"), placed))

    def _take_feedback(self, rows: Sequence[Fields]) -> int:
        new = self._unknown(feedback, ("thought_seq", "session_id"), self._placed(rows))
        statement = select(uses.c.seq, uses.c.thought_seq, uses.c.agent_id, uses.c.used_at)
        used = {
            (row.thought_seq, row.agent_id, row.used_at): row.seq
            for row in self._among(statement, uses.c.thought_seq, new, "thought_seq")
        }
        names = ("thought_seq", "session_id", "signal", "effect", "given_at")
        use_key = ("thought_seq", "used_by", "used_at")
        return self._insert(
            feedback,
            [{**_only(row, names), "use_seq": used.get(_key(row, use_key))} for row in new],
        )

    def _take_erasures(self, rows: Sequence[Fields]) -> int:
        placed = self._placed(rows)
        statement = select(thoughts.c.seq).where(thoughts.c.erased_at.is_not(None))
        gone = {row.seq for row in self._among(statement, thoughts.c.seq, placed, "thought_seq")}
        new = self._unknown(erasures, ("thought_seq",), placed)
        return self._insert(erasures, [row for row in new if row["thought_seq"] in gone])

    def _placed(self, rows: Sequence[Fields]) -> list[Fields]:
        """Return the rows of thoughts that are here, with their seq in place of the id."""
        seqs = self.seqs({row["thought_id"] for row in rows})
        return [
            {**{name: row[name] for name in row if name != "thought_id"}, "thought_seq": seq}
            for row in rows
            if (seq := seqs.get(row["thought_id"])) is not None
        ]

    def _known(
        self, table: Table, names: Sequence[str], rows: Sequence[Fields]
    ) -> Iterator[tuple[Any, ...]]:
        statement = select(*(table.c[name] for name in names))
        for found in self._among(statement, table.c[names[0]], rows, names[0]):
            yield tuple(found)

    def _unknown(self, table: Table, names: Sequence[str], rows: Sequence[Fields]) -> list[Fields]:
        """Return the rows whose key is neither in the table nor earlier among the rows."""
        seen = set(self._known(table, names, rows))
        new: list[Fields] = []
        for row in rows:
            if (key := _key(row, names)) not in seen:
                seen.add(key)
                new.append(row)
        return new

    def _among(
        self, statement: Anything, column: Any, rows: Iterable[Fields], name: str
    ) -> Iterator[Row[*tuple[Any, ...]]]:
        for part in parts({row[name] for row in rows}):
            yield from self._connection.execute(statement.where(column.in_(part)))

    def _query_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the seq of each id that names a query of the space: no row may hang on another."""
        statement = select(query_log.c.id, query_log.c.seq).where(
            query_log.c.knowledge_space_id == self._access.space
        )
        found = self._among(statement, query_log.c.id, [{"id": one} for one in ids], "id")
        return {row.id: row.seq for row in found}

    def _insert(self, table: Table, rows: Sequence[Fields]) -> int:
        if rows:
            self._connection.execute(insert(table), list(rows))
        return len(rows)


_WEAR = (
    update(trails)
    .where(trails.c.thought_seq == bindparam("seq"))
    .values({name: bindparam(name) for name in (*TRAIL, "order_key")})
)
_COUNT = (
    update(trails)
    .where(trails.c.thought_seq == bindparam("seq"))
    .values(
        access_count=trails.c.access_count + bindparam("more"),
        unique_users=trails.c.unique_users + bindparam("users"),
        traffic_score=(trails.c.access_count + bindparam("more"))
        * (trails.c.unique_users + bindparam("users")),
    )
)


def _key(row: Fields, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _only(row: Fields, names: Sequence[str]) -> Fields:
    return {name: row[name] for name in names}


def _worn(row: Fields) -> Fields:
    strength = Pheromone(row["weight"], row["frozen_until_h"])
    return {"seq": row["thought_seq"], **_only(row, TRAIL), "order_key": order_key(strength)}


def _shown(row: Fields, seqs: Mapping[str, int]) -> dict[str, int]:
    return {one: seqs[one] for one in row["returned_ids"] if one in seqs}


def _amounts(row: Fields) -> dict[str, float]:
    """Return what a query of an owner's added to the weight of each id it returned."""
    return dict(zip(row["returned_ids"], row["deposits"] or (), strict=False))


def _query_row(
    row: Fields, shown: Mapping[str, int], seqs: Mapping[str, int], space: str
) -> Fields:
    vector, offered = row["query_vector"], row["offered_tags"]
    names = ("id", "agent_id", "session_id", "query_text", "context_text", "timestamp")
    return {
        **_only(row, (*names, "retrieval_method", "policy_version")),
        "query_vector": None if vector is None else base64.b64decode(vector),
        "returned_ids": json.dumps(list(shown)),
        "result_count": len(shown),
        "knowledge_space_id": space,
        "offered_tags": None if offered is None else json.dumps(offered),
        "contributed_seq": seqs.get(row["contributed_id"]),
        "owner": row["owner"],
    }
