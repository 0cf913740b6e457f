"""Finding passages of documents, leaving no trace: candidates, ranking, exact identifiers first.

The ranking is the one that finds thoughts. Before it come the chunks that hold an identifier of the
question to the letter: who asks for `100.70.237.79` wants that and nothing like it.

Source: knowledge design, decision 2; `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wellworn.embedding import Encoded
from wellworn.retrieval import (
    Match,
    Ranked,
    best_passages,
    foremost,
    query_name_terms,
    query_terms,
    question,
    ranked,
)
from wellworn.sources.identifiers import asked, key_of
from wellworn.sources.index import source_label
from wellworn.sources.models import Snippet
from wellworn.sources.store import candidates, chunks
from wellworn.spaces import Access
from wellworn.storage.sql import Database, Transaction
from wellworn.storage.vectors import Candidate, VectorIndex, Where, point_id, unit_of

_CANDIDATES = 75
_SPARE = 4
"""Times as many passages as wanted that are put in order: some may have gone meanwhile."""
_SEEDS = 12
"""Candidates whose neighbours are looked at."""
_MOST_EXACT = 50
"""Chunks that an identifier may be in and still be what is meant by it, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question to documents; `sources` are the only ones to be searched, None for all."""

    text: str
    encoded: Encoded
    limit: int = 10
    sources: tuple[int, ...] | None = None


class Searcher:
    """Searches one index and the database it was made from."""

    def __init__(self, database: Database, index: VectorIndex, *, made_by: int) -> None:
        self._database = database
        self._index = index
        self._made_by = made_by

    def found(self, access: Access, query: Query) -> list[Snippet]:
        """Return the best passages that the caller may see, best first.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            reached = candidates.within_reach(transaction, access)
        wanted = _both(query.sources, reached)
        if wanted is not None and not wanted:
            return []
        where = Where(access.space, any_tags=_labels(wanted))
        terms, names = query_terms(query.text), query_name_terms(query.text)

        def near(within: Where, limit: int) -> list[Candidate]:
            found = self._index.candidates(
                query.encoded.vector, terms, within, limit=limit, names=names
            )
            return [one.steady() for one in found]

        matches = best_passages(near(where, _CANDIDATES), unit_of)
        with self._database.read() as transaction:
            beside = chunks.beside(transaction, foremost(matches, _SEEDS))
            keys = {key_of(one) for one in asked(query.text)}
            exact = candidates.with_identifiers(
                transaction,
                access,
                keys,
                most=_MOST_EXACT,
                among={*beside, *(one.id for one in matches)},
            )
        known: dict[int, Match | None] = {one.id: one for one in matches}
        more = [seq for seq in dict.fromkeys([*exact, *beside]) if seq not in known]
        if more:
            within = replace(where, among=frozenset(point_id(seq, 0) for seq in more))
            others = best_passages(near(within, len(more)), unit_of)
            known |= dict.fromkeys(more) | {one.id: one for one in others}
        rarity = self._index.rarity({*terms, *names}, access.space)
        asks = question(query.text, query.encoded.pieces, query.encoded.spans, rarity)
        with self._database.read() as transaction:
            units = candidates.units(transaction, access, known, maker=self._made_by)
            units.sort(key=lambda unit: unit.id)
            order = ranked(asks, units, most=_SPARE * query.limit, also=exact)
            order.sort(key=lambda one: -exact.get(one.id, 0))
            shown = list(_shown(transaction, access, order, query.limit))
            texts = candidates.texts(transaction, access, [row.seq for _, row in shown])
        return [_snippet(row, one, texts[row.seq], exact) for one, row in shown]


def _shown(
    transaction: Transaction, access: Access, order: Sequence[Ranked], limit: int
) -> Iterator[tuple[Ranked, chunks.Row]]:
    """Yield the first that the caller may see; few are looked up beyond these."""
    left = limit
    for start in range(0, len(order), limit):
        part = order[start : start + limit]
        rows = chunks.rows(transaction, access, [one.id for one in part])
        seen = [(one, rows[one.id]) for one in part if one.id in rows][:left]
        yield from seen
        left -= len(seen)
        if left == 0:
            return


def _both(wanted: Iterable[int] | None, reached: frozenset[int] | None) -> frozenset[int] | None:
    """Return the sources that are wanted and in reach; None stands for all."""
    if wanted is None or reached is None:
        return reached if wanted is None else frozenset(wanted)
    return reached.intersection(wanted)


def _labels(sources: Iterable[int] | None) -> frozenset[str]:
    return frozenset() if sources is None else frozenset(map(source_label, sources))


def _snippet(row: chunks.Row, one: Ranked, text: str, exact: Mapping[int, int]) -> Snippet:
    return Snippet(
        document_id=row.document_id,
        source_id=row.source_id,
        source=row.source,
        path=row.path,
        title=row.title,
        anchor=row.anchor,
        headings=row.headings,
        page=row.page,
        text=text,
        start=row.start,
        end=row.end,
        score=one.cosine,
        fetched_at=row.fetched_at,
        is_stale=row.is_stale,
        is_exact=one.id in exact,
        why=one.parts,
    )


def best_by_document(found: Sequence[Snippet], *, most: int) -> list[list[Snippet]]:
    """Return passages by their documents, the document of the best passage first."""
    grouped: dict[int, list[Snippet]] = {}
    for one in found:
        grouped.setdefault(one.document_id, []).append(one)
    return [each[:most] for each in grouped.values()]
