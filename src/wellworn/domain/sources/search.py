"""Finding passages of documents, leaving no trace: candidates, ranking, exact identifiers first.

The ranking is the one that finds thoughts. Before it come the chunks that hold an identifier of the
question to the letter: who asks for `100.70.237.79` wants that and nothing like it. What of the
ranking is shown is for `selection` to say, and for `relevance` whether it has to do with the
question at all.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from wellworn.domain.sources.features import source_label
from wellworn.domain.sources.identifiers import extract_exact_terms, normalize_identifier
from wellworn.domain.sources.models import Snippet
from wellworn.domain.sources.selection import (
    count_wanted_documents,
    demote_front_matter,
    is_close,
    is_of_other_codes,
    level_scores,
    spread,
)
from wellworn.domain.sources.store import candidates, chunks, served
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Encoded
from wellworn.engines.retrieval import (
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
from wellworn.engines.storage.vectors import VectorIndex, Where, point_id, unit_of
from wellworn.kit.markdown import LONGEST_FRONT_MATTER, Markdown, TableHeads, may_be_row
from wellworn.kit.matches import Match, Matches

_CANDIDATES = 75
_SPARE = 4
"""Times as many passages as wanted that are put in order: some give way to others."""
_SEEDS = 12
"""Candidates whose neighbours are looked at."""
_MOST_EXACT = 50
"""Chunks that an identifier may be in and still be what is meant by it, wherever they stand."""
_FURTHER = 25
"""Candidates among further documents, where a few hold all places."""
_MOST_ASKED = 200
"""Documents that were shown last; with ten an answer, those of the last twenty questions."""
_MOST_OF_OTHERS = 20_000
"""Chunks among which they are searched."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question to documents; `sources` are the only ones to be searched, None for all."""

    text: str
    encoded: Encoded
    limit: int = 10
    sources: tuple[int, ...] | None = None


FindPast = Callable[[Transaction, Access, Collection[int]], Collection[int]]


def _find_none(*_: object) -> Collection[int]:
    return ()


