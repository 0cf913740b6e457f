"""Finds what is tied to a thought, each kind apart from the others and with its evidence.

Only what lies near is known from the words. All else is what agents did: what they used in one
session, built, replaced and said again. It leaves no trail.

Source: `docs/how-to/see-what-belongs-together.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.curation import Curator
from wellworn.domain.thoughts.folding import are_alike
from wellworn.domain.thoughts.models import FoundThought, RetrievalMethod, SearchQuery
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.store import co_use, rows
from wellworn.domain.thoughts.store import neighbours as store
from wellworn.domain.thoughts.store.neighbours import Affirmations
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.engines.embedding import Embedder
from wellworn.engines.retrieval.co_use import CoUse, score_co_uses, weigh_chance
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import EmbeddingFailed, ThoughtNotFound
from wellworn.kit.clock import Clock, format_day
from wellworn.kit.folding import fold_forms

_DIGITS: Final = 4


class NeighbourKind(StrEnum):
    """The kind of a tie between two thoughts."""

    CO_USE = "co_use"
    """Used in one session, through different questions of which none had shown both."""
    PROVENANCE = "provenance"
    REPLACEMENT = "replacement"
    AFFIRMATION = "affirmation"
    """It says the same in the same words."""
    CO_RETRIEVAL = "co_retrieval"
    """Shown in one list, which tells little but that their words are near."""
    NEARNESS = "nearness"


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of a thought to another one.

    Attributes:
        seq: of the other one.
        evidence: how it is known, in words.
        relation: which end of the tie the other one is; None where both are the same.
        count: sessions in which both were used, or calls that showed both.
        agents: how many different users those were of.
        score: of co-use how much it weighs, of a replacement how sure it is, 0 to 1, of nearness
            the cosine.
        first_at, last_at: from when to when, in epoch seconds.
    """

    seq: int
    evidence: str
    relation: str | None = None
    count: int | None = None
    agents: int | None = None
    score: float | None = None
    first_at: float | None = None
    last_at: float | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A thought that is tied to another."""

    thought: FoundThought
    kind: NeighbourKind
    tie: Tie


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The thoughts that are tied to one.

    Attributes:
        counts: how many neighbours there are of each kind that was asked for, those beyond the
            limit among them; None for what cannot be told now.
        affirmed_by: who said it again, and how many found it useful.
    """

    thought_id: str
    neighbours: tuple[Neighbour, ...]
    counts: Mapping[NeighbourKind, int | None]
    affirmed_by: tuple[Affirmations, ...]


