"""Where documents say a word that nothing is called, in the sentence that says it.

To mention is not to explain. One sentence that says what a thing is ("Vault is our secret store")
is an answer, though not a sure one. All others only show where to look: they are quoted, and the
user is asked.

Source: knowledge sync v1.0, section 7; knowledge design, decision 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from wellworn.domain.knowledge.answers import Answer, Candidate, Evidence, FoundBy, Outcome
from wellworn.domain.knowledge.claims import is_attribute
from wellworn.domain.knowledge.commonness import is_trade
from wellworn.domain.knowledge.entities import key, plain, term
from wellworn.domain.knowledge.quoting import Page, Shelf, seen
from wellworn.domain.knowledge.statements import is_said
from wellworn.domain.knowledge.summaries import sentence_around
from wellworn.domain.sources import Snippet, identifiers_in, key_of

_MOST_OF_ONE: Final = 20
"""Places in one passage that are looked at."""
_MOST_NAMED: Final = 2
_SAYS_WHAT: Final = re.compile(
    r"[ \t]*(?:\([^()\n]{0,80}\)[ \t]*)?(?:(?:is|are) (?:an?|the|our|my|one of)\b"
    r"|(?:means|refers to|stands for)\b|(?:-|\u2013|\u2014|:)[ \t]+(?P<said>\S.*))",
    re.IGNORECASE,
)
_ARTICLES: Final = frozenset(("the", "our", "a", "an"))


@dataclass(frozen=True)
class Mention:
    """A sentence of a passage that says a term; `start` to `end` of its document."""

    page: Page
    passage: Snippet
    term: str
    start: int
    end: int
    is_headed: bool = False

    @cached_property
    def evidence(self) -> Evidence:
        return self.page.evidence(self.start, self.end)

    @cached_property
    def said(self) -> str:
        return seen(self.evidence.text)

    @property
    def candidate(self) -> Candidate:
        return Candidate(label_of(self.passage), self.evidence.citation, self.said)

    @cached_property
    def rank(self) -> int:
        """How much the place tells: 3 for what the term is, 2 below a heading that has it.

        Else 1 for prose, and 0 for code, a licence or a list of changes. What one server is does
        not say what is called so.
        """
        if self.page.is_formal or not self.page.is_prose(self.start):
            return 0
        if self._says_what:
            return 2 if _is_kind(self.term) else 3
        return 2 if self.is_headed else 1

    @property
    def _says_what(self) -> bool:
        said = " ".join(plain(self.evidence.text).split())
        first, _, rest = said.partition(" ")
        said = rest if first.casefold() in _ARTICLES else said
        if not said.casefold().startswith(self.term.casefold()):
            return False
        verb = _SAYS_WHAT.match(said, len(self.term))
        return verb is not None and (verb["said"] is None or is_said(verb["said"]))


def mentions(shelf: Shelf, term: str, passages: Iterable[Snippet]) -> list[Mention]:
    """Return the sentence of each passage that tells most of a term, the most telling first."""
    words = r"\s+".join(map(re.escape, term.split()))
    said = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    found: dict[tuple[int, int], Mention] = {}
    for each in passages:
        one = _in_passage(shelf, term, said, each)
        if one is not None:
            found.setdefault((each.document_id, one.start), one)
    return sorted(found.values(), key=lambda one: -one.rank)


def explained(told: Sequence[Mention]) -> list[Mention]:
    """Return those that say what the term is."""
    return [one for one in told if one.rank > 2]  # noqa: PLR2004 - see `rank`


def spoken_of(term: str, told: Sequence[Mention]) -> Answer:
    """Ask about a name or a phrase that stands for something no document explains."""
    places = ", ".join(one.evidence.citation for one in told)
    choice = "Is that the one meant" if len(told) == 1 else "Which of these is meant"
    return replace(
        _mentioned(term, told),
        outcome=Outcome.AMBIGUOUS,
        question=f'"{term}" is spoken of and not explained in {places}. {choice}?',
    )


def not_explained(term: str, told: Sequence[Mention]) -> Answer:
    """Say where a plain word stands, and that nothing there says what it is."""
    places = ", ".join(one.evidence.citation for one in told[:_MOST_NAMED])
    more = f" and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
    return replace(
        _mentioned(term, told),
        question=f'"{term}" is mentioned in {places}{more}, and not explained. What is it, and '
        "where does it say so?",
    )


def grounded(options: Iterable[Candidate], evidence: Sequence[Evidence]) -> tuple[Candidate, ...]:
    """Return candidates without a word that names what no quote has: such a one is left out."""
    there = {key_of(one.value) for each in evidence for one in identifiers_in(each.text)}

    def kept(text: str) -> bool:
        return all(key_of(one.value) in there for one in identifiers_in(text))

    def called(one: Candidate) -> str:
        names = (one.label, one.label.partition(": ")[0])
        return next(filter(kept, names), one.citation)

    return tuple(
        replace(one, label=called(one), summary=one.summary if kept(one.summary) else "")
        for one in options
    )


def label_of(one: Snippet) -> str:
    """Return what a passage is called: its document's title and its heading."""
    title = one.title or one.path
    heading = one.headings[-1] if one.headings else title
    return title if key(heading) == key(title) else f"{title}: {heading}"


def _in_passage(shelf: Shelf, term: str, said: re.Pattern[str], one: Snippet) -> Mention | None:
    page = shelf.page(one.document_id)
    if page is None:
        return None
    places = [match.start() for match in said.finditer(page.text, one.start, one.end)]
    made = [_at(page, one, term, place) for place in places[:_MOST_OF_ONE]]
    if not made:
        return _below(page, one, term, said)
    return max(made, key=lambda mention: mention.rank)


def _below(page: Page, one: Snippet, term: str, said: re.Pattern[str]) -> Mention:
    """Return the first sentence below the heading that has a term, or of the document."""
    is_heading = any(map(said.search, one.headings[-1:]))
    part = page.part_at(one.end - 1) if is_heading else None
    return Mention(page, one, term, *page.lead(part), is_headed=True)


def _at(page: Page, passage: Snippet, term: str, place: int) -> Mention:
    """Return the sentence that a term stands in; of a heading or title, the first one below it."""
    part = page.part_at(place)
    if place < page.front:
        return Mention(page, passage, term, *page.lead(), is_headed=True)
    if part is not None and part.level and place < page.text.find("\n", part.start):
        return Mention(page, passage, term, *page.lead(part), is_headed=True)
    return Mention(page, passage, term, *sentence_around(page.text, place))


def _mentioned(term: str, told: Sequence[Mention]) -> Answer:
    return Answer(
        term=term,
        outcome=Outcome.UNKNOWN,
        found_by=FoundBy.SEARCH,
        evidence=tuple(dict.fromkeys(one.evidence for one in told)),
        candidates=grounded((one.candidate for one in told), [one.evidence for one in told]),
    )


def _is_kind(name: str) -> bool:
    """Tell whether a word says of which kind something is, such as `server`, or which value."""
    return is_attribute(term(name)) or all(is_trade(word) for word in term(name).split())
