"""Checks what a model proposes about a document: only what the document says is stored.

A model reads better than any rule and invents as well as it reads. So each fact comes with a quote
and counts for nothing unless the quote stands in the document, once or at the place it names, and
the full value in the quote; a summary may name nothing that the document does not name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from pydantic import BaseModel, Field

from wellworn.domain.knowledge.claims import (
    SUMMARY,
    FactSpan,
    IdentifierIndex,
    classify_identifier,
    find_named_value,
    is_illustrative,
    is_placeholder,
)
from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import LONGEST_TERM, is_special, key, term, words
from wellworn.domain.knowledge.facts import Fact, build_fact
from wellworn.domain.knowledge.summaries import Summary
from wellworn.domain.knowledge.views import Part, Reading
from wellworn.domain.sources import extract_exact_terms, find_identifiers, normalize_identifier
from wellworn.engines.safety import find_suspicions, neutralise
from wellworn.kit.folding import fold_forms

LONGEST_QUOTE: Final = 300
MOST_FACTS: Final = 12
"""Facts of one answer; more of them make answers that are cut off."""
_LONGEST_SUMMARY: Final = 300
_LONGEST_NAME: Final = 40
_MOST_REPEATS: Final = 99
_LEAST_LETTERS: Final = 16
_NEAR: Final = 0.8
"""Confidence in a fact whose quote names what it is about; rules that fit are surer."""
_FAR: Final = 0.6

_SENTENCES: Final = re.compile(r"[.!?](?:\s|$)")
_PIECE: Final = re.compile(r"[^\W_]+(?:['\u2019]\w{1,3})?")
_NUMBER: Final = re.compile(r"\d[\d.,:]*\d|\d")
#: Signs that join pieces of one name or number, on either side of a stretch.
_CUT_BEFORE: Final = re.compile(r"[\w.:/@#~$%\\-]")
_CUT_AFTER: Final = re.compile(r"[.:/@#~$%\\-]*\w")
_VERSION: Final = re.compile(r"v?\d+(?:\.[0-9A-Za-z-]+){1,4}")


class FactType(StrEnum):
    """The closed list of what a fact can be."""

    SUMMARY = "summary"
    IP = "ip"
    CIDR = "cidr"
    HOSTNAME = "hostname"
    URL = "url"
    ENDPOINT = "endpoint"
    PORT = "port"
    ENV = "env"
    SECRET_REF = "secret_ref"  # noqa: S105 - the name of a kind, not a secret
    HEADER = "header"
    PATH = "path"
    EMAIL = "email"
    VERSION = "version"
    COMMAND = "command"
    DETAIL = "detail"


class ProposedFact(BaseModel):
    """A fact as a model words it; `repeat` says which, when the quote stands there repeatedly."""

    # In this order: what is written later follows from what stands there already.
    quote: str = Field(max_length=LONGEST_QUOTE)
    repeat: int = Field(ge=0, le=_MOST_REPEATS)
    term: str = Field(max_length=LONGEST_TERM)
    name: str = Field(max_length=_LONGEST_NAME)
    value: str = Field(max_length=LONGEST_QUOTE)
    fact_type: FactType


class ProposedFacts(BaseModel):
    """What a further section says."""

    facts: list[ProposedFact] = Field(max_length=MOST_FACTS)


class ProposedDigest(ProposedFacts):
    """What a document is about and what its first section says."""

    summary: str = Field(max_length=_LONGEST_SUMMARY)


@dataclass(frozen=True)
class ProposalChecker:
    """Holds proposals to what one document says."""

    reading: Reading

    def check_fact(self, proposed: ProposedFact, start: int, end: int) -> Fact | None:
        """Return what of a proposal about the characters `start` to `end` is a fact; else None."""
        quote = self._quote(proposed, start, end)
        if quote is None:
            return None
        about, part = term(proposed.term), self.reading.parts[self.reading.part_at(quote[0])]
        quoted = self.reading.text[slice(*quote)]
        is_near = _names(quoted, about)
        if not (is_near or _names(self._around(part), about)) or not self._is_name(about):
            return None
        name = term(proposed.name) if _names(quoted, term(proposed.name)) else ""
        if is_illustrative(name) or is_placeholder(proposed.value):
            return None
        value = proposed.value.strip()
        for at in _find_spans(value, self.reading.text, *quote) if value else ():
            span = at, at + len(value)
            if kind := self._type(proposed.fact_type, name, *span):
                name = "" if kind == SUMMARY else name
                sure = _NEAR if is_near else _FAR
                return build_fact(self.reading, FactSpan(about, name, kind, *span, *quote, sure))
        return None

    def check_summary(self, proposed: str) -> Summary | None:
        """Return a proposed summary if it names nothing that the document does not name."""
        line = " ".join(neutralise(proposed).split())
        is_told = sum(map(str.isalpha, line)) >= _LEAST_LETTERS
        if not is_told or len(_SENTENCES.findall(line)) > 2 or find_suspicions(line):  # noqa: PLR2004
            return None
        exact = {normalize_identifier(value) for value in extract_exact_terms(line)} | {
            *_NUMBER.findall(line)
        }
        if not exact <= self._exact or not _telling(line) <= self._words:
            return None
        return Summary(line, 0, len(self.reading.text))

    # ------------------------------------------------------------ what the document says

    @cached_property
    def _exact(self) -> frozenset[str]:
        """Return what of the document is compared to the letter: names, numbers, complete words."""
        text = self._titled
        values = (identifier.value for identifier in find_identifiers(text))
        named = {normalize_identifier(value) for value in (*values, *extract_exact_terms(text))}
        return frozenset(named | set(_NUMBER.findall(text)))

    @cached_property
    def _words(self) -> frozenset[str]:
        folded = self._titled.casefold()
        return frozenset(map(_stem, [*words(folded), *_PIECE.findall(folded)]))

    @cached_property
    def _titled(self) -> str:
        document = self.reading.document
        place = re.sub(r"[/\\]", " ", document.path)
        return f"{self.reading.title}\n{document.title or ''}\n{place}\n{self.reading.text}"

    @cached_property
    def _headings(self) -> frozenset[str]:
        return frozenset(key(part.title) for part in self.reading.parts) | {key(self.reading.title)}

    def _is_name(self, about: str) -> bool:
        """Tell whether a term can name something: no plain words, unless they are a heading's."""
        if not 0 < len(about) <= LONGEST_TERM:
            return False
        return any(map(is_special, words(about))) or key(about) in self._headings

    def _around(self, part: Part) -> str:
        """Return what tells what a part is about: itself, what stands above it, and its place."""
        text, above = self.reading.text[part.start : part.end], part.parent
        titles: list[str] = []
        while above is not None:
            titles.append(self.reading.parts[above].title)
            above = self.reading.parts[above].parent
        path = re.sub(r"[/\\]", " ", self.reading.document.path.rpartition(".")[0])
        return "\n".join([text, *titles, self.reading.title, path])

    # ------------------------------------------------------------ one fact

    def _quote(self, proposed: ProposedFact, start: int, end: int) -> tuple[int, int] | None:
        """Return where the quote stands, if that is one place, and prose."""
        # It was shown below a margin.
        wanted = proposed.quote.replace("\n  ", "\n").strip()
        spans = list(_find_spans(wanted, self.reading.text, start, end)) if wanted else []
        at = proposed.repeat - 1 if proposed.repeat else 0
        if not 0 <= at < len(spans) or (len(spans) > 1 and not proposed.repeat):
            return None
        span = spans[at], spans[at] + len(wanted)
        is_silent = any(
            silent_start < span[1] and span[0] < other
            for silent_start, other in self.reading.silent
        )
        return None if is_silent else span

    def _type(self, claimed: FactType, name: str, start: int, end: int) -> str:
        """Return the type of a value; empty when it is cut off from something, or has none."""
        text = self.reading.text
        for identifier in self._identifiers.find_in_line(start):
            if (identifier.start, identifier.end) == (start, end):
                is_version = identifier.kind == claimed == FactType.VERSION
                return FactType.VERSION if is_version else classify_identifier(identifier, name)
            if identifier.start < start < identifier.end or identifier.start < end < identifier.end:
                return ""
        if not _is_whole(text, start, end):
            return ""
        named = find_named_value(name, text, start, end) if name else None
        if named and (named.start, named.end) == (start, end):
            return named.fact_type
        return claimed if _fits(claimed, name, text[start:end]) else ""

    @cached_property
    def _identifiers(self) -> IdentifierIndex:
        return IdentifierIndex(self.reading.text)