class DocumentSearcher:
    """Searches one index and the database it was made from."""

    def __init__(self, database: Database, index: VectorIndex, *, made_by: Collection[int]) -> None:
        self._database = database
        self._index = index
        self._made_by = made_by
        self.shown: deque[int] = deque(maxlen=_MOST_ASKED)
        """Documents whose passages were shown last, the newest at the end."""
        self.find_past: FindPast = _find_none
        """Returns which of some documents are past: set by the reader of documents."""

    def search(self, access: Access, query: Query) -> list[Snippet]:
        """Return the best passages that the caller may see, best first.

        They are of as many documents as `selection.documents_wanted` says, if there are so many.

        Raises:
            IndexUnavailable: the vector index failed.
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            reached = candidates.find_visible_sources(transaction, access)
        wanted = _intersect(query.sources, reached)
        if wanted is not None and not wanted:
            return []
        where = Where(access.space, any_tags=_labels(wanted))
        terms, names = weigh_query_terms(query.text), weigh_query_names(query.text)
        look = _ChunkQuery(self._index, query.encoded, where, terms, names)
        near = look.find_near(_CANDIDATES)
        with self._database.read() as transaction:
            beside = chunks.list_neighbors(transaction, select_candidates(near, _SEEDS))
            keys = {normalize_identifier(term) for term in extract_exact_terms(query.text)}
            seqs = {*near.ids.tolist(), *beside}
            exact = candidates.count_identifiers(
                transaction, access, keys, most=_MOST_EXACT, among=seqs
            )
        seqs = seqs.union(exact)
        if more := seqs.difference(near.ids.tolist()):
            near = near.join(look.find_near_among(more, limit=len(more)))
        ranking = _ChunkRanking(look.build_question(query.text), exact, query.limit)
        while True:
            with self._database.read() as transaction:
                units = candidates.load_units(transaction, access, seqs, makers=self._made_by)
                others = ranking.add(units, near) and ranking.find_others(
                    transaction, access, wanted
                )
                if not others:
                    snippets = ranking.select_snippets(transaction, access)
                    numbers = {snippet.document_id for snippet in snippets}
                    self.shown.extend(numbers)
                    past = self.find_past(transaction, access, numbers)
                    return [
                        replace(snippet, is_past=snippet.document_id in past)
                        for snippet in snippets
                    ]
            near = look.find_near_among(others, limit=_FURTHER)
            seqs = set(near.ids.tolist())


@dataclass(frozen=True, slots=True)
class _ChunkQuery:
    """A question as it is asked of the index."""

    index: VectorIndex
    encoded: Encoded
    where: Where
    terms: Mapping[int, float]
    names: Mapping[int, float]

    def find_near(self, limit: int) -> Matches:
        return merge_passages(self._candidates(self.where, limit), unit_of)

    def find_near_among(self, seqs: Iterable[int], *, limit: int) -> Matches:
        """Return the nearest of certain chunks; those that have no point yet are left out."""
        within = replace(self.where, among=frozenset(point_id(seq, 0) for seq in seqs))
        return merge_passages(self._candidates(within, limit), unit_of)

    def _candidates(self, where: Where, limit: int) -> Matches:
        return self.index.candidates(
            self.encoded.vector, self.terms, where, limit=limit, names=self.names
        )

    def build_question(self, text: str) -> Question:
        rarity = self.index.rarity({*self.terms, *self.names}, self.where.space)
        return build_question(text, self.encoded.pieces, self.encoded.spans, rarity)


@dataclass(slots=True)
class _ChunkRanking:
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

    def add(self, units: list[Unit], matches: Matches) -> bool:
        """Rank units behind those that are here; return whether there were any."""
        units.sort(key=lambda unit: unit.id)
        self.matches.update({match.id: match for match in matches})
        self.document_of.update({unit.id: unit.place[0] for unit in units if unit.place})
        order = rank(self.asks, units, matches, most=_SPARE * self.limit, also=self.exact)
        known = {self.document_of[hit.id] for hit in order}
        reached = {self.document_of[unit.id] for unit in units if unit.id in self.matches}
        if len(known) < min(count_wanted_documents(self.limit), len(reached)):
            order = rank(self.asks, units, matches, most=len(units))
        order.sort(key=lambda hit: -self.exact.get(hit.id, 0))
        self.order.update({hit.id: hit for hit in order})
        return bool(order)

    def find_others(
        self, transaction: Transaction, access: Access, sources: Collection[int] | None
    ) -> list[int]:
        """Return chunks of further documents, where too few have any in the ranking."""
        documents = {self.document_of[seq] for seq in self.order}
        if len(documents) >= count_wanted_documents(self.limit):
            return []
        ids = [int(document) for document in documents]
        return served.list_other_chunks(
            transaction, access, ids, sources=sources, most=_MOST_OF_OTHERS
        )

    def select_snippets(self, transaction: Transaction, access: Access) -> list[Snippet]:
        """Return the passages that are shown."""
        order, rows, ends = [*self.order], dict[int, chunks.ChunkRow](), dict[int, int]()
        while True:
            chosen = spread(order, self.document_of, self.limit)
            new = chunks.load_visible(
                transaction, access, [seq for seq in chosen if seq not in rows]
            )
            ends |= _find_front_matter_ends(transaction, access, new.values(), ends)
            rows |= new
            if not any(self._is_front_matter(row, ends) for row in new.values()):
                break
            front_matter = {seq for seq, row in rows.items() if self._is_front_matter(row, ends)}
            alone = self._list_alone(order, front_matter)
            order = demote_front_matter(order, self.document_of, front_matter - alone)
        chosen = [seq for seq in chosen if seq in rows]
        texts = candidates.load_texts(transaction, access, chosen)
        heads = _find_table_heads(transaction, access, [rows[seq] for seq in chosen], texts)
        scores = level_scores([self.order[seq].cosine for seq in chosen])
        snippets = [
            replace(
                self._snippet(rows[seq], texts[seq], score, ends.get(rows[seq].document_id, 0)),
                table_head=heads.get(seq, ""),
            )
            for seq, score in zip(chosen, scores, strict=True)
        ]
        shown = (f"{each.path} {each.title} {each.headings} {each.text}" for each in snippets)
        is_weak = is_of_other_codes(self.asks.text, shown)
        return [replace(each, is_weak=True) for each in snippets] if is_weak else snippets

    def _is_front_matter(self, row: chunks.ChunkRow, ends: Mapping[int, int]) -> bool:
        """Tell whether a chunk is of front matter only, and is not what is asked to the letter."""
        return row.end <= ends.get(row.document_id, 0) and row.seq not in self.exact

    def _list_alone(self, order: Iterable[int], front_matter: Set[int]) -> set[int]:
        """Return the best front matter of documents of which no other words are close."""
        close = [seq for seq in order if is_close(self.matches[seq], self.asks)]
        best: dict[str, int] = {}
        for seq in close:
            best.setdefault(self.document_of[seq], seq)
        told = {self.document_of[seq] for seq in close if seq not in front_matter}
        return {seq for document, seq in best.items() if document not in told}

    def _snippet(self, row: chunks.ChunkRow, text: str, score: float, front_end: int) -> Snippet:
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
            dated_at=row.dated_at,
            encoding_note=row.encoding_note,
            is_stale=row.is_stale,
            is_exact=is_exact,
            is_weak=not is_exact and not is_close(self.matches[row.seq], self.asks),
            why=self.order[row.seq].parts,
        )


def _find_table_heads(
    transaction: Transaction,
    access: Access,
    rows: Iterable[chunks.ChunkRow],
    texts: Mapping[int, str],
) -> dict[int, str]:
    """Return the heads of the tables with whose rows passages begin."""
    headless = [row for row in rows if may_be_row(texts[row.seq])]
    ids = {row.document_id for row in headless}
    contents = served.load_contents(transaction, access, [*ids]) if ids else {}
    heads = {number: TableHeads(text) for number, text in contents.items()}
    spans = {
        row.seq: (row.document_id, head)
        for row in headless
        if row.document_id in heads and (head := heads[row.document_id].find(row.start))
    }
    return {seq: contents[number][slice(*head)] for seq, (number, head) in spans.items()}


def _find_front_matter_ends(
    transaction: Transaction,
    access: Access,
    rows: Iterable[chunks.ChunkRow],
    known: Collection[int],
) -> dict[int, int]:
    """Return where the front matter of documents ends of whose first words a row may be."""
    first = {
        row.document_id for row in rows if not row.headings and row.start < LONGEST_FRONT_MATTER
    }
    read = served.load_openings(transaction, access, first.difference(known))
    return {document: Markdown(opening).front_end for document, opening in read.items()}


def _intersect(
    wanted: Iterable[int] | None, reached: frozenset[int] | None
) -> frozenset[int] | None:
    """Return the sources that are wanted and in reach; None stands for all."""
    if wanted is None or reached is None:
        return reached if wanted is None else frozenset(wanted)
    return reached.intersection(wanted)


def _labels(sources: Iterable[int] | None) -> frozenset[str]:
    return frozenset() if sources is None else frozenset(map(source_label, sources))


def group_by_document(passages: Sequence[Snippet], *, most: int) -> list[list[Snippet]]:
    """Return passages by their documents, the document of the best passage first."""
    grouped: dict[int, list[Snippet]] = {}
    for snippet in passages:
        grouped.setdefault(snippet.document_id, []).append(snippet)
    return [snippets[:most] for snippets in grouped.values()]