class NeighbourFinder:
    """Reads the neighbours of thoughts; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        searcher: ThoughtSearcher,
        curator: Curator,
        embedder: Embedder,
        clock: Clock,
    ) -> None:
        self._database = database
        self._searcher = searcher
        self._curator = curator
        self._embedder = embedder
        self._clock = clock

    def list_neighbours(
        self,
        access: Access,
        thought_id: str,
        *,
        kinds: Iterable[NeighbourKind] = tuple(NeighbourKind),
        limit: int = 10,
    ) -> Neighbours:
        """Return what is tied to a thought, of each kind the strongest.

        While the encoder fails, what is near and what says the same cannot be told.

        Raises:
            ThoughtNotFound: the space has no such thought, or it is held or erased.
        """
        wanted = dict.fromkeys(kinds)
        read: dict[NeighbourKind, Callable[[Transaction, Access, int], list[Tie]]] = {
            NeighbourKind.CO_USE: self._list_co_uses,
            NeighbourKind.PROVENANCE: _list_steps,
            NeighbourKind.REPLACEMENT: self._list_replacements,
            NeighbourKind.CO_RETRIEVAL: _list_shown_with,
        }
        ties: dict[NeighbourKind, list[Tie] | None] = dict.fromkeys(wanted, None)
        with self._database.read() as transaction:
            seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id, 0)
            if seq not in rows.load_summaries(transaction, access, [seq]):
                raise ThoughtNotFound("no thought has this thought_id, or it is held or erased")
            content = rows.load_contents(transaction, [seq])[seq]
            for kind in wanted.keys() & read.keys():
                found = read[kind](transaction, access, seq)
                shown = rows.load_summaries(transaction, access, [tie.seq for tie in found])
                ties[kind] = [tie for tie in found if tie.seq in shown]
            affirmed = store.list_affirmations(transaction, access, seq)
        by_words = {NeighbourKind.AFFIRMATION, NeighbourKind.NEARNESS}
        near = self._find_near(access, seq, content) if wanted.keys() & by_words else None
        if near is not None:
            alike = self._select_alike(access, seq, near)
            same = [Tie(tie.seq, "says the same in the same words") for tie in alike]
            found_by_words = {
                NeighbourKind.AFFIRMATION: same,
                NeighbourKind.NEARNESS: [tie for tie in near if tie not in alike],
            }
            ties |= {kind: found_by_words[kind] for kind in wanted.keys() & by_words}
        listed = [(kind, tie) for kind in wanted for tie in (ties[kind] or ())[:limit]]
        seqs = sorted({tie.seq for _, tie in listed})
        known = {each.seq: each for each in self._curator.load(access, seqs)}
        return Neighbours(
            thought_id,
            tuple(Neighbour(known[tie.seq], kind, tie) for kind, tie in listed if tie.seq in known),
            {kind: None if found is None else len(found) for kind, found in ties.items()},
            tuple(affirmed),
        )

    def _list_co_uses(self, transaction: Transaction, access: Access, seq: int) -> list[Tie]:
        """Return what was used in the sessions that used a thought, what weighs most first.

        A tie weighs what it counts, own sessions in full and those of others by how many they are,
        times how much more often the two were used together than chance would have it.
        """
        events: defaultdict[int, list[CoUse]] = defaultdict(list)
        sessions: defaultdict[int, set[str]] = defaultdict(set)
        for event, session in co_use.find_with_sessions(transaction, access, seq):
            events[event.other].append(event)
            sessions[event.other].add(session)
        if not events:
            return []
        every = [event for of_one in events.values() for event in of_one]
        strength = score_co_uses(every, owner=access.owner, now=self._clock.now())
        number = store.count_sessions(transaction, access)
        using = store.count_sessions_using(transaction, access, {seq, *events})
        ties: list[Tie] = []
        for other, of_one in events.items():
            together, each = len(sessions[other]), (using[seq], using[other])
            weight = strength.get(other, 0.0) * weigh_chance(together, each, number)
            agents = len({event.user for event in of_one})
            first, last = (moment(event.at for event in of_one) for moment in (min, max))
            evidence = (
                f"used together in {_count(together, 'session')} of {_count(agents, 'agent')}, "
                f"last on {format_day(last)}; of {number} sessions {each[0]} used the one and "
                f"{each[1]} the other"
            )
            ties.append(
                Tie(other, evidence, None, together, agents, round(weight, _DIGITS), first, last)
            )
        return sorted(ties, key=lambda tie: (-(tie.score or 0.0), -(tie.count or 0), tie.seq))

    def _list_replacements(self, transaction: Transaction, _: Access, seq: int) -> list[Tie]:
        standing = load_standings(transaction, [seq], at=self._clock.now()).find(seq)
        return [
            Tie(
                link.older if link.newer == seq else link.newer,
                f"{link.origin} on {format_day(link.since)}: {link.reason}"
                + (", which is contested" if link.is_contested else ""),
                "replaces" if link.newer == seq else "replaced_by",
                score=round(link.confidence, 2),
                first_at=link.since,
                last_at=link.since,
            )
            for link in standing.links
            if link.is_told
        ]

    def _find_near(self, access: Access, seq: int, content: str) -> list[Tie] | None:
        """Return what is near in meaning, the nearest first; None while the encoder fails."""
        try:
            vector = self._embedder.encode_query(fold_forms(content)).vector
        except EmbeddingFailed:
            return None
        search = SearchQuery(vector, "", "", method=RetrievalMethod.VECTOR)
        found = [hit for hit in self._searcher.rank(access, search) if hit.summary.seq != seq]
        found.sort(key=lambda hit: (-hit.ranked.cosine, hit.summary.seq))
        return [
            Tie(
                hit.summary.seq,
                f"its words are near: cosine {hit.ranked.cosine:.2f}",
                score=round(hit.ranked.cosine, _DIGITS),
            )
            for hit in found
        ]

    def _select_alike(self, access: Access, seq: int, near: Sequence[Tie]) -> list[Tie]:
        loaded = self._curator.load(access, [seq, *(tie.seq for tie in near)])
        known = {each.seq: each for each in loaded}
        itself = known.get(seq)
        if itself is None:
            return []
        return [tie for tie in near if tie.seq in known and are_alike(itself, known[tie.seq])]


def _list_steps(transaction: Transaction, access: Access, seq: int) -> list[Tie]:
    ends = {True: ("came_from", "this was built on it"), False: ("built_into", "built on this")}
    ties: list[Tie] = []
    for step in store.list_steps(transaction, access, seq):
        relation, what = ends[step.is_source]
        evidence = f"{what} on {format_day(step.built_at)}, as a {step.thought_type}"
        at = step.built_at
        ties.append(Tie(step.seq, evidence, relation, first_at=at, last_at=at))
    return ties


def _list_shown_with(transaction: Transaction, access: Access, seq: int) -> list[Tie]:
    return [
        Tie(
            shared.seq,
            f"shown together {_count(shared.count, 'time')} to {_count(shared.agents, 'agent')}, "
            f"last on {format_day(shared.last_at)}",
            count=shared.count,
            agents=shared.agents,
            first_at=shared.first_at,
            last_at=shared.last_at,
        )
        for shared in store.list_shown_with(transaction, access, seq)
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