def _fits(claimed: FactType, name: str, value: str) -> bool:
    """Tell whether a value that is no identifier can be what a model takes it for."""
    if claimed is FactType.VERSION:
        return _VERSION.fullmatch(value) is not None
    if claimed is FactType.DETAIL:
        # Two details of one thing are told apart by what the document calls them.
        return bool(name)
    return claimed in {FactType.SUMMARY, FactType.COMMAND}


def merge_facts(by_rule: Iterable[Fact], by_model: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Return all facts in order, and the model's alone: a value that a rule found is the rule's."""
    rules = list(by_rule)
    taken = [(rule.start, rule.end) for rule in rules]
    facts_by_place: dict[tuple[str, str, int, int], Fact] = {}
    for proposal in by_model:
        if not any(start < proposal.end and proposal.start < end for start, end in taken):
            facts_by_place.setdefault(
                (proposal.term, proposal.fact_type, proposal.start, proposal.end), proposal
            )
    added = list(facts_by_place.values())
    return sorted([*rules, *added], key=lambda rule: (rule.start, rule.end)), added


def _find_spans(wanted: str, text: str, start: int, end: int) -> Iterator[int]:
    at = text.find(wanted, start, end)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1, end)


def _telling(text: str) -> set[str]:
    """Return the words of a text that may name something: no plain ones, compounds as they are."""
    text_words = words(text.casefold())
    return {_stem(word) for word in text_words if is_special(word) or not _PIECE.fullmatch(word)}


def _stem(word: str) -> str:
    return stem(word.removesuffix("'s").removesuffix("\u2019s"))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether a stretch is no piece of something longer, such as `14` of `3.14`."""
    return not _CUT_BEFORE.search(text, max(0, start - 1), start) and not _CUT_AFTER.match(
        text, end
    )


def _names(text: str, about: str) -> bool:
    """Tell whether a text says a folded term in full."""
    if not about:
        return False
    folded = " ".join(unicodedata.normalize("NFKC", fold_forms(text)).casefold().split())
    spans = ((at, at + len(about)) for at in _find_spans(about, folded, 0, len(folded)))
    return any(_is_whole(folded, *span) for span in spans)
