"""Takes a value out of a sentence, a cell or an item by reading, where no fact has it.

Below the bound nothing is said: the answer stays that it is not stated, or not known. Where two
places answer about as surely with other words, it is asked which one is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from wellworn.domain.knowledge.answers import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    Value,
)
from wellworn.domain.knowledge.attributes import list_telling_words
from wellworn.domain.knowledge.quoting import DocumentQuoter
from wellworn.domain.knowledge.search_answers import build_label
from wellworn.domain.knowledge.steps import ask, build_answer, offer
from wellworn.domain.reading import PassageReader, Readable, ReadStretch, find_part
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock

_PASSAGES: Final = 8
_SURE: Final = 0.9
"""The probability from which a value is stated; see `docs/benchmarks.md`, "Reading"."""
_RIVAL_SHARE: Final = 0.7
"""Of the best probability: what reaches it with another value is a rival."""
_LEAST_WORDS: Final = 2
"""Words that tell something: fewer name a thing, and ask for no value of it."""
_DERIVED_BY: Final = "reader"


class _ReadValue(NamedTuple):
    value: Value
    snippet: Snippet


class ValueReader:
    """Reads values out of the passages that a search brings."""

    def __init__(
        self, database: Database, sources: Sources, clock: Clock, passages: PassageReader
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._passages = passages

    def complete(self, access: Access, term: str, context: str, known: Answer) -> Answer:
        """Return an answer with the value that reading finds, or else as it was."""
        is_open = known.outcome in {ResolutionOutcome.NOT_STATED, ResolutionOutcome.UNKNOWN}
        if not is_open or len(list_telling_words(term)) < _LEAST_WORDS:
            return known
        question = f"{term} {context}".strip()
        snippets = [
            snippet
            for snippet in self._sources.search(access, question, limit=_PASSAGES)
            if not snippet.is_past
        ]
        stretches = self._passages.read(question, [_to_readable(each) for each in snippets])
        sure = [each for each in stretches or () if each.span and each.answers >= _SURE]
        values = self._to_values(access, term, snippets, sure)
        if not values:
            return known
        best = values[0].value
        least = _RIVAL_SHARE * best.confidence
        rivals = [each for each in values if each.value.confidence >= least]
        if len(rivals) > 1:
            offered = [
                offer(build_label(each.snippet), each.value.evidence, summary=each.value.value)
                for each in rivals
            ]
            return ask(term, offered, values=[each.value for each in rivals])
        return build_answer(
            term, ResolverStep.SEARCH, best.evidence, [best], confidence=best.confidence
        )

    def _to_values(
        self, access: Access, term: str, snippets: Sequence[Snippet], read: Sequence[ReadStretch]
    ) -> list[_ReadValue]:
        """Return the values of stretches, each once, the best first."""
        values: dict[str, _ReadValue] = {}
        with self._database.read() as transaction:
            quoter = DocumentQuoter(self._sources, transaction, access)
            for stretch in read:
                snippet = snippets[stretch.place]
                page = quoter.open_page(snippet.document_id)
                if page is None or stretch.span is None:
                    continue
                start, end = (snippet.start + at for at in stretch.span)
                part = find_part(snippet.text, stretch)
                evidence = page.quote(snippet.start + part[0], snippet.start + part[1])
                value = self._to_value(term, stretch, page.text[start:end], start, evidence)
                values.setdefault(value.value.casefold(), _ReadValue(value, snippet))
        return list(values.values())

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
    return Readable(snippet.title or snippet.path, snippet.text)
