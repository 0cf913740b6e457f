"""Typed facts of a document, each with the exact characters that say it.

Precision comes before recall: what no rule is sure about is no fact. A fact carries its own
evidence, so that anybody can check it against the text, and a fact made elsewhere (by a model)
is held to the same rule: if its span does not contain its value, it does not exist.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.claims import SUMMARY, FactSpan, find_examples, index_identifiers
from wellworn.domain.knowledge.configurations import extract_configuration, extract_front_matter
from wellworn.domain.knowledge.entities import name_key, subjects
from wellworn.domain.knowledge.grid_claims import extract_claims, is_history_table
from wellworn.domain.knowledge.grids import find_grids
from wellworn.domain.knowledge.nesting import assign_subjects
from wellworn.domain.knowledge.statements import claims as claims_of_line
from wellworn.domain.knowledge.statements import split_statements
from wellworn.domain.knowledge.views import Reading
from wellworn.kit.markdown import CurrentText, find_struck

LONGEST_SNIPPET: Final = 1_000
_MOST: Final = 2_000
"""Facts of one document."""
_MANY: Final = 6
_NEARLY: Final = 0.75
"""Least share of its values, of many, that make a label one of descriptions."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of a document about a term.

    Attributes:
        document: the document's id.
        term: what it is about, folded.
        attribute: what the document calls the value, folded; empty for a summary.
        fact_type: summary, ip, cidr, hostname, url, endpoint, port, env, secret_ref, header, path,
            email, version, command or detail.
        value: the characters `start` to `end` of the document's text.
        snippet: the characters `snippet_start` to `snippet_end`, which contain the value.
        confidence: 0 to 1, by how the document says it.
        anchor: of the heading that the snippet stands below.
    """

    document: int
    term: str
    attribute: str
    fact_type: str
    value: str
    start: int
    end: int
    snippet: str
    snippet_start: int
    snippet_end: int
    confidence: float
    anchor: str = ""


def extract_facts(reading: Reading) -> list[Fact]:
    """Return what a document says, in the order in which it says it; each once, at most 2,000."""
    facts: dict[tuple[str, str, int, int], Fact] = {}
    current = CurrentText(reading.text)
    is_whole = current.text is reading.text
    without = reading if is_whole else reading.read_instead(current.text)
    for claim in _extract_claims(without):
        fact = build_fact(reading, claim if is_whole else _place(claim, current))
        identity = (fact.term, fact.fact_type, fact.start, fact.end)
        if identity not in facts and is_supported(fact, reading.text):
            facts[identity] = fact
        if len(facts) == _MOST:
            break
    return sorted(facts.values(), key=lambda fact: (fact.start, fact.end))


def is_supported(fact: Fact, text: str) -> bool:
    """Tell whether a document's text says a fact: value and snippet stand where it says.

    What the document strikes out is no part of what it says.
    """
    is_inside = fact.snippet_start <= fact.start < fact.end <= fact.snippet_end <= len(text)
    if not is_inside or fact.start < 0:
        return False
    is_value = text[fact.start : fact.end] == fact.value
    is_snippet = text[fact.snippet_start : fact.snippet_end] == fact.snippet
    return is_value and is_snippet and not _is_struck(fact)


def _is_struck(fact: Fact) -> bool:
    start, end = fact.start - fact.snippet_start, fact.end - fact.snippet_start
    return any(first < end and start < last for first, last in find_struck(fact.snippet))


def find_labels(facts: Iterable[Fact]) -> set[str]:
    """Return the keys of what is no thing: of many documents nearly each describes another by it.

    "FR-001", "Rationale" and "Outcome" stand in all documents that follow one template.
    """
    documents: dict[str, set[int]] = defaultdict(set)
    values: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.fact_type == SUMMARY:
            documents[name_key(fact.term)].add(fact.document)
            values[name_key(fact.term)].add(fact.value)
    return {
        name
        for name, own in documents.items()
        if len(own) >= _MANY and len(values[name]) >= _NEARLY * len(own)
    }


def _extract_claims(reading: Reading) -> Iterator[FactSpan]:
    evidence, about = reading.find(index_identifiers), reading.find(subjects)
    shown = reading.find(find_examples)
    for grid in reading.find(find_grids):
        reading.go_on()
        if not shown[grid.part] and not is_history_table(grid):
            yield from extract_claims(grid, about[grid.part], evidence)
    yield from extract_configuration(reading, evidence)
    yield from extract_front_matter(reading)
    statements = reading.find(split_statements)
    for line, subject in assign_subjects(reading, about):
        if not shown[line.part] and len(line.text) <= LONGEST_SNIPPET:
            yield from claims_of_line(line, statements.get(line.start), subject, evidence)


def _place(claim: FactSpan, current: CurrentText) -> FactSpan:
    """Return a claim of a text without what is struck out, placed in the full text."""
    return replace(
        claim,
        start=current.find_start(claim.start),
        end=current.find_end(claim.end),
        snippet_start=current.find_start(claim.snippet_start),
        snippet_end=current.find_end(claim.snippet_end),
    )


def build_fact(reading: Reading, claim: FactSpan) -> Fact:
    """Return a claim as a fact."""
    text = reading.text
    return Fact(
        reading.document.id,
        claim.term,
        claim.attribute,
        claim.fact_type,
        text[claim.start : claim.end],
        claim.start,
        claim.end,
        text[claim.snippet_start : claim.snippet_end],
        claim.snippet_start,
        claim.snippet_end,
        claim.confidence,
        reading.parts[reading.part_at(claim.snippet_start)].anchor,
    )
