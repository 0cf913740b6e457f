"""Finding passages of documents, leaving no trace: candidates, ranking, exact identifiers first.

The ranking is the one that finds thoughts. Before it come the chunks that hold an identifier of the
question to the letter: who asks for `100.70.237.79` wants that and nothing like it. What of the
ranking is shown is for `selection` to say, and for `relevance` whether it has to do with the
question at all.

Source: knowledge design, decision 2; `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wellworn.domain.sources.features import source_label
from wellworn.domain.sources.identifiers import asked, key_of
from wellworn.domain.sources.models import Snippet
from wellworn.domain.sources.relevance import is_close
from wellworn.domain.sources.selection import documents_wanted, for_readers, levelled, spread
from wellworn.domain.sources.store import candidates, chunks, finding
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Encoded
from wellworn.engines.retrieval import (
    Match,
    Question,
    RankedResult,
    Unit,
    build_question,
    merge_passages,
    rank,
    select_candidates,
)
from wellworn.engines.retrieval.text import weigh_query_names, weigh_query_terms
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import Candidate, VectorIndex, Where, point_id, unit_of
from wellworn.kit.markdown import LONGEST_FRONT_MATTER, Markdown

_CANDIDATES = 75
_SPARE = 4
"""Times as many passages as wanted that are put in order: some give way to others."""
_SEEDS = 12
"""Candidates whose neighbours are looked at."""
_MOST_EXACT = 50
"""Chunks that an identifier may be in and still be what is meant by it, wherever they stand."""
_FURTHER = 25
"""Candidates among further documents, where a few have taken all places."""
_MOST_OF_OTHERS = 20_000
"""Chunks among which they are searched."""


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

        They are of as many documents as `selection.documents_wanted` says, if there are so many.

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
        terms, names = weigh_query_terms(query.text), weigh_query_names(query.text)
        look = _Look(self._index, query.encoded, where, terms, names)
        near = look.near(_CANDIDATES)
        with self._database.read() as transaction:
            beside = chunks.beside(transaction, select_candidates(near, _SEEDS))
            keys = {key_of(one) for one in asked(query.text)}
            among = {*beside, *(one.id for one in near)}
            exact = candidates.with_identifiers(
                transaction, access, keys, most=_MOST_EXACT, among=among
            )
        known: dict[int, Match | None] = {one.id: one for one in near}
        if more := [seq for seq in dict.fromkeys([*exact, *beside]) if seq not in known]:
            known |= dict.fromkeys(more) | look.near_among(more, limit=len(more))
        found = _Found(look.question(query.text), exact, query.limit)
        while True:
            with self._database.read() as transaction:
                units = candidates.units(transaction, access, known, maker=self._made_by)
                others = found.add(units) and found.others(transaction, access, wanted)
                if not others:
                    return found.shown(transaction, access)
            known = {**look.near_among(others, limit=_FURTHER)}


@dataclass(frozen=True, slots=True)
class _Look:
    """A question as it is asked of the index."""

    index: VectorIndex
    encoded: Encoded
    where: Where
    terms: Mapping[int, float]
    names: Mapping[int, float]

    def near(self, limit: int) -> list[Match]:
        return merge_passages(self._candidates(self.where, limit), unit_of)

    def near_among(self, seqs: Iterable[int], *, limit: int) -> dict[int, Match]:
        """Return the nearest of certain chunks; those that have no point yet are left out."""
        within = replace(self.where, among=frozenset(point_id(seq, 0) for seq in seqs))
        return {one.id: one for one in merge_passages(self._candidates(within, limit), unit_of)}

    def _candidates(self, where: Where, limit: int) -> list[Candidate]:
        found = self.index.candidates(
            self.encoded.vector, self.terms, where, limit=limit, names=self.names
        )
        return [one.steady() for one in found]

    def question(self, text: str) -> Question:
        rarity = self.index.rarity({*self.terms, *self.names}, self.where.space)
        return build_question(text, self.encoded.pieces, self.encoded.spans, rarity)


@dataclass(slots=True)
class _Found:
    """A ranking, as far as it may be shown.

    Attributes:
        exact: how many identifiers of the question each chunk holds.
        limit: passages to be shown.
        matches: the scores of each chunk in the index.
        order: the best first, those with identifiers of the question before all others.
        document_of: the id of each chunk's document, as a text.
    """

    asks: Question
    exact: Mapping[int, int]
    limit: int
    matches: dict[int, Match] = field(default_factory=dict[int, Match])
    order: dict[int, RankedResult] = field(default_factory=dict[int, RankedResult])
    document_of: dict[int, str] = field(default_factory=dict[int, str])

    def add(self, units: list[Unit]) -> bool:
        """Rank units behind those that are here; return whether there were any."""
        units.sort(key=lambda unit: unit.id)
        matches = {unit.id: unit.match for unit in units if unit.match}
        self.matches.update(matches)
        self.document_of.update({unit.id: unit.place[0] for unit in units if unit.place})
        order = rank(self.asks, units, most=_SPARE * self.limit, also=self.exact)
        known = {self.document_of[one.id] for one in order}
        if len(known) < min(
            documents_wanted(self.limit), len({self.document_of[one] for one in matches})
        ):
            order = rank(self.asks, units, most=len(units))
        order.sort(key=lambda one: -self.exact.get(one.id, 0))
        self.order.update({one.id: one for one in order})
        return bool(order)

    def others(
        self, transaction: Transaction, access: Access, sources: Collection[int] | None
    ) -> list[int]:
        """Return chunks of further documents, where too few have any in the ranking."""
        documents = {self.document_of[one] for one in self.order}
        if len(documents) >= documents_wanted(self.limit):
            return []
        ids = [int(one) for one in documents]
        return finding.of_others(transaction, access, ids, sources=sources, most=_MOST_OF_OTHERS)

    def shown(self, transaction: Transaction, access: Access) -> list[Snippet]:
        """Return the passages that are shown."""
        order, rows, ends = [*self.order], dict[int, chunks.Row](), dict[int, int]()
        while True:
            chosen = spread(order, self.document_of, self.limit)
            new = chunks.rows(transaction, access, [seq for seq in chosen if seq not in rows])
            ends |= _ends(transaction, access, new.values(), ends)
            rows |= new
            if not any(self._is_front_matter(row, ends) for row in new.values()):
                break
            front_matter = {seq for seq, row in rows.items() if self._is_front_matter(row, ends)}
            order = for_readers(order, self.document_of, front_matter)
        chosen = [seq for seq in chosen if seq in rows]
        texts = candidates.texts(transaction, access, chosen)
        scores = levelled([self.order[seq].cosine for seq in chosen])
        return [
            self._snippet(rows[seq], texts[seq], score, ends.get(rows[seq].document_id, 0))
            for seq, score in zip(chosen, scores, strict=True)
        ]

    def _is_front_matter(self, row: chunks.Row, ends: Mapping[int, int]) -> bool:
        """Tell whether a chunk is of front matter only, and is not what is asked to the letter."""
        return row.end <= ends.get(row.document_id, 0) and row.seq not in self.exact

    def _snippet(self, row: chunks.Row, text: str, score: float, front_end: int) -> Snippet:
        is_exact = row.seq in self.exact
        start = row.start
        if start < front_end < row.end and not is_exact:
            words = text[front_end - start :].lstrip()
            start, text = row.end - len(words), words
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
            start=start,
            end=row.end,
            score=score,
            fetched_at=row.fetched_at,
            is_stale=row.is_stale,
            is_exact=is_exact,
            is_weak=not is_exact and not is_close(self.matches[row.seq], self.asks),
            why=self.order[row.seq].parts,
        )


def _ends(
    transaction: Transaction, access: Access, rows: Iterable[chunks.Row], known: Collection[int]
) -> dict[int, int]:
    """Return where the front matter of documents ends of whose first words a row may be."""
    first = {
        row.document_id for row in rows if not row.headings and row.start < LONGEST_FRONT_MATTER
    }
    read = finding.openings(transaction, access, first.difference(known))
    return {document: Markdown(opening).front_end for document, opening in read.items()}


def _both(wanted: Iterable[int] | None, reached: frozenset[int] | None) -> frozenset[int] | None:
    """Return the sources that are wanted and in reach; None stands for all."""
    if wanted is None or reached is None:
        return reached if wanted is None else frozenset(wanted)
    return reached.intersection(wanted)


def _labels(sources: Iterable[int] | None) -> frozenset[str]:
    return frozenset() if sources is None else frozenset(map(source_label, sources))


def best_by_document(found: Sequence[Snippet], *, most: int) -> list[list[Snippet]]:
    """Return passages by their documents, the document of the best passage first."""
    grouped: dict[int, list[Snippet]] = {}
    for one in found:
        grouped.setdefault(one.document_id, []).append(one)
    return [each[:most] for each in grouped.values()]
