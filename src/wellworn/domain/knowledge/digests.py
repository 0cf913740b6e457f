"""Digests one document for the compiler, so that only changed documents are read again.

A digest depends on its document and the compiler's version and on nothing else. It is plain data
and goes to JSON and back; everything over all documents is made from digests alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from wellworn.domain.knowledge.candidates import (
    REACHED,
    TermCandidate,
    WordCounts,
    count_words,
    find_candidates,
)
from wellworn.domain.knowledge.facts import Fact, extract_facts
from wellworn.domain.knowledge.glossary import find_names, select_best
from wellworn.domain.knowledge.heads import extract_headed
from wellworn.domain.knowledge.periods import is_withdrawn
from wellworn.domain.knowledge.summaries import Summary, summarize
from wellworn.domain.knowledge.terms import Offer
from wellworn.domain.knowledge.views import DocumentView, Reading
from wellworn.engines.extraction import is_configuration
from wellworn.kit.folding import FoldedText

COMPILER_VERSION: Final = "32"
"""Another one makes every digest worthless; change it with every change of a rule."""


@dataclass(frozen=True, slots=True)
class DocumentDigest:
    """A document's part in the artifacts.

    Attributes:
        names: what it and its headings are called, and of which kind things are; stored as entries
            of the glossary alone.
        is_withdrawn: whether it says itself that it holds no longer.
        headed: what it states below heads of any words; stored as rows of facts alone.
    """

    document: int
    source: str
    path: str
    title: str
    summary: Summary
    facts: Sequence[Fact] = ()
    candidates: Sequence[TermCandidate] = ()
    words: WordCounts = field(default_factory=lambda: WordCounts({}, {}))
    names: Sequence[TermCandidate] = field(default=(), compare=False)
    is_withdrawn: bool = False
    headed: Sequence[Fact] = field(default=(), compare=False)

    @property
    def entries(self) -> list[TermCandidate]:
        """The document's entries in the glossary."""
        return select_best([*self.candidates, *self.names])

    @property
    def offer(self) -> Offer:
        """The document's offer to the hot terms."""
        addressed = {fact.term for fact in self.facts if fact.fact_type in REACHED}
        # What a program is set to, or what builds it, says nothing of what it is.
        is_program = is_configuration(self.path) or is_build_file(self.path)
        candidates = () if is_program else self.candidates
        return Offer(self.document, self.words, candidates, addressed)


def is_build_file(path: str) -> bool:
    """Tell whether a file is a Makefile or the like, whose remarks are no headings."""
    return path.rpartition("/")[2].casefold() in {"makefile", "justfile", "dockerfile"}


def digest(document: DocumentView) -> DocumentDigest:
    """Return the digest of a document; the same document gives the same digest.

    It is read folded, and every span leads back to what is written.
    """
    return digest_reading(Reading(document))


def digest_reading(reading: Reading) -> DocumentDigest:
    """Return the digest of a document as `digest` does; what `go_on` raises ends it."""
    folded = FoldedText.of(reading.text)
    if folded.text == reading.text:
        return _digest(reading)
    return _restore(_digest(reading.read_instead(folded.text)), reading, folded)


def _digest(reading: Reading) -> DocumentDigest:
    document, current = reading.document, reading.current
    of_it = (document.id, document.source, document.path, current.title, reading.find(summarize))
    if reading.is_formal:
        return DocumentDigest(*of_it, [], [], WordCounts({}, {}))
    facts = extract_facts(reading)
    words = count_words(current)
    return DocumentDigest(
        *of_it,
        facts,
        find_candidates(current, facts, words),
        words,
        find_names(current),
        is_withdrawn(current),
        extract_headed(reading, facts),
    )


def _restore(made: DocumentDigest, reading: Reading, folded: FoldedText) -> DocumentDigest:
    """Return the digest of a folded text with the spans and the quotes of the text as written."""
    text = reading.text

    def find_anchor(anchor: str, start: int) -> str:
        return anchor and reading.parts[reading.part_at(start)].anchor

    def restore_fact(fact: Fact) -> Fact:
        start, end = folded.find_span(fact.start, fact.end)
        first, last = folded.find_span(fact.snippet_start, fact.snippet_end)
        return replace(
            fact,
            value=text[start:end],
            start=start,
            end=end,
            snippet=text[first:last],
            snippet_start=first,
            snippet_end=last,
            anchor=find_anchor(fact.anchor, first),
        )

    def restore_candidate(candidate: TermCandidate) -> TermCandidate:
        start, end = folded.find_span(candidate.start, candidate.end)
        anchor = find_anchor(candidate.anchor, start)
        return replace(candidate, start=start, end=end, anchor=anchor)

    start, end = folded.find_span(made.summary.start, made.summary.end)
    return replace(
        made,
        summary=replace(made.summary, start=start, end=end),
        facts=[*map(restore_fact, made.facts)],
        candidates=[*map(restore_candidate, made.candidates)],
        names=[*map(restore_candidate, made.names)],
        headed=[*map(restore_fact, made.headed)],
    )


def to_dict(made: DocumentDigest) -> dict[str, Any]:
    """Return a digest as what JSON can hold, without its names and what stands below heads."""
    return {
        **_list_fields(made, leaving_out=("names", "headed")),
        "summary": _list_fields(made.summary),
        "facts": [_list_fields(fact) for fact in made.facts],
        "candidates": [_list_fields(candidate) for candidate in made.candidates],
        "words": _list_fields(made.words),
    }


def _list_fields(
    part: DocumentDigest | Summary | Fact | TermCandidate | WordCounts,
    leaving_out: Collection[str] = (),
) -> dict[str, Any]:
    """Return fields as they are: the library's own way copies each of a hundred thousand words."""
    names = (each.name for each in fields(part) if each.name not in leaving_out)
    return {name: getattr(part, name) for name in names}


def from_dict(data: dict[str, Any]) -> DocumentDigest:
    """Return the digest that `to_dict` was given.

    Raises:
        KeyError: a field is missing.
        TypeError: a part has other fields than this version's.
    """
    return DocumentDigest(
        data["document"],
        data["source"],
        data["path"],
        data["title"],
        Summary(**data["summary"]),
        [Fact(**fact) for fact in data["facts"]],
        [TermCandidate(**candidate) for candidate in data["candidates"]],
        WordCounts(**data["words"]),
        is_withdrawn=data["is_withdrawn"],
    )
