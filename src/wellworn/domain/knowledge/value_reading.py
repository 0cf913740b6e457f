"""Takes a value out of a sentence, a cell or an item by reading, where no fact has it.

Below the bound nothing is said: the answer stays that it is not stated, or not known, and quotes
what answers likeliest. Where two places answer about as surely with other words, it is asked which
one is meant. What a cell or an item says beside a value is stated with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from wellworn.domain.knowledge.answers import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    Value,
)
from wellworn.domain.knowledge.attributes import list_telling_words
from wellworn.domain.knowledge.claims import TypedSpan
from wellworn.domain.knowledge.passages import build_label
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter
from wellworn.domain.knowledge.steps import answer_likely, ask, build_answer, offer
from wellworn.domain.knowledge.whole_fields import state_whole
from wellworn.domain.reading import PassageReader, Readable, ReadStretch, find_part
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock

_SEARCHED: Final = 24
_PASSAGES: Final = 8
"""Passages that are read: the first that name the thing that is asked about."""
_SURE: Final = 0.92
"""The probability from which a value is stated; see `docs/benchmarks.md`, "Reading"."""
_ASKED: Final = 0.6
"""The probability from which several values are worth the question which one is meant."""
_LIKELY: Final = 0.3
"""The probability from which a passage is quoted."""
_RIVAL_MARGIN: Final = 2.0
"""Of the best rating, likeness to the question included: another value within it is a rival."""
_LONGEST_FIELD: Final = 80
"""Characters of a cell or an item that states a value; what is longer is a text."""
_LEAST_WORDS: Final = 2
"""Words that tell something: fewer name a thing, and ask for no value of it."""
_DERIVED_BY: Final = "reader"


class _ReadValue(NamedTuple):
    value: Value
    snippet: Snippet
    rating: float


class ValueReader:
    """Reads values out of the passages that a search brings."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        passages: PassageReader,
        select: Callable[[Access, str, Sequence[Snippet]], Sequence[Snippet]],
    ) -> None:
        """Take what selects the passages that name what a question asks about, and the rest."""
        self._database = database
        self._sources = sources
        self._clock = clock
        self._passages = passages
        self._select = select

    def complete(self, access: Access, term: str, context: str, known: Answer) -> Answer:
        """Return an answer with the value that reading finds, or else as it was."""
        is_open = known.outcome in {ResolutionOutcome.NOT_STATED, ResolutionOutcome.UNKNOWN}
        if not is_open or len(list_telling_words(term)) < _LEAST_WORDS:
            return known
        question = f"{term} {context}".strip()
        snippets = [
            snippet
            for snippet in self._sources.search(access, question, limit=_SEARCHED)
            if not snippet.is_past
        ]
        snippets = self._select(access, term, snippets)[:_PASSAGES]
        stretches = self._passages.read(question, [_to_readable(each) for each in snippets]) or ()
        likely = [each for each in stretches if each.answers >= _LIKELY]
        values, quotes = self._read_values(access, term, snippets, likely)
        rivals = [each for each in values if each.rating >= values[0].rating - _RIVAL_MARGIN]
        best = values[0].value.confidence if values else 0.0
        if len(rivals) > 1 and best >= _ASKED:
            offered = [
                offer(build_label(each.snippet), each.value.evidence, summary=each.value.value)
                for each in rivals
            ]
            return ask(term, offered, values=[each.value for each in rivals])
        if best >= _SURE:
            value = rivals[0].value
            return build_answer(
                term, ResolverStep.SEARCH, value.evidence, [value], confidence=value.confidence
            )
        return answer_likely(known, quotes)

    def mark_weak(self, text: str, passages: Sequence[Snippet]) -> list[Snippet]:
        """Return passages, all but exact ones weak where none of the first answers a question.

        Those that answer are not weak. What is no question, or read by nobody, is as it was.
        """
        first = [_to_readable(each) for each in passages[:_PASSAGES]]
        is_question = len(list_telling_words(text)) >= _LEAST_WORDS
        stretches = self._passages.read(text, first) if is_question else None
        if stretches is None:
            return list(passages)
        answering = {each.place for each in stretches if each.answers >= _LIKELY}
        return [
            replace(
                passage,
                is_weak=place not in answering
                and not passage.is_exact
                and (passage.is_weak or not answering),
            )
            for place, passage in enumerate(passages)
        ]

    def _read_values(
        self, access: Access, term: str, snippets: Sequence[Snippet], read: Sequence[ReadStretch]
    ) -> tuple[list[_ReadValue], list[QuotedSpan]]:
        """Return the values of stretches, each once, the best first, and their quotes."""
        values, quotes = list[_ReadValue](), list[QuotedSpan]()
        with self._database.read() as transaction:
            quoter = DocumentQuoter(self._sources, transaction, access)
            for stretch in read:
                snippet = snippets[stretch.place]
                page = quoter.open_page(snippet.document_id)
                if page is None:
                    continue
                start, end = find_part(snippet.text, stretch)
                evidence = page.quote(snippet.start + start, snippet.start + end)
                quotes.append(evidence)
                if stretch.span is None:
                    continue
                span = (snippet.start + stretch.span[0], snippet.start + stretch.span[1])
                whole = _find_whole(page, *span)
                value = self._to_value(term, stretch, page.text[slice(*whole)], whole[0], evidence)
                if not any(_is_same(value, each.value) for each in values):
                    values.append(_ReadValue(value, snippet, stretch.rating))
        return values, quotes

    def _to_value(
        self, term: str, stretch: ReadStretch, text: str, start: int, evidence: QuotedSpan
    ) -> Value:
        return Value(
            term=term,
            fact_type=_DERIVED_BY,
            attribute="",
            value=text,
            start=start,
            end=start + len(text),
            confidence=round(stretch.answers, 3),
            derived_by=_DERIVED_BY,
            derived_at=self._clock.now(),
            evidence=evidence,
        )


def _to_readable(snippet: Snippet) -> Readable:
    above = dict.fromkeys([snippet.title or snippet.path, *snippet.headings])
    return Readable(" > ".join(above), snippet.text)


def _find_whole(page: DocumentPage, start: int, end: int) -> tuple[int, int]:
    """Return where a value stands with all that its cell or its item says of it."""
    field = page.find_field(start)
    if field is None or end > field[1] or field[1] - field[0] > _LONGEST_FIELD:
        return start, end
    [(_, whole)] = state_whole(page.text, field, [TypedSpan("", start, end)])
    return whole.start, whole.end


def _is_same(value: Value, other: Value) -> bool:
    """Tell whether one of two values is a part of the other, white space and case aside."""
    words, others = (" ".join(each.value.casefold().split()) for each in (value, other))
    return words in others or others in words
